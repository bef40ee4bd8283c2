import { expect } from 'chai';
import type { JsonObject } from '../../../../../api/object.js';
import { object, type Refused } from '../kindSample.js';
import { causes, createSample, type Sample } from '../../registry/sample.js';

const container = { name: 'c', image: 'i' };

const refused: Refused = [
  [
    'an image as a volume of a template, which may be named later',
    object('PodTemplate', { template: { spec: { containers: [{ name: 'c', image: 'i' }], volumes: [{ name: 'v', image: {} }] } } }),
    [],
  ],
  [
    'pod templates',
    object('PodTemplate', { template: { metadata: { labels: { 'a b': '' } } } }),
    ['invalid template.labels', 'required template.spec.containers'],
  ],
  [
    'replication controllers',
    object('ReplicationController', {
      spec: {
        replicas: -1,
        selector: { a: 'b' },
        template: { metadata: { labels: { a: 'c' } }, spec: { restartPolicy: 'Never', containers: [container] } },
      },
    }),
    ['invalid spec.replicas', 'invalid spec.template.metadata.labels', 'unsupported spec.template.spec.restartPolicy'],
  ],
  ['replication controllers without pods', object('ReplicationController'), ['required spec.selector', 'required spec.template']],
];

describe('kinds, pod templates and replication controllers', () => {
  let sample: Sample;
  beforeEach(async () => {
    sample = await createSample();
  });

  for (const [what, wrong, expected] of refused)
    it(`checks ${what}`, async () => {
      expect(await causes(sample.create(wrong))).to.deep.equal(expected);
    });

  it('takes selector and labels of a replication controller from its pods', async () => {
    const created = await sample.create(
      object('ReplicationController', { spec: { template: { metadata: { labels: { a: 'b' } }, spec: { containers: [container] } } } }),
    );
    expect([
      created.metadata.labels,
      (created['spec'] as JsonObject)['selector'],
      (created['spec'] as JsonObject)['replicas'],
      created['status'],
    ]).to.deep.equal([{ a: 'b' }, { a: 'b' }, 1, { replicas: 0 }]);
  });
});
