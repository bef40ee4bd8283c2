import { expect } from 'chai';
import type { JsonObject } from '../../../../../api/object.js';
import { endpointSlices } from '../../../../../server/kinds/discovery.k8s.io/endpointSlices.js';
import { changing, merge, object, type Refused } from '../kindSample.js';
import { causes, createSample, type Sample } from '../../registry/sample.js';

const refused: Refused = [
  [
    'slices of endpoints',
    object('discovery.k8s.io/v1/EndpointSlice', {
      addressType: 'IPv4',
      endpoints: [{ addresses: ['::2'] }, {}],
      ports: [{ name: 'x' }, { name: 'x', protocol: 'y' }],
    }),
    ['duplicate ports[1].name', 'unsupported ports[1].protocol', 'invalid endpoints[0].addresses', 'required endpoints[1].addresses'],
  ],
  [
    'domain names in slices',
    object('discovery.k8s.io/v1/EndpointSlice', { addressType: 'FQDN', endpoints: [{ addresses: ['com', 'a.b', 'A.b'] }], ports: [] }),
    ['invalid endpoints[0].addresses[0]', 'invalid endpoints[0].addresses[2]'],
  ],
];

describe('kinds, endpoint slices', () => {
  let sample: Sample;
  beforeEach(async () => {
    sample = await createSample();
  });

  for (const [what, wrong, expected] of refused)
    it(`checks ${what}`, async () => {
      expect(await causes(sample.create(wrong))).to.deep.equal(expected);
    });

  it('shows ports without number and name as not set', () => {
    const cell = (ports: JsonObject[]): unknown =>
      endpointSlices.cells?.['Ports']?.({ metadata: {}, ports } as never, { age: () => '' } as never);
    expect([cell([]), cell([{ name: '' }]), cell([{ name: 'a' }, { port: 80 }])]).to.deep.equal(['<unset>', '<unset>', 'a,80']);
  });

  it('counts changes of slices, of their labels too', async () => {
    const slice = object('discovery.k8s.io/v1/EndpointSlice', { addressType: 'IPv4', endpoints: [], ports: [] });
    const generations = [await sample.create(slice)];
    for (const metadata of [{ annotations: { a: 'b' } }, { labels: { a: 'b' } }])
      generations.push(
        await sample.update(slice, (current) => {
          merge(current, { metadata });
        }),
      );
    expect(generations.map(({ metadata }) => metadata.generation)).to.deep.equal([1, 1, 2]);
  });

  it('keeps address families', async () => {
    const content = { addressType: 'IPv4', endpoints: [], ports: [] };
    expect(await changing(sample, 'discovery.k8s.io/v1/EndpointSlice', content, { addressType: 'IPv6' })).to.deep.equal([
      'invalid addressType',
    ]);
  });
});
