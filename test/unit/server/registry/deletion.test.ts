import { expect } from 'chai';
import type { ApiObject } from '../../../../api/object.js';
import { timeText } from '../../../../api/time.js';
import { completesDeletion, noDeleteOptions, planDeletion } from '../../../../server/registry/deletion.js';
import { namespaces } from '../../../../server/kinds/core/namespaces.js';
import type { DeleteRules } from '../../../../server/registry/rules.js';
import { wholeStrategy } from '../../../../server/registry/wholeStrategy.js';

const now = '2024-05-01T10:00:00Z';
/** The plan for a kind with these rules. */
const deleting = (rules: DeleteRules = {}): Parameters<typeof planDeletion>[2] =>
  wholeStrategy({ delete: rules }, { group: '', version: 'v1', kind: 'Sample', namespaced: true, subresources: new Map() }).delete;
const plain = deleting();
const object = (metadata: ApiObject['metadata'] = {}): ApiObject => ({ apiVersion: 'v1', metadata: { name: 'a', ...metadata } });
const marked = (...parameters: Parameters<typeof planDeletion>): ApiObject => {
  const plan = planDeletion(...parameters);
  if (plan.action !== 'mark') throw new Error('expected the object to stay');
  return plan.object;
};

describe('registry/deletion', () => {
  it('removes an object that nothing holds', () => {
    expect(planDeletion(object(), noDeleteOptions, plain, { now })).to.deep.equal({ action: 'remove', marked: null });
  });

  it('marks an object with finalizers, and its generation grows if it has one', () => {
    const { metadata } = marked(object({ finalizers: ['x/y'], generation: 3 }), noDeleteOptions, plain, { now });
    expect(metadata).to.include({ deletionTimestamp: now, deletionGracePeriodSeconds: 0, generation: 4 });
    expect(marked(object({ finalizers: ['x/y'] }), noDeleteOptions, plain, { now }).metadata.generation).to.equal(undefined);
  });

  it('gives an object that finalizers hold a period once more requests come (`markAsDeleting` of registry/generic/registry/store.go)', () => {
    const mark = (each: ApiObject): void => void (each.metadata.deletionTimestamp = now);
    const first = marked(object({ finalizers: ['x/y'] }), noDeleteOptions, deleting({ mark, alwaysMarks: true }), { now });
    expect(first.metadata.deletionGracePeriodSeconds).to.equal(undefined);
    expect(marked(first, noDeleteOptions, deleting({ mark, alwaysMarks: true }), { now }).metadata.deletionGracePeriodSeconds).to.equal(0);
    const held = deleting({ mark, heldBy: () => true });
    expect(marked(first, noDeleteOptions, held, { now }).metadata.deletionGracePeriodSeconds).to.equal(undefined);
  });

  it('turns the propagation policy into a finalizer', () => {
    const wish = (propagationPolicy: 'Orphan' | 'Foreground' | 'Background') => ({ ...noDeleteOptions, propagationPolicy });
    expect(marked(object(), wish('Orphan'), plain, { now }).metadata.finalizers).to.deep.equal(['orphan']);
    expect(marked(object({ finalizers: ['orphan', 'x/y'] }), wish('Foreground'), plain, { now }).metadata.finalizers).to.deep.equal([
      'x/y',
      'foregroundDeletion',
    ]);
    expect(planDeletion(object({ finalizers: ['orphan'] }), wish('Background'), plain, { now }).action).to.equal('remove');
  });

  it('takes no finalizer of a policy where objects own nothing, and drops those that are there', () => {
    const rules = deleting({ propagation: 'none' });
    for (const propagationPolicy of ['Orphan', 'Foreground'] as const)
      expect(planDeletion(object(), { ...noDeleteOptions, propagationPolicy }, rules, { now }).action).to.equal('remove');
    const { metadata } = marked(object({ finalizers: ['orphan', 'x/y'] }), noDeleteOptions, rules, { now });
    expect(metadata.finalizers).to.deep.equal(['x/y']);
  });

  it('uses the default of the kind only where nobody decided before', () => {
    expect(marked(object(), noDeleteOptions, deleting({ propagation: 'orphan' }), { now }).metadata.finalizers).to.deep.equal(['orphan']);
    expect(
      marked(object({ finalizers: ['foregroundDeletion'] }), noDeleteOptions, deleting({ propagation: 'orphan' }), { now }).metadata
        .finalizers,
    ).to.deep.equal(['foregroundDeletion']);
  });

  it('lets a later request only shorten the grace period', () => {
    const graceful = deleting({ graceSeconds: (_, requested) => requested ?? 30 });
    const first = marked(object(), noDeleteOptions, graceful, { now });
    expect(first.metadata).to.include({ deletionTimestamp: '2024-05-01T10:00:30Z', deletionGracePeriodSeconds: 30 });
    expect(marked(first, { ...noDeleteOptions, gracePeriodSeconds: 60 }, graceful, { now }).metadata.deletionGracePeriodSeconds).to.equal(
      30,
    );
    expect(marked(first, { ...noDeleteOptions, gracePeriodSeconds: 5 }, graceful, { now }).metadata).to.include({
      deletionTimestamp: '2024-05-01T10:00:05Z',
      deletionGracePeriodSeconds: 5,
    });
    const atOnce = planDeletion(first, { ...noDeleteOptions, gracePeriodSeconds: 0 }, graceful, { now });
    expect(atOnce.action).to.equal('remove');
    expect(atOnce).to.have.nested.property('marked.metadata.deletionGracePeriodSeconds', 0);
  });

  it('moves no end into the past: what is left then is a second, or nothing where nothing was asked for', () => {
    const graceful = deleting({ graceSeconds: (_, requested) => requested ?? 300 });
    const first = marked(object(), noDeleteOptions, graceful, { now });
    const after = (seconds: number, gracePeriodSeconds: number): ApiObject['metadata'] => {
      const at = { now: timeText(Date.parse(now) + seconds * 1_000) };
      const plan = planDeletion(first, { ...noDeleteOptions, gracePeriodSeconds }, graceful, at);
      return (plan.action === 'mark' ? plan.object : plan.marked)?.metadata ?? {};
    };
    const ends = (deletionTimestamp: string, deletionGracePeriodSeconds: number): object => ({
      deletionTimestamp,
      deletionGracePeriodSeconds,
    });
    expect(after(29, 30)).to.include(ends('2024-05-01T10:00:30Z', 30));
    expect(after(30, 30)).to.include(ends('2024-05-01T10:00:30Z', 1));
    expect(after(100, 30)).to.include(ends('2024-05-01T10:01:40Z', 1));
    expect(after(100, -5)).to.include(ends('2024-05-01T10:01:40Z', 1));
    expect(after(100, 0)).to.include(ends('2024-05-01T10:01:40Z', 0));
    expect(after(400, 30)).to.include(ends('2024-05-01T10:06:40Z', 1));
  });

  it('asks the kind about the first request alone: later ones say themselves what is left', () => {
    const ended = deleting({ graceSeconds: () => 0 });
    const ending = object({ deletionTimestamp: '2024-05-01T10:00:30Z', deletionGracePeriodSeconds: 30 });
    const { metadata } = marked(ending, { ...noDeleteOptions, gracePeriodSeconds: 10 }, ended, { now });
    expect(metadata).to.include({ deletionTimestamp: '2024-05-01T10:00:10Z', deletionGracePeriodSeconds: 10 });
    expect(marked(ending, { ...noDeleteOptions, gracePeriodSeconds: 30 }, ended, { now })).to.deep.equal(ending);
    expect(planDeletion(ending, { ...noDeleteOptions, gracePeriodSeconds: 0 }, ended, { now }).action).to.equal('remove');
    const unlimited = object({ deletionTimestamp: now });
    expect(planDeletion(unlimited, noDeleteOptions, deleting({ graceSeconds: () => 30 }), { now })).to.deep.equal({
      action: 'remove',
      marked: null,
    });
  });

  it('leaves an object within its grace period as it is, finalizers included, unless the period gets shorter', () => {
    const graceful = deleting({ graceSeconds: (_, requested) => requested ?? 30 });
    const ending = object({ deletionTimestamp: '2024-05-01T10:00:30Z', deletionGracePeriodSeconds: 30, finalizers: ['x/y'] });
    const wish = { ...noDeleteOptions, propagationPolicy: 'Foreground' } as const;
    expect(marked(ending, wish, graceful, { now })).to.deep.equal(ending);
    expect(marked(ending, { ...wish, gracePeriodSeconds: 30 }, graceful, { now })).to.deep.equal(ending);
    const { metadata } = marked(ending, { ...wish, gracePeriodSeconds: 10 }, graceful, { now });
    expect(metadata).to.deep.include({ deletionGracePeriodSeconds: 10, finalizers: ['x/y', 'foregroundDeletion'] });
  });

  it('shows the mark of a kind with a grace period even when that is zero', () => {
    const plan = planDeletion(object({ generation: 1 }), noDeleteOptions, deleting({ graceSeconds: () => 0 }), { now });
    expect(plan).to.have.nested.property('marked.metadata.generation', 2);
  });

  it('keeps a namespace until its content is gone', () => {
    const { delete: rules } = wholeStrategy(namespaces, {
      group: '',
      version: 'v1',
      kind: 'Sample',
      namespaced: false,
      subresources: new Map(),
    });
    const active = { ...object(), spec: { finalizers: ['kubernetes'] }, status: { phase: 'Active' } };
    const terminating = marked(active, noDeleteOptions, rules, { now });
    expect(terminating['status']).to.deep.equal({ phase: 'Terminating' });
    expect(terminating.metadata).not.to.have.property('deletionGracePeriodSeconds');
    expect(completesDeletion(terminating, rules)).to.equal(false);
    expect(completesDeletion({ ...terminating, spec: {} }, rules)).to.equal(true);
  });
});
