import type { ApiObject, JsonObject } from '../../api/object.js';
import type { EnabledFeatures } from '../../features/fieldGates.js';
import { objectAt, objectsIn, setTextDefault } from '../../registry/defaulting.js';
import { itemsOf, memberAt, textAt } from '../../registry/members.js';
import { restoreAllButStatus } from '../../registry/statuswrites.js';
import { validateConditions } from '../../registry/validation/conditions.js';
import { duplicate, invalid, Path, required, tooMany, type FieldError } from '../../registry/validation/field.js';
import { dnsSubdomain } from '../../registry/validation/values.js';
import { immutable } from '../immutable.js';
import type { Kind } from '../kind.js';
import { claimsMax, gatedGroupFields, requiredLabel, validateGroup } from './podGroupRules.js';

const spec = Path.of('spec');
const status = Path.of('status');

const defaultMode = 'Pod';

const specOf = (group: ApiObject): JsonObject => objectAt(group, 'spec') ?? {};

/** From which template of which workload the group was made. */
function validateOrigin(spec: JsonObject, path: Path): FieldError[] {
  const reference = objectAt(spec, 'podGroupTemplateRef');
  if (reference === null) return [];
  const workload = objectAt(reference, 'workload');
  if (workload === null) return [invalid(path, '', 'must specify one of: `workload`')];
  const [at, name] = [path.child('workload'), textAt(workload, 'workloadName')];
  return [
    ...(name === '' ? [required(at.child('workloadName'), '')] : dnsSubdomain(name, at.child('workloadName'))),
    ...requiredLabel(textAt(workload, 'podGroupTemplateName'), at.child('podGroupTemplateName')),
  ];
}

function validateStatus(group: ApiObject): FieldError[] {
  const claims = new Set(objectsIn(specOf(group), 'resourceClaims').map((claim) => textAt(claim, 'name')));
  const statuses = objectsIn(objectAt(group, 'status') ?? {}, 'resourceClaimStatuses');
  const path = status.child('resourceClaimStatuses');
  return [
    ...validateConditions(itemsOf(memberAt(group, 'status', 'conditions')), status.child('conditions')),
    ...statuses.flatMap((each, position) =>
      claims.has(textAt(each, 'name'))
        ? []
        : [invalid(path.index(position).child('name'), textAt(each, 'name'), 'must match the name of an entry in `spec.resourceClaims`')],
    ),
    ...validateClaimStatuses(statuses, path),
  ];
}

/** By the published rules of the fields, after what looks at several of them. */
function validateClaimStatuses(statuses: readonly JsonObject[], path: Path): FieldError[] {
  if (statuses.length > claimsMax) return [tooMany(path, statuses.length, claimsMax)];
  const names = statuses.map((each) => textAt(each, 'name'));
  return [
    ...names.flatMap((name, position) => (names.indexOf(name) < position ? [duplicate(path.index(position), { name })] : [])),
    ...statuses.flatMap((each, position) =>
      typeof each['resourceClaimName'] === 'string'
        ? dnsSubdomain(each['resourceClaimName'], path.index(position).child('resourceClaimName'))
        : [],
    ),
  ];
}

/** One by one, since each is told of. */
const kept = immutable(
  'spec.podGroupTemplateRef',
  'spec.schedulingPolicy',
  'spec.schedulingConstraints',
  'spec.resourceClaims',
  'spec.disruptionMode',
  'spec.priorityClassName',
  'spec.priority',
);

/** A default of a field that is there only with its feature. */
function setMode(group: ApiObject, enabled: EnabledFeatures): void {
  const spec = objectAt(group, 'spec');
  if (spec !== null && enabled('WorkloadAwarePreemption')) setTextDefault(spec, 'disruptionMode', defaultMode);
}

/** A group may have been stored while nobody spoke of disruptions. */
const completed = (group: ApiObject): ApiObject => ({ ...group, spec: { disruptionMode: defaultMode, ...specOf(group) } });

export const podGroups: Kind = {
  name: 'podgroups.scheduling.k8s.io',
  gated: {
    ...gatedGroupFields('spec'),
    DRAWorkloadResourceClaims: ['spec.resourceClaims', 'status.resourceClaimStatuses'],
  },
  validate: (group) => [...validateOrigin(specOf(group), spec.child('podGroupTemplateRef')), ...validateGroup(specOf(group), spec)],
  create: {
    prepare(group, { enabled }) {
      group['status'] = {};
      setMode(group, enabled);
    },
  },
  update: {
    prepare(group, old, { enabled }) {
      group['status'] = old['status'];
      setMode(group, enabled);
    },
    review: (group, old, metadata) => [...metadata.update(), ...kept(completed(group), completed(old))],
  },
  subresources: {
    status: { prepare: restoreAllButStatus, review: (group, _old, metadata) => [...metadata.update(), ...validateStatus(group)] },
  },
};
