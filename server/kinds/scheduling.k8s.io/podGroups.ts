import type { ApiObject, JsonObject } from '../../api/object.js';
import { objectAt, objectsIn } from '../../registry/defaulting.js';
import { itemsOf, memberAt, textAt } from '../../registry/members.js';
import { restoreAllButStatus } from '../../registry/statuswrites.js';
import { validateConditions } from '../../registry/validation/conditions.js';
import { invalid, Path, required, type FieldError } from '../../registry/validation/field.js';
import { dnsSubdomain } from '../../registry/validation/values.js';
import { immutable } from '../immutable.js';
import type { Kind } from '../kind.js';
import { requiredLabel, validateGroup } from './podGroupRules.js';

const spec = Path.of('spec');
const status = Path.of('status');

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
  return [
    ...validateConditions(itemsOf(memberAt(group, 'status', 'conditions')), status.child('conditions')),
    ...itemsOf(memberAt(group, 'status', 'resourceClaimStatuses')).flatMap((each, position) =>
      claims.has(textAt(each, 'name'))
        ? []
        : [
            invalid(
              status.child('resourceClaimStatuses').index(position).child('name'),
              textAt(each, 'name'),
              'must match the name of an entry in `spec.resourceClaims`',
            ),
          ],
    ),
  ];
}

const kept = immutable('spec');

export const podGroups: Kind = {
  name: 'podgroups.scheduling.k8s.io',
  validate: (group) => [...validateOrigin(specOf(group), spec.child('podGroupTemplateRef')), ...validateGroup(specOf(group), spec)],
  update: { validate: kept },
  subresources: { status: { prepare: restoreAllButStatus, validate: validateStatus } },
};
