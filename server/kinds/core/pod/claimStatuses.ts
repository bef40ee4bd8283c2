import type * as v1 from '../../../../api/types/core/v1.js';
import {
  all,
  distinct,
  dnsLabel,
  dnsSubdomain,
  duplicate,
  each,
  inOrder,
  invalid,
  isNegative,
  isSet,
  itemsOf,
  knowing,
  members,
  missing,
  ofEach,
  optional,
  Path,
  repeats,
  required,
  requiredAs,
  withFacts,
  type FieldError,
  type Found,
  type Writable,
} from '../../language.js';
import { isNativeResource } from '../../../../api/resourceNames.js';

type Status = Writable<v1.PodStatus>;
type Spec = Writable<v1.PodSpec>;

const path = Path.of('status');

interface ClaimFacts {
  readonly known: ReadonlySet<string | undefined>;
}

/** A status tells of claims of the specification, of extended resources, and of a node's own resources. */
export const validateClaimStatuses = (status: Status, spec: Spec): Found =>
  inOrder(
    withFacts(ownClaims, { known: ownNames(spec) })(status, path),
    validateExtendedClaim(status.extendedResourceClaimStatus, spec),
    withFacts(allocatableClaims, { known: claimNames(status, spec) })(status, path),
  );

const ownClaim = knowing((name: string | undefined, at, { known }: ClaimFacts) =>
  known.has(name ?? '') ? [] : [invalid(at, name ?? '', 'must match the name of an entry in `spec.resourceClaims`')],
);
const ownClaims = members<v1.PodStatus, ClaimFacts>({
  resourceClaimStatuses: distinct<Writable<v1.PodResourceClaimStatus>, unknown, ClaimFacts>('name', (once) =>
    all<Writable<v1.PodResourceClaimStatus>, unknown, ClaimFacts>(
      members<v1.PodResourceClaimStatus, ClaimFacts>({ name: ownClaim }),
      once,
      members<v1.PodResourceClaimStatus>({ resourceClaimName: optional(dnsSubdomain) }),
    ),
  ),
});
const ownNames = (spec: Spec): ReadonlySet<string> => new Set(itemsOf(spec.resourceClaims).map(({ name = '' }) => name));

const mappedMembers = ['containerName', 'resourceName', 'requestName'] as const;
const claimName = members<v1.PodExtendedResourceClaimStatus>({ resourceClaimName: required(dnsSubdomain) });

/** The reference reports names of requests next to the mappings. */
function validateExtendedClaim(claim: Writable<v1.PodExtendedResourceClaimStatus> | undefined, spec: Spec): Found {
  if (!isSet(claim)) return [];
  const at = path.child('extendedResourceClaimStatus');
  const mappings = itemsOf(claim.requestMappings);
  const isRepeated = repeats(mappings.map((mapping) => JSON.stringify(mappedMembers.map((member) => mapping[member] ?? ''))));
  return inOrder(
    mappings.length === 0 ? [missing(at.child('requestMappings'), 'at least one request mapping is required')] : [],
    ofEach(mappings, (mapping, position) => {
      const item = at.child('requestMappings').index(position);
      return [
        ...validateMapped(mapping, spec, item),
        ...dnsLabel(mapping.requestName ?? '', at.child('requestName')),
        ...(isRepeated(position) ? mappedMembers.map((member) => duplicate(item.child(member), mapping[member] ?? '')) : []),
      ];
    }),
    claimName(claim, at, null),
  );
}

/** A request belongs to a container that asks for the resource. */
function validateMapped(
  { containerName = '', resourceName = '' }: Writable<v1.ContainerExtendedResourceRequest>,
  spec: Spec,
  item: Path,
): FieldError[] {
  const container = [...itemsOf(spec.containers), ...itemsOf(spec.initContainers)].find(({ name = '' }) => name === containerName);
  if (container === undefined)
    return [
      invalid(
        item.child('containerName'),
        containerName,
        'must match the name of an entry in spec.initContainers.name or spec.containers.name',
      ),
    ];
  return Object.hasOwn(container.resources?.requests ?? {}, resourceName)
    ? []
    : [
        invalid(
          item.child('resourceName'),
          resourceName,
          'must match the extended resource name of an entry in spec.initContainers.resources.requests or spec.containers.resources.requests',
        ),
      ];
}

const claimNames = (status: Status, spec: Spec): ReadonlySet<string | undefined> =>
  new Set([...itemsOf(spec.resourceClaims), ...itemsOf(status.resourceClaimStatuses)].map(({ resourceClaimName }) => resourceClaimName));

const emptyText = 'must not be empty';

const mapped = knowing((name: string | undefined, at, { known }: ClaimFacts) =>
  known.has(name ?? '') ? [] : [invalid(at, name ?? '', 'no mapping found in pod reference')],
);

type Amounts = Writable<v1.NodeAllocatableResourceClaimStatus>['resources'];
function amounts(resources: Amounts, at: Path): Found {
  const entries = Object.entries(resources ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  if (entries.length === 0) return [missing(at, emptyText)];
  return ofEach(entries, ([resource, amount]) => [
    ...(isNativeResource(resource) ? [] : [invalid(at.key(resource), resource, 'must be a node allocatable resource name')]),
    ...(isNegative(amount) ? [invalid(at.key(resource), amount, 'must be non-negative')] : []),
  ]);
}

const allocatableClaims = members<v1.PodStatus, ClaimFacts>({
  nodeAllocatableResourceClaimStatuses: each(
    members<v1.NodeAllocatableResourceClaimStatus, ClaimFacts>({
      resourceClaimName: all<string | undefined, unknown, ClaimFacts>(requiredAs(emptyText), mapped),
      containers: requiredAs(emptyText),
      resources: amounts,
    }),
  ),
});
