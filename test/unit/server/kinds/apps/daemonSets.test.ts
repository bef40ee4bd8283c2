import { expect } from 'chai';
import { changing } from '../kindSample.js';
import { createSample, type Sample } from '../../registry/sample.js';

const container = { name: 'c', image: 'i' };

describe('kinds, daemon sets', () => {
  let sample: Sample;
  beforeEach(async () => {
    sample = await createSample();
  });

  it('checks an updated daemon set once', async () => {
    const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [container] } };
    expect(
      await changing(
        sample,
        'apps/v1/DaemonSet',
        { spec: { selector: { matchLabels: { a: 'b' } }, template } },
        { spec: { selector: { matchLabels: { a: 'c' } } } },
      ),
    ).to.deep.equal(['invalid spec.selector', 'invalid spec.template.metadata.labels']);
  });
});
