import type { JsonObject } from '../../../../../api/object.js';
import { objectAt, objectsIn } from '../../../../../api/json/defaulting.js';
import { itemsOf } from '../../../../../api/json/members.js';
import { notSupported, required, tooMany, type FieldError, type Path } from '../../../../registry/validation/field.js';
import { whileOff, whileOn } from '../../../../registry/validation/gatedFindings.js';
import { optionallyOneOf } from '../../../../registry/validation/values.js';

const rulesMax = 20;
const codesMax = 255;
const actions = ['Restart', 'RestartAllContainers'];
/** The first action, for one container alone. */
const firstActions = ['Restart'];
const operators = ['In', 'NotIn'];

/** Restart rules for exit codes need a policy of the container. */
export function validateRestart(container: JsonObject, path: Path, isInit = false): FieldError[] {
  const policy = container['restartPolicy'] ?? null;
  const rules = objectsIn(container, 'restartPolicyRules');
  const at = path.child('restartPolicyRules');
  const missing = required(path.child('restartPolicy'), 'must specify restartPolicy when restart rules are used');
  // An init container has no further checks.
  if (isInit && policy === null) return rules.length > 0 ? [missing] : [];
  return [
    ...(policy === null && rules.length > 0 ? [missing] : []),
    ...optionallyOneOf(policy, ['Always', 'Never', 'OnFailure'], path.child('restartPolicy')),
    ...(rules.length > rulesMax ? [tooMany(at, rules.length, rulesMax)] : []),
    ...rules.flatMap((rule, position) => validateRule(rule, at.index(position))),
  ];
}

const unlessOneOf = (action: string, known: readonly string[], path: Path): FieldError[] =>
  known.includes(action) ? [] : [notSupported(path, action, known)];

function validateRule(rule: JsonObject, path: Path): FieldError[] {
  const codes = objectAt(rule, 'exitCodes');
  const at = path.child('exitCodes');
  const [action, count] = [String(rule['action'] ?? ''), itemsOf(codes?.['values']).length];
  return [
    ...whileOn('RestartAllContainersOnContainerExits', unlessOneOf(action, actions, path.child('action'))),
    ...whileOff('RestartAllContainersOnContainerExits', unlessOneOf(action, firstActions, path.child('action'))),
    ...(codes === null ? [required(at, 'must be specified')] : []),
    ...(codes === null || operators.includes(String(codes['operator']))
      ? []
      : [notSupported(at.child('operator'), codes['operator'] ?? '', operators)]),
    ...(count > codesMax ? [tooMany(at.child('values'), count, codesMax)] : []),
  ];
}
