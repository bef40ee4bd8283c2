import fc from 'fast-check';
import type { HorizontalPodAutoscalerBehavior } from '../../../../api/types/autoscaling/v2.js';

const policy = fc.record({
  type: fc.constantFrom('Pods', 'Percent'),
  value: fc.integer({ min: 1, max: 200 }),
  periodSeconds: fc.integer({ min: 1, max: 120 }),
});
const side = fc.record(
  {
    selectPolicy: fc.constantFrom('Max', 'Min', 'Disabled'),
    stabilizationWindowSeconds: fc.integer({ min: 0, max: 120 }),
    policies: fc.array(policy, { minLength: 1, maxLength: 3 }),
  },
  { requiredKeys: [] },
);

/** An autoscaler's optional scaling behaviour. */
export const behaviors: fc.Arbitrary<HorizontalPodAutoscalerBehavior | undefined> = fc.option(
  fc.record({ scaleUp: side, scaleDown: side }, { requiredKeys: [] }),
  { nil: undefined },
);
