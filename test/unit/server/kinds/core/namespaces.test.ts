import { expect } from 'chai';
import { merge, object } from '../kindSample.js';
import { createSample, type Sample } from '../../registry/sample.js';

describe('kinds, namespaces', () => {
  let sample: Sample;
  beforeEach(async () => {
    sample = await createSample();
  });

  it('takes a status of a namespace that names no phase for an active one', async () => {
    const namespace = object('Namespace');
    await sample.create(namespace);
    const updated = await sample.update(
      namespace,
      (current) => {
        current['status'] = {};
      },
      'status',
    );
    expect(updated['status']).to.deep.equal({ phase: 'Active' });
  });

  it('lets labels of a namespace change along with its finalizers', async () => {
    const namespace = object('Namespace');
    await sample.create(namespace);
    const updated = await sample.update(
      namespace,
      (current) => {
        merge(current, { metadata: { labels: { a: 'b' } } });
      },
      'finalize',
    );
    expect(updated.metadata.labels).to.include({ a: 'b' });
  });
});
