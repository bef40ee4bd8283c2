import type { JsonObject, JsonValue } from '../../../api/object.js';
import { objectAt, objectsIn, setDefault } from '../../../registry/defaulting.js';
import { textAt } from '../../../registry/members.js';
import { invalid, notSupported, type Path, required, type FieldError } from '../../../registry/validation/field.js';
import { isNegative } from '../../../registry/validation/quantities.js';

/** How fast an autoscaler may act. */

const WINDOW_SECONDS_MAX = 3600;
const PERIOD_SECONDS_MAX = 1800;
const SELECT_POLICIES = ['Disabled', 'Max', 'Min'];
const POLICY_TYPES = ['Percent', 'Pods'];
const DOUBLE = { type: 'Percent', value: 100, periodSeconds: 15 };
const FOUR_MORE = { type: 'Pods', value: 4, periodSeconds: 15 };

const DEFAULTS: Readonly<Record<'scaleUp' | 'scaleDown', JsonObject>> = {
  scaleUp: { stabilizationWindowSeconds: 0, selectPolicy: 'Max', policies: [FOUR_MORE, DOUBLE] },
  scaleDown: { selectPolicy: 'Max', policies: [DOUBLE] },
};

/** Who says anything about the speed gets the rest of the rules, too. */
export function setBehaviorDefaults(spec: JsonObject): void {
  const behavior = objectAt(spec, 'behavior');
  if (behavior === null) return;
  for (const [direction, defaults] of Object.entries(DEFAULTS)) {
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
    ...(window > WINDOW_SECONDS_MAX ? [invalid(at, window, `must be less than or equal to ${WINDOW_SECONDS_MAX}`)] : []),
    ...(select === undefined || select === null || SELECT_POLICIES.includes(String(select))
      ? []
      : [notSupported(path.child('selectPolicy'), select, SELECT_POLICIES)]),
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
    ...(POLICY_TYPES.includes(type) ? [] : [notSupported(path.child('type'), type, POLICY_TYPES)]),
    ...(value <= 0 ? [invalid(path.child('value'), value, 'must be greater than zero')] : []),
    ...(period <= 0 ? [invalid(path.child('periodSeconds'), period, 'must be greater than zero')] : []),
    ...(period > PERIOD_SECONDS_MAX
      ? [invalid(path.child('periodSeconds'), period, `must be less than or equal to ${PERIOD_SECONDS_MAX}`)]
      : []),
  ];
}
