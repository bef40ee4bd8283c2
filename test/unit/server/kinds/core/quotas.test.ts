import { expect } from 'chai';
import { changing, object, type Refused } from '../kindSample.js';
import { causes, createSample, type Sample } from '../../registry/sample.js';

const refused: Refused = [
  [
    'limits that contradict each other',
    object('LimitRange', { spec: { limits: [{ type: 'Container', min: { cpu: '3' }, max: { cpu: '2' } }] } }),
    ['invalid spec.limits[0].min[cpu]', 'invalid spec.limits[0].defaultRequest[cpu]', 'invalid spec.limits[0].default[cpu]'],
  ],
  [
    'ratios of limits',
    object('LimitRange', { spec: { limits: [{ type: 'Pod', min: { cpu: '1' }, max: { cpu: '2' }, maxLimitRequestRatio: { cpu: '3' } }] } }),
    ['invalid spec.limits[0].maxLimitRequestRatio[cpu]'],
  ],
  [
    'types of limits',
    object('LimitRange', { spec: { limits: [{ type: 'X' }, { type: 'Pod', default: { cpu: '1' } }, { type: 'PersistentVolumeClaim' }] } }),
    ['invalid spec.limits[0].type', 'forbidden spec.limits[1].default', 'required spec.limits[2].limits'],
  ],
  [
    'names in quotas',
    object('ResourceQuota', { spec: { hard: { x: '1', pods: '500m', cpu: '-1' } } }),
    ['invalid spec.hard[x]', 'invalid spec.hard[x]', 'invalid spec.hard[pods]', 'invalid spec.hard[cpu]'],
  ],
  [
    'scopes of quotas',
    object('ResourceQuota', { spec: { hard: { services: '1' }, scopes: ['BestEffort', 'NotBestEffort', 'X'] } }),
    ['invalid spec.scopes', 'invalid spec.scopes', 'invalid spec.scopes', 'invalid spec.scopes'],
  ],
  [
    'selectors of scopes',
    object('ResourceQuota', {
      spec: {
        hard: { pods: '1' },
        scopeSelector: {
          matchExpressions: [
            { scopeName: 'PriorityClass', operator: 'In' },
            { scopeName: 'BestEffort', operator: 'X' },
          ],
        },
      },
    }),
    [
      'required spec.scopeSelector.matchExpressions.values',
      'invalid spec.scopeSelector.matchExpressions.operator',
      'invalid spec.scopeSelector.matchExpressions.operator',
    ],
  ],
];

describe('kinds, quotas and limit ranges', () => {
  let sample: Sample;
  beforeEach(async () => {
    sample = await createSample();
  });

  for (const [what, wrong, expected] of refused)
    it(`checks ${what}`, async () => {
      expect(await causes(sample.create(wrong))).to.deep.equal(expected);
    });

  it('gives a limit range without a name one', async () => {
    const { metadata } = await sample.create(object('LimitRange', { spec: { limits: [] } }, { name: '' }));
    expect(metadata.name).to.match(/^[0-9a-f]{8}-[0-9a-f-]{27}$/);
  });

  it('keeps scopes', async () => {
    expect(
      await changing(sample, 'ResourceQuota', { spec: { scopes: ['Terminating'] } }, { spec: { scopes: ['NotTerminating'] } }),
    ).to.deep.equal(['invalid spec.scopes']);
  });
});
