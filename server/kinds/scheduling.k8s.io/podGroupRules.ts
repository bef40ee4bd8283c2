import type { JsonObject } from '../../api/object.js';
import type { GatedFields } from '../../features/fieldGates.js';
import { objectAt, objectsIn } from '../../registry/defaulting.js';
import { textAt } from '../../registry/members.js';
import { duplicate, invalid, notSupported, required, tooMany, type FieldError, type Path } from '../../registry/validation/field.js';
import { dnsLabel, dnsSubdomain, positive, qualified } from '../../registry/validation/values.js';

/** What a group of pods that are scheduled together and the template of one have in common. The source is what their fields are documented as. */

export const claimsMax = 4;
const topologiesMax = 1;
const modes = ['Pod', 'PodGroup'];
const priorityMax = 1_000_000_000;
const claimSources = ['resourceClaimName', 'resourceClaimTemplateName'];

/** Fields of features in the group, or the template of one, at `place`. */
export const gatedGroupFields = (place: string): GatedFields => ({
  DRAWorkloadResourceClaims: [`${place}.resourceClaims`],
  TopologyAwareWorkloadScheduling: [`${place}.schedulingConstraints`],
  WorkloadAwarePreemption: ['disruptionMode', 'priorityClassName', 'priority'].map((member) => `${place}.${member}`),
});

export function validateGroup(group: JsonObject, path: Path): FieldError[] {
  const mode = group['disruptionMode'];
  const className = textAt(group, 'priorityClassName');
  return [
    ...validatePolicy(objectAt(group, 'schedulingPolicy') ?? {}, path.child('schedulingPolicy')),
    ...validateTopology(objectAt(group, 'schedulingConstraints') ?? {}, path.child('schedulingConstraints', 'topology')),
    ...validateClaims(objectsIn(group, 'resourceClaims'), path.child('resourceClaims')),
    ...(mode === undefined || mode === null || modes.includes(String(mode))
      ? []
      : [notSupported(path.child('disruptionMode'), mode, modes)]),
    ...(className === '' ? [] : dnsSubdomain(className, path.child('priorityClassName'))),
    ...(Number(group['priority'] ?? 0) > priorityMax
      ? [invalid(path.child('priority'), group['priority'], `must be less than or equal to ${priorityMax}`)]
      : []),
  ];
}

/** One of two ways: pod by pod, or a number of pods at once. */
function validatePolicy(policy: JsonObject, path: Path): FieldError[] {
  const set = ['basic', 'gang'].filter((member) => objectAt(policy, member) !== null);
  if (set.length === 0) return [invalid(path, '', 'must specify one of: `basic`, `gang`')];
  if (set.length > 1)
    return [
      invalid(
        path,
        `{${set.map((member) => `\`${member}\``).join(', ')}}`,
        'exactly one of `basic`, `gang` is required, but multiple fields are set',
      ),
    ];
  const count = objectAt(policy, 'gang')?.['minCount'];
  const at = path.child('gang', 'minCount');
  if (set[0] !== 'gang') return [];
  return Number(count ?? 0) === 0 ? [required(at, '')] : positive(count, at);
}

function validateTopology(constraints: JsonObject, path: Path): FieldError[] {
  const topologies = objectsIn(constraints, 'topology');
  if (topologies.length > topologiesMax) return [tooMany(path, topologies.length, topologiesMax)];
  return topologies.flatMap((each, position) => {
    const at = path.index(position).child('key');
    return textAt(each, 'key') === '' ? [required(at, '')] : qualified(textAt(each, 'key'), at);
  });
}

function validateClaims(claims: readonly JsonObject[], path: Path): FieldError[] {
  if (claims.length > claimsMax) return [tooMany(path, claims.length, claimsMax)];
  const names = claims.map((claim) => textAt(claim, 'name'));
  return claims.flatMap((claim, position) => {
    const at = path.index(position);
    const set = claimSources.filter((member) => claim[member] !== undefined && claim[member] !== null);
    return [
      ...requiredLabel(names[position] ?? '', at.child('name')),
      ...(names.indexOf(names[position] ?? '') < position ? [duplicate(at, names[position])] : []),
      ...(set.length === 1 ? [] : [invalid(at, '', `must specify one of: ${claimSources.map((member) => `\`${member}\``).join(', ')}`)]),
      ...set.flatMap((member) => dnsSubdomain(textAt(claim, member), at.child(member))),
    ];
  });
}

/** A short name; an empty one is missing. */
export const requiredLabel = (name: string, path: Path): FieldError[] => (name === '' ? [required(path, '')] : dnsLabel(name, path));
