import { expect } from 'chai';
import type { ApiObject, JsonObject } from '../../../../../api/object.js';
import { ipAddresses } from '../../../../../server/kinds/networking.k8s.io/ipAddresses.js';
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

  it('quotes a list without ranges as it was sent', async () => {
    const range = { apiVersion: 'networking.k8s.io/v1', kind: 'ServiceCIDR', metadata: { name: 'r' }, spec: { cidrs: ['10.0.0.0/24'] } };
    await sample.create(range);
    const changed = async (spec: JsonObject): Promise<string> => {
      const change = (object: ApiObject): void => {
        object['spec'] = spec;
      };
      return (await refusal(sample.update(range, change))).message.replace(/^.*invalid: /, '');
    };
    expect(await changed({ cidrs: [] })).to.equal('spec.cidrs: Invalid value: []: field is immutable');
    expect(await changed({})).to.equal('spec.cidrs: Invalid value: null: field is immutable');
  });

  it('shows the parent of an address with its group, in small letters', () => {
    const cell = (parentRef: JsonObject): unknown =>
      ipAddresses.cells?.['ParentRef']?.({ metadata: {}, spec: { parentRef } } as never, { age: () => '' } as never);
    expect(cell({ resource: 'Gateways', group: 'gateway.networking.k8s.io', namespace: 'n', name: 'A' })).to.equal(
      'gateways.gateway.networking.k8s.io/n/A',
    );
    expect(cell({ resource: 'services', name: 'a' })).to.equal('services/a');
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
