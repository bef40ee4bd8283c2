import { expect } from 'chai';
import { changing, object } from '../kindSample.js';
import { causes, createSample, type Sample } from '../../registry/sample.js';

describe('kinds, templates of resource claims', () => {
  let sample: Sample;
  beforeEach(async () => {
    sample = await createSample();
  });

  it('gives claims of a template labels and annotations only', async () => {
    const spec = { spec: { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'c' } }] } } };
    const metadata = { name: 'n', uid: 'u', finalizers: [], deletionGracePeriodSeconds: 0 };
    const kind = 'resource.k8s.io/v1/ResourceClaimTemplate';
    const expected = ['name', 'uID', 'deletionGracePeriodSeconds', 'finalizers'].map((member) => `forbidden spec.metadata.${member}`);
    expect(await causes(sample.create(object(kind, { spec: { ...spec, metadata } })))).to.deep.equal(expected);
    expect(await changing(sample, kind, { spec }, { spec: { metadata } })).to.deep.equal([...expected, 'invalid spec']);
  });
});
