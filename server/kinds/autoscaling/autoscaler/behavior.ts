import type * as v2 from '../../../../api/types/autoscaling/v2.js';
import { isSet } from '../../../../api/json/members.js';
import { setDefault } from '../../../../api/json/defaulting.js';
import { invalid, type FieldError, type Path } from '../../../registry/validation/field.js';
import { isNegative } from '../../../registry/validation/quantities.js';
import { each, maximum, members, oneOf, optional, orEmpty, orZero, requiredAs } from '../../../registry/validation/table.js';
import type { Writable } from '../../kind.js';

/** Scaling behaviour of an autoscaler. */

const windowSecondsMax = 3600;
const periodSecondsMax = 1800;
const double = { type: 'Percent', value: 100, periodSeconds: 15 };
const fourMore = { type: 'Pods', value: 4, periodSeconds: 15 };

/** A partial behaviour gets all other defaults. */
export function setBehaviorDefaults({ behavior }: Writable<v2.HorizontalPodAutoscalerSpec>): void {
  if (!isSet(behavior)) return;
  const [up, down] = [(behavior.scaleUp ??= {}), (behavior.scaleDown ??= {})];
  setDefault(up, 'stabilizationWindowSeconds', 0);
  setDefault(up, 'selectPolicy', 'Max');
  setDefault(up, 'policies', [{ ...fourMore }, { ...double }]);
  setDefault(down, 'selectPolicy', 'Max');
  setDefault(down, 'policies', [{ ...double }]);
}

const notNegative = (value: number | string, path: Path): FieldError[] =>
  isNegative(value) ? [invalid(path, value, 'must be greater than or equal to zero')] : [];
const aboveZero = (value: number, path: Path): FieldError[] => (value <= 0 ? [invalid(path, value, 'must be greater than zero')] : []);

const policy = members<v2.HPAScalingPolicy>({
  type: orEmpty(oneOf('Percent', 'Pods')),
  value: orZero(aboveZero),
  periodSeconds: orZero(aboveZero, maximum(periodSecondsMax)),
});

const rules = members<v2.HPAScalingRules>({
  stabilizationWindowSeconds: orZero(notNegative, maximum(windowSecondsMax)),
  selectPolicy: optional(oneOf('Disabled', 'Max', 'Min')),
  policies: requiredAs('must specify at least one Policy', each(policy)),
  tolerance: optional(notNegative),
});

export const behavior = members<v2.HorizontalPodAutoscalerBehavior>({ scaleUp: optional(rules), scaleDown: optional(rules) });
