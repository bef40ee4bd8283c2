import { expect } from 'chai';
import type { JsonObject } from '../../../../../api/object.js';
import { targetsCell } from '../../../../../server/kinds/autoscaling/targets.js';

const cell = (metrics: readonly JsonObject[], currentMetrics: readonly JsonObject[] = []): string =>
  targetsCell({ metadata: {}, spec: { metrics: [...metrics] }, status: { currentMetrics: [...currentMetrics] } });
const cpu = (target: JsonObject): JsonObject => ({ type: 'Resource', resource: { name: 'cpu', target } });

describe('registry/autoscaling, the column of targets', () => {
  const rows: readonly (readonly [metrics: readonly JsonObject[], current: readonly JsonObject[], shown: string])[] = [
    [[], [], '<none>'],
    [[cpu({ type: 'Utilization', averageUtilization: 50 })], [], 'cpu: <unknown>/50%'],
    [
      [cpu({ type: 'Utilization', averageUtilization: 50 })],
      [{ type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: 0, averageValue: '0' } } }],
      'cpu: 0%/50%',
    ],
    [
      [cpu({ type: 'AverageValue', averageValue: '200m' })],
      [{ type: 'Resource', resource: { name: 'cpu', current: { averageValue: '50m' } } }],
      'cpu: 50m/200m',
    ],
    [[cpu({})], [], 'cpu: <unknown>/<auto>'],
    [
      [{ type: 'External', external: { metric: { name: 'q' }, target: { type: 'Value', value: '10' } } }],
      [{ type: 'External', external: { current: { value: '7' } } }],
      '7/10',
    ],
    [[{ type: 'Object', object: { target: { type: 'AverageValue', averageValue: '3' } } }], [], '<unknown>/3 (avg)'],
    [[{ type: 'Pods', pods: { target: { averageValue: '3' } } }], [{ type: 'Pods', pods: { current: { averageValue: '1' } } }], '1/3'],
    [
      [cpu({ averageUtilization: 1 }), cpu({ averageUtilization: 2 }), cpu({ averageUtilization: 3 }), { type: 'X' }],
      [],
      'cpu: <unknown>/1%, cpu: <unknown>/2% + 2 more...',
    ],
  ];
  for (const [metrics, current, shown] of rows) {
    it(`shows ${shown}`, () => {
      expect(cell(metrics, current)).to.equal(shown);
    });
  }
});
