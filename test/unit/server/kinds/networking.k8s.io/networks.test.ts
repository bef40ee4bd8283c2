import { expect } from 'chai';
import { changing } from '../kindSample.js';
import { createSample, type Sample } from '../../registry/sample.js';

describe('kinds, networks', () => {
  let sample: Sample;
  beforeEach(async () => {
    sample = await createSample();
  });

  it('checks an updated network policy once', async () => {
    expect(
      await changing(
        sample,
        'networking.k8s.io/v1/NetworkPolicy',
        { spec: { podSelector: {} } },
        { spec: { podSelector: { matchLabels: { a: 'bad value!' } } } },
      ),
    ).to.deep.equal(['invalid spec.podSelector.matchLabels']);
  });

  it('checks an updated range of addresses once', async () => {
    expect(
      await changing(sample, 'networking.k8s.io/v1/ServiceCIDR', { spec: { cidrs: ['10.0.0.0/24'] } }, { spec: { cidrs: ['x'] } }),
    ).to.deep.equal(['invalid spec.cidrs[0]']);
  });
});
