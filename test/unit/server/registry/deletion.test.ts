import { expect } from 'chai';
import type { ApiObject } from '../../../../api/object.js';
import { timeText } from '../../../../api/time.js';
import {
  completesDeletion,
  deletionWarnings,
  noDeleteOptions,
  planDeletion,
  preconditionProblem,
} from '../../../../server/registry/deletion.js';
import { namespaces } from '../../../../server/kinds/core/namespaces.js';
import type { DeleteRules } from '../../../../server/registry/rules.js';
import { wholeStrategy } from '../../../../server/registry/wholeStrategy.js';

const now = '2024-05-01T10:00:00Z';
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

  it('holds a request to the uid and the version that it names, in the words of the reference', () => {
    const target = { resource: { group: 'g', kind: 'Sample' }, namespace: '', name: 'a' } as unknown as Parameters<
      typeof preconditionProblem
    >[0];
    const stored = { version: 7 } as Parameters<typeof preconditionProblem>[1];
    const problem = (named: { readonly uid?: string; readonly resourceVersion?: string }, metadata = { uid: 'u1' }): string | undefined =>
      preconditionProblem(target, stored, object(metadata), { ...noDeleteOptions, ...named })?.message;
    expect([problem({}), problem({ uid: 'u1' }), problem({ resourceVersion: '7' })]).to.deep.equal([undefined, undefined, undefined]);
    expect(problem({ uid: 'u2', resourceVersion: '6' })).to.contain(
      'the UID in the precondition (u2) does not match the UID in record (u1).',
    );
    expect(problem({ uid: 'u1', resourceVersion: '6' })).to.contain(
      'the ResourceVersion in the precondition (6) does not match the ResourceVersion in record (7).',
    );
    const warned = (propagationPolicy: 'Orphan' | 'Foreground' | null, orphanDependents: boolean | null): readonly string[] =>
      deletionWarnings(
        { behaviour: { strategy: { delete: { warnings: (policy: string | null) => [String(policy)] } } } } as unknown as Parameters<
          typeof deletionWarnings
        >[0],
        { propagationPolicy, orphanDependents },
      );
    expect([warned(null, null), warned(null, true), warned(null, false), warned('Foreground', true)]).to.deep.equal([
      ['null'],
      ['Orphan'],
      ['Background'],
      ['Foreground'],
    ]);
  });

  it('is complete once nobody holds an object on its way out and no time is left', () => {
    const ending = { deletionTimestamp: now, deletionGracePeriodSeconds: 0, finalizers: [] };
    expect(completesDeletion(object(ending), plain)).to.equal(true);
    expect(completesDeletion(object({ deletionTimestamp: now }), plain)).to.equal(true);
    expect(completesDeletion(object(), plain)).to.equal(false);
    expect(completesDeletion(object({ ...ending, deletionGracePeriodSeconds: 1 }), plain)).to.equal(false);
    expect(completesDeletion(object({ ...ending, finalizers: ['x/y'] }), plain)).to.equal(false);
    expect(completesDeletion(object(ending), deleting({ heldBy: () => true }))).to.equal(false);
  });

  it('follows the older form of the policy, which decides alone', () => {
    const wish = (orphanDependents: boolean) => ({ ...noDeleteOptions, orphanDependents, propagationPolicy: 'Foreground' as const });
    expect(marked(object(), wish(true), plain, { now }).metadata.finalizers).to.deep.equal(['orphan']);
    expect(planDeletion(object({ finalizers: ['foregroundDeletion'] }), wish(false), plain, { now }).action).to.equal('remove');
    const kept = object({ finalizers: ['orphan', 'x/y'] });
    expect(marked(kept, wish(true), plain, { now }).metadata.finalizers).to.deep.equal(['orphan', 'x/y']);
    const alone = planDeletion(object({ finalizers: ['x/y'] }), wish(true), plain, { now, collects: false });
    expect(alone).to.have.deep.nested.property('object.metadata.finalizers', ['x/y']);
    expect(planDeletion(object(), wish(true), plain, { now, collects: false }).action).to.equal('remove');
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
