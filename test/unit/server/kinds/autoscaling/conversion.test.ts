import { expect } from 'chai';
import type { ApiObject } from '../../../../../api/object.js';
import { autoscalerConversion } from '../../../../../server/kinds/autoscaling/conversion.js';
import { object } from '../kindSample.js';

describe('kinds, autoscalers in version 1', () => {
  it('holds metrics of autoscalers in annotations, in the form of version 1', async () => {
    const annotations = {
      'autoscaling.alpha.kubernetes.io/behavior':
        '{"ScaleUp":{"StabilizationWindowSeconds":5,"SelectPolicy":"Max","Policies":[{"Type":"Pods","Value":4,"PeriodSeconds":15}],"Tolerance":null},"ScaleDown":null}',
      'autoscaling.alpha.kubernetes.io/metrics': '[{"type":"Pods","pods":{"metricName":"rps","targetAverageValue":"5"}}]',
    };
    const stored = autoscalerConversion.toStorage(
      object('autoscaling/v1/HorizontalPodAutoscaler', { spec: { maxReplicas: 2 } }, { annotations }) as ApiObject,
    );
    expect(stored['spec']).to.deep.equal({
      maxReplicas: 2,
      metrics: [{ type: 'Pods', pods: { metric: { name: 'rps' }, target: { type: 'AverageValue', averageValue: '5' } } }],
      behavior: {
        scaleUp: { stabilizationWindowSeconds: 5, selectPolicy: 'Max', policies: [{ type: 'Pods', value: 4, periodSeconds: 15 }] },
      },
    });
    const back = autoscalerConversion.fromStorage(stored).metadata.annotations ?? {};
    expect(Object.fromEntries(Object.entries(back).map(([name, text]) => [name, JSON.parse(text) as unknown]))).to.deep.equal(
      Object.fromEntries(Object.entries(annotations).map(([name, text]) => [name, JSON.parse(text) as unknown])),
    );
  });
});
