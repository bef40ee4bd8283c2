import type { JsonObject } from '../../../../api/object.js';
import { objectAt, objectsIn } from '../../../../api/json/defaulting.js';
import { itemsOf, textAt } from '../../../../api/json/members.js';
import { isNativeResource } from '../../../../api/resourceNames.js';
import { duplicate, invalid, Path, required, type FieldError } from '../../../registry/validation/field.js';
import { repeats } from '../../../registry/validation/repeats.js';
import { isNegative } from '../../../registry/validation/quantities.js';
import { dnsLabel, dnsSubdomain } from '../../../registry/validation/values.js';

const path = Path.of('status');

/** Checks what a pod's status says of its resource claims: those of the specification, of extended resources, and of a node's own resources. */
export const validateClaimStatuses = (status: JsonObject, spec: JsonObject): FieldError[] => [
  ...validateOwnClaims(status, spec),
  ...validateExtendedClaim(objectAt(status, 'extendedResourceClaimStatus'), spec),
  ...validateAllocatableClaims(status, spec),
];

function validateOwnClaims(status: JsonObject, spec: JsonObject): FieldError[] {
  const claims = new Set(objectsIn(spec, 'resourceClaims').map((claim) => textAt(claim, 'name')));
  const statuses = objectsIn(status, 'resourceClaimStatuses');
  const isRepeated = repeats(statuses.map((each) => textAt(each, 'name')));
  return statuses.flatMap((each, position) => {
    const at = path.child('resourceClaimStatuses').index(position);
    const name = textAt(each, 'name');
    const claim = each['resourceClaimName'] ?? null;
    return [
      ...(claims.has(name) ? [] : [invalid(at.child('name'), name, 'must match the name of an entry in `spec.resourceClaims`')]),
      ...(isRepeated(position) ? [duplicate(at.child('name'), name)] : []),
      ...(claim === null ? [] : dnsSubdomain(String(claim), at.child('resourceClaimName'))),
    ];
  });
}

const mappedMembers = ['containerName', 'resourceName', 'requestName'] as const;

/** The reference reports names of requests next to the mappings. */
function validateExtendedClaim(claim: JsonObject | null, spec: JsonObject): FieldError[] {
  if (claim === null) return [];
  const at = path.child('extendedResourceClaimStatus');
  const mappings = objectsIn(claim, 'requestMappings');
  const isRepeated = repeats(mappings.map((mapping) => JSON.stringify(mappedMembers.map((member) => textAt(mapping, member)))));
  const name = textAt(claim, 'resourceClaimName');
  return [
    ...(mappings.length === 0 ? [required(at.child('requestMappings'), 'at least one request mapping is required')] : []),
    ...mappings.flatMap((mapping, position) => {
      const item = at.child('requestMappings').index(position);
      return [
        ...validateMapped(mapping, spec, item),
        ...dnsLabel(textAt(mapping, 'requestName'), at.child('requestName')),
        ...(isRepeated(position) ? mappedMembers.map((member) => duplicate(item.child(member), textAt(mapping, member))) : []),
      ];
    }),
    ...(name === '' ? [required(at.child('resourceClaimName'), '')] : dnsSubdomain(name, at.child('resourceClaimName'))),
  ];
}

/** A request belongs to a container that asks for the resource. */
function validateMapped(mapping: JsonObject, spec: JsonObject, item: Path): FieldError[] {
  const [name, resource] = [textAt(mapping, 'containerName'), textAt(mapping, 'resourceName')];
  const container = ['containers', 'initContainers'].flatMap((list) => objectsIn(spec, list)).find((each) => textAt(each, 'name') === name);
  if (container === undefined)
    return [
      invalid(item.child('containerName'), name, 'must match the name of an entry in spec.initContainers.name or spec.containers.name'),
    ];
  return Object.hasOwn(objectAt(objectAt(container, 'resources') ?? {}, 'requests') ?? {}, resource)
    ? []
    : [
        invalid(
          item.child('resourceName'),
          resource,
          'must match the extended resource name of an entry in spec.initContainers.resources.requests or spec.containers.resources.requests',
        ),
      ];
}

const nonEmpty = (at: Path): FieldError => required(at, 'must not be empty');

function validateAllocatableClaims(status: JsonObject, spec: JsonObject): FieldError[] {
  const known = new Set(
    [...objectsIn(spec, 'resourceClaims'), ...objectsIn(status, 'resourceClaimStatuses')].map((claim) => claim['resourceClaimName']),
  );
  return objectsIn(status, 'nodeAllocatableResourceClaimStatuses').flatMap((each, position) => {
    const at = path.child('nodeAllocatableResourceClaimStatuses').index(position);
    const name = textAt(each, 'resourceClaimName');
    const resources = Object.entries(objectAt(each, 'resources') ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
    return [
      ...(name === '' ? [nonEmpty(at.child('resourceClaimName'))] : []),
      ...(known.has(name) ? [] : [invalid(at.child('resourceClaimName'), name, 'no mapping found in pod reference')]),
      ...(itemsOf(each['containers']).length === 0 ? [nonEmpty(at.child('containers'))] : []),
      ...(resources.length === 0 ? [nonEmpty(at.child('resources'))] : []),
      ...resources.flatMap(([resource, amount]) => {
        const key = at.child('resources').key(resource);
        return [
          ...(isNativeResource(resource) ? [] : [invalid(key, resource, 'must be a node allocatable resource name')]),
          ...(isNegative(amount) ? [invalid(key, amount, 'must be non-negative')] : []),
        ];
      }),
    ];
  });
}
