import { expect } from 'chai';
import { changing } from '../kindSample.js';
import { createSample, refusal, type Sample } from '../../registry/sample.js';

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

  it('tells zeros before numbers from other faults in the name of an address', async () => {
    const named = async (name: string): Promise<string> => {
      const parentRef = { resource: 'services', name: 'a' };
      const address = { apiVersion: 'networking.k8s.io/v1', kind: 'IPAddress', metadata: { name }, spec: { parentRef } };
      return (await refusal(sample.create(address))).message.replace(/^.*": /, '');
    };
    expect(await named('01.2.3.4')).to.equal('must not have leading 0s');
    expect(await named('1.2.3')).to.equal('must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)');
  });
});
