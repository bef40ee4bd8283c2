import { expect } from 'chai';
import { changing, merge, object, type Refused } from '../kindSample.js';
import { causes, createSample, type Sample } from '../../registry/sample.js';

const refused: Refused = [
  [
    'a range of a node that is there twice, which is of one family',
    object('Node', { spec: { podCIDRs: ['10.1.0.0/24', '10.1.0.0/24'] } }),
    ['invalid spec.podCIDRs'],
  ],
  [
    'ranges of a node of which one cannot be read',
    object('Node', { spec: { podCIDRs: ['10.1.0.0/24', 'x'] } }),
    ['invalid spec.podCIDRs[1]', 'internal spec.podCIDRs', 'invalid spec.podCIDRs'],
  ],
  [
    'features that a node declares, whose names are in order',
    object('Node', { status: { declaredFeatures: ['B', 'A/b', 'A/b', 'x'.repeat(254)] } }),
    ['invalid status.declaredFeatures[1]', 'duplicate status.declaredFeatures[2]', 'invalid status.declaredFeatures[3]'],
  ],
  [
    'taints in an annotation of a node',
    object(
      'Node',
      {},
      { annotations: { 'scheduler.alpha.kubernetes.io/taints': '[{"Key":"k","effect":"X"},{"key":5,"value":true,"effect":null}]' } },
    ),
    [
      'unsupported metadata.annotations.scheduler.alpha.kubernetes.io/taints[0].effect',
      'required metadata.annotations.scheduler.alpha.kubernetes.io/taints[1].effect',
    ],
  ],
  [
    'annotations of nodes that cannot be read',
    object(
      'Node',
      {},
      {
        annotations: { 'scheduler.alpha.kubernetes.io/taints': '["x"]', 'scheduler.alpha.kubernetes.io/preferAvoidPods': '[]' },
      },
    ),
    ['invalid metadata.annotations', 'invalid metadata.annotations.AvoidPods'],
  ],
  [
    'pods that a node avoids',
    object(
      'Node',
      {},
      {
        annotations: {
          'scheduler.alpha.kubernetes.io/preferAvoidPods': JSON.stringify({
            preferAvoidPods: [
              { podSignature: {} },
              { podSignature: { podController: { controller: false } } },
              { podSignature: { podController: { controller: true } } },
            ],
          }),
        },
      },
    ),
    [
      'required metadata.annotations.scheduler.alpha.kubernetes.io/preferAvoidPods[0].PodSignature',
      'invalid metadata.annotations.scheduler.alpha.kubernetes.io/preferAvoidPods[1].PodSignature.PodController',
    ],
  ],
  [
    'taints and ranges of nodes',
    object('Node', { spec: { taints: [{ key: '', effect: 'X' }], podCIDRs: ['10.0.0.1/24', '10.1.0.0/24'] } }),
    [
      'invalid metadata.taints[0].key',
      'invalid metadata.taints[0].key',
      'unsupported metadata.taints[0].effect',
      'invalid spec.podCIDRs[0]',
      'invalid spec.podCIDRs',
    ],
  ],
];

describe('kinds, nodes', () => {
  let sample: Sample;
  beforeEach(async () => {
    sample = await createSample();
  });

  for (const [what, wrong, expected] of refused)
    it(`checks ${what}`, async () => {
      expect(await causes(sample.create(wrong))).to.deep.equal(expected);
    });

  it('keeps no configuration of kubelets and no amounts finer than a thousandth with nodes', async () => {
    const configMap = { name: 'c', namespace: 'default', kubeletConfigKey: 'k' };
    const node = object('Node', {
      spec: { configSource: { configMap } },
      status: { capacity: { cpu: '1.0005' }, config: { assigned: { configMap } } },
    });
    const created = await sample.create(node);
    expect(created['spec']).to.not.have.property('configSource');
    expect(created['status']).to.deep.include({ capacity: { cpu: '1001m' }, allocatable: { cpu: '1001m' } });
    expect(created['status']).to.not.have.property('config');
    const updated = await sample.update(
      node,
      (current) => {
        merge(current, { status: { config: { assigned: { configMap } } } });
      },
      'status',
    );
    expect(updated['status']).to.not.have.property('config');
  });

  it('keeps what a node has been given', async () => {
    expect(
      await changing(
        sample,
        'Node',
        { spec: { podCIDR: '10.1.0.0/24', providerID: 'x' } },
        { spec: { podCIDR: '10.2.0.0/24', providerID: 'y', taints: [{ key: 'k', effect: 'X' }] } },
      ),
    ).to.deep.equal([
      'unsupported metadata.taints[0].effect',
      'forbidden spec.podCIDRs',
      'forbidden spec.providerID',
      'unsupported metadata.taints[0].effect',
    ]);
  });
});
