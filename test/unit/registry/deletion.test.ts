import { expect } from 'chai';
import type { ApiObject } from '../../../server/api/object.js';
import { completesDeletion, noDeleteOptions, planDeletion } from '../../../server/registry/deletion.js';
import { namespaces } from '../../../server/kinds/core/namespaces.js';

const now = '2024-05-01T10:00:00Z';
const object = (metadata: ApiObject['metadata'] = {}): ApiObject => ({ apiVersion: 'v1', metadata: { name: 'a', ...metadata } });
const marked = (...parameters: Parameters<typeof planDeletion>): ApiObject => {
  const plan = planDeletion(...parameters);
  if (plan.action !== 'mark') throw new Error('expected the object to stay');
  return plan.object;
};

describe('registry/deletion', () => {
  it('removes an object that nothing holds', () => {
    expect(planDeletion(object(), noDeleteOptions, {}, now)).to.deep.equal({ action: 'remove', marked: null });
  });

  it('marks an object with finalizers, and its generation grows if it has one', () => {
    const { metadata } = marked(object({ finalizers: ['x/y'], generation: 3 }), noDeleteOptions, {}, now);
    expect(metadata).to.include({ deletionTimestamp: now, deletionGracePeriodSeconds: 0, generation: 4 });
    expect(marked(object({ finalizers: ['x/y'] }), noDeleteOptions, {}, now).metadata.generation).to.equal(undefined);
  });

  it('turns the propagation policy into a finalizer', () => {
    const wish = (propagationPolicy: 'Orphan' | 'Foreground' | 'Background') => ({ ...noDeleteOptions, propagationPolicy });
    expect(marked(object(), wish('Orphan'), {}, now).metadata.finalizers).to.deep.equal(['orphan']);
    expect(marked(object({ finalizers: ['orphan', 'x/y'] }), wish('Foreground'), {}, now).metadata.finalizers).to.deep.equal([
      'x/y',
      'foregroundDeletion',
    ]);
    expect(planDeletion(object({ finalizers: ['orphan'] }), wish('Background'), {}, now).action).to.equal('remove');
  });

  it('uses the default of the kind only where nobody decided before', () => {
    expect(marked(object(), noDeleteOptions, { delete: { propagation: 'orphan' } }, now).metadata.finalizers).to.deep.equal(['orphan']);
    expect(
      marked(object({ finalizers: ['foregroundDeletion'] }), noDeleteOptions, { delete: { propagation: 'orphan' } }, now).metadata
        .finalizers,
    ).to.deep.equal(['foregroundDeletion']);
  });

  it('lets a later request only shorten the grace period', () => {
    const graceful = { delete: { graceSeconds: (_: ApiObject, requested: number | null): number => requested ?? 30 } };
    const first = marked(object(), noDeleteOptions, graceful, now);
    expect(first.metadata).to.include({ deletionTimestamp: '2024-05-01T10:00:30Z', deletionGracePeriodSeconds: 30 });
    expect(marked(first, { ...noDeleteOptions, gracePeriodSeconds: 60 }, graceful, now).metadata.deletionGracePeriodSeconds).to.equal(30);
    expect(marked(first, { ...noDeleteOptions, gracePeriodSeconds: 5 }, graceful, now).metadata).to.include({
      deletionTimestamp: '2024-05-01T10:00:05Z',
      deletionGracePeriodSeconds: 5,
    });
    expect(planDeletion(first, { ...noDeleteOptions, gracePeriodSeconds: 0 }, graceful, now).action).to.equal('remove');
  });

  it('shows the mark of a kind with a grace period even when that is zero', () => {
    const plan = planDeletion(object({ generation: 1 }), noDeleteOptions, { delete: { graceSeconds: () => 0 } }, now);
    expect(plan).to.have.nested.property('marked.metadata.generation', 2);
  });

  it('keeps a namespace until its content is gone', () => {
    const active = { ...object(), spec: { finalizers: ['kubernetes'] }, status: { phase: 'Active' } };
    const terminating = marked(active, noDeleteOptions, namespaces, now);
    expect(terminating['status']).to.deep.equal({ phase: 'Terminating' });
    expect(terminating.metadata).not.to.have.property('deletionGracePeriodSeconds');
    expect(completesDeletion(terminating, namespaces)).to.equal(false);
    expect(completesDeletion({ ...terminating, spec: {} }, namespaces)).to.equal(true);
  });
});
