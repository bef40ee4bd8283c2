import type { JsonObject, JsonValue } from '../../../../api/object.js';
import { objectAt, objectsIn, setDefault } from '../../../../api/json/defaulting.js';
import { textAt } from '../../../../api/json/members.js';
import { invalid, notSupported, type Path, required, type FieldError } from '../../../registry/validation/field.js';
import { isNegative } from '../../../registry/validation/quantities.js';

/** Scaling behaviour of an autoscaler. */

const windowSecondsMax = 3600;
const periodSecondsMax = 1800;
const selectPolicies = ['Disabled', 'Max', 'Min'];
const policyTypes = ['Percent', 'Pods'];
const double = { type: 'Percent', value: 100, periodSeconds: 15 };
const fourMore = { type: 'Pods', value: 4, periodSeconds: 15 };

const defaultRules: Readonly<Record<'scaleUp' | 'scaleDown', JsonObject>> = {
  scaleUp: { stabilizationWindowSeconds: 0, selectPolicy: 'Max', policies: [fourMore, double] },
  scaleDown: { selectPolicy: 'Max', policies: [double] },
};

/** A partial behaviour gets all other defaults. */
export function setBehaviorDefaults(spec: JsonObject): void {
  const behavior = objectAt(spec, 'behavior');
  if (behavior === null) return;
  for (const [direction, defaults] of Object.entries(defaultRules)) {
    const rules = objectAt(behavior, direction) ?? {};
    for (const [member, value] of Object.entries(defaults)) setDefault(rules, member, structuredClone(value) as JsonValue);
    behavior[direction] = rules;
  }
}

export function validateBehavior(spec: JsonObject, path: Path): FieldError[] {
  const behavior = objectAt(spec, 'behavior') ?? {};
  return ['scaleUp', 'scaleDown'].flatMap((direction) => {
    const rules = objectAt(behavior, direction);
    return rules === null ? [] : validateRules(rules, path.child(direction));
  });
}

function validateRules(rules: JsonObject, path: Path): FieldError[] {
  const window = Number(rules['stabilizationWindowSeconds'] ?? 0);
  const at = path.child('stabilizationWindowSeconds');
  const select = rules['selectPolicy'];
  const policies = objectsIn(rules, 'policies');
  return [
    ...(window < 0 ? [invalid(at, window, 'must be greater than or equal to zero')] : []),
    ...(window > windowSecondsMax ? [invalid(at, window, `must be less than or equal to ${windowSecondsMax}`)] : []),
    ...(select === undefined || select === null || selectPolicies.includes(String(select))
      ? []
      : [notSupported(path.child('selectPolicy'), select, selectPolicies)]),
    ...(policies.length === 0 ? [required(path.child('policies'), 'must specify at least one Policy')] : []),
    ...policies.flatMap((policy, position) => validatePolicy(policy, path.child('policies').index(position))),
    ...(isNegative(rules['tolerance'])
      ? [invalid(path.child('tolerance'), rules['tolerance'], 'must be greater than or equal to zero')]
      : []),
  ];
}

function validatePolicy(policy: JsonObject, path: Path): FieldError[] {
  const type = textAt(policy, 'type');
  const [value, period] = [Number(policy['value'] ?? 0), Number(policy['periodSeconds'] ?? 0)];
  return [
    ...(policyTypes.includes(type) ? [] : [notSupported(path.child('type'), type, policyTypes)]),
    ...(value <= 0 ? [invalid(path.child('value'), value, 'must be greater than zero')] : []),
    ...(period <= 0 ? [invalid(path.child('periodSeconds'), period, 'must be greater than zero')] : []),
    ...(period > periodSecondsMax
      ? [invalid(path.child('periodSeconds'), period, `must be less than or equal to ${periodSecondsMax}`)]
      : []),
  ];
}
