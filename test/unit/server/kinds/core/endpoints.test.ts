import { expect } from 'chai';
import type { JsonObject } from '../../../../../api/object.js';
import { object, type Refused } from '../kindSample.js';
import { causes, createSample, type Sample } from '../../registry/sample.js';

const refused: Refused = [
  [
    'addresses of endpoints',
    object('Endpoints', {
      subsets: [{}, { addresses: [{ ip: '127.0.0.1', hostname: 'A' }, { ip: 'x' }], ports: [{ port: 1 }, { port: 0, name: 'b' }] }],
    }),
    [
      'required subsets[0]',
      'invalid subsets[1].addresses[0].hostname',
      'invalid subsets[1].addresses[0].ip',
      'invalid subsets[1].addresses[1].ip',
      'invalid subsets[1].addresses[1].ip',
      'required subsets[1].ports[0].name',
      'invalid subsets[1].ports[1].port',
    ],
  ],
];

describe('kinds, endpoints', () => {
  let sample: Sample;
  beforeEach(async () => {
    sample = await createSample();
  });

  for (const [what, wrong, expected] of refused)
    it(`checks ${what}`, async () => {
      expect(await causes(sample.create(wrong))).to.deep.equal(expected);
    });

  it('keeps the subsets of endpoints as they are written', async () => {
    const subsets = ['192.0.2.2', '192.0.2.1'].map((ip) => ({ addresses: [{ ip }], ports: [{ name: 'x', port: 1, protocol: 'TCP' }] }));
    expect((await sample.create(object('Endpoints', { subsets })))['subsets']).to.deep.equal(subsets);
  });

  it('says when endpoints changed in a time, where they are created', async () => {
    const annotation = 'endpoints.kubernetes.io/last-change-trigger-time';
    const subsets = [{ addresses: [{ ip: '192.0.2.2' }], ports: [{ port: 1 }] }];
    const endpoints = { ...object('Endpoints', { subsets }) };
    const metadata = { ...(endpoints['metadata'] as JsonObject), annotations: { [annotation]: 'date' } };
    expect(await causes(sample.create({ ...endpoints, metadata }))).to.deep.equal([`invalid annotations[${annotation}]`]);
    await sample.create(endpoints);
    const updated = await sample.update(endpoints, (current) => {
      current.metadata.annotations = { [annotation]: 'date' };
    });
    expect(updated.metadata.annotations).to.deep.equal({ [annotation]: 'date' });
  });
});
