import type * as v2 from '../../../../api/types/autoscaling/v2.js';
import {
  byDefault,
  created,
  each,
  invalid,
  maximum,
  members,
  nonNegativeQuantity,
  oneOf,
  optional,
  orEmpty,
  orZero,
  requiredAs,
  type FieldError,
  type Path,
  type Rule,
  type Writable,
} from '../../language.js';

type Policy = Writable<v2.HPAScalingPolicy>;

const windowSecondsMax = 3600;
const periodSecondsMax = 1800;
const double = { type: 'Percent', value: 100, periodSeconds: 15 };
const fourMore = { type: 'Pods', value: 4, periodSeconds: 15 };

const notNegative = (value: number, path: Path): FieldError[] =>
  value < 0 ? [invalid(path, value, 'must be greater than or equal to zero')] : [];
const aboveZero = (value: number, path: Path): FieldError[] => (value <= 0 ? [invalid(path, value, 'must be greater than zero')] : []);

const policy = members<v2.HPAScalingPolicy>({
  type: orEmpty(oneOf('Percent', 'Pods')),
  value: orZero(aboveZero),
  periodSeconds: orZero(aboveZero, maximum(periodSecondsMax)),
});

const rules = (policies: readonly Policy[]): Rule<Writable<v2.HPAScalingRules>> =>
  members<v2.HPAScalingRules>({
    stabilizationWindowSeconds: orZero(notNegative, maximum(windowSecondsMax)),
    selectPolicy: byDefault('Max', oneOf('Disabled', 'Max', 'Min')),
    policies: byDefault(() => policies.map((each) => ({ ...each })), requiredAs('must specify at least one Policy', each(policy))),
    tolerance: optional(nonNegativeQuantity),
  });

/** A partial behaviour gets all other defaults. */
export const behavior = members<v2.HorizontalPodAutoscalerBehavior>({
  scaleUp: created(members<v2.HPAScalingRules>({ stabilizationWindowSeconds: byDefault(0) }), rules([fourMore, double])),
  scaleDown: created(rules([double])),
});
