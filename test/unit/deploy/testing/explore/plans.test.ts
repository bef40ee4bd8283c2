import { expect } from 'chai';
import { readCall } from '../../../../../deploy/testing/explore/call.js';
import {
  deletionsOf,
  furtherDeletions,
  overwritten,
  panicIn,
  vainWrites,
  wrongGenerations,
} from '../../../../../deploy/testing/explore/judgement.js';
import { planText, type Plan } from '../../../../../deploy/testing/explore/perturbation.js';
import { plansFor, stableEntries } from '../../../../../deploy/testing/explore/plans.js';
import type { KubeObject } from '../../../../../api/meta/object.js';
import type { WatchEvent } from '../../../../../deploy/testing/explore/events.js';
import { Recorder, startupOf, type Entry } from '../../../../../deploy/testing/explore/record.js';

function recorded(...requests: readonly (readonly [string, string, unknown?])[]): readonly Entry[] {
  const recorder = new Recorder();
  for (const [method, url, body] of requests) recorder.end(recorder.begin(readCall(method, url, body)!, 0), 200);
  return recorder.entries;
}
const maps = '/api/v1/namespaces/a/configmaps';
const list = ['GET', maps] as const;
const create = ['POST', maps, { metadata: { name: 'x' } }] as const;
const update = ['PUT', `${maps}/x`, { metadata: {} }] as const;

describe('testing/explore/plans', () => {
  it('counts requests that read alike, and knows generated names again', () => {
    const recorder = new Recorder();
    recorder.generated('p-abcde', 'p-*');
    const first = recorder.begin(readCall('DELETE', `${maps}/p-abcde`, null)!, 0);
    const second = recorder.begin(readCall('DELETE', `${maps}/p-abcde`, null)!, 0);
    expect([first.place, second.place]).to.deep.equal([
      { call: 'delete configmaps a/p-*', nth: 1 },
      { call: 'delete configmaps a/p-*', nth: 2 },
    ]);
    expect(recorder.isPending).to.equal(true);
  });

  it('plans only for requests that come in every undisturbed run', () => {
    const stable = stableEntries([recorded(list, create, update, update), recorded(update, list, create)]);
    expect(stable.map(({ place }) => `${place.call} ${place.nth}`)).to.deep.equal([
      'list configmaps a/ 1',
      'create configmaps a/x 1',
      'update configmaps a/x 1',
    ]);
  });

  it('crashes before and after every write, loses its answer, refuses everything, and meets updates with conflicts', () => {
    const plans = plansFor(recorded(list, create, update)).map(planText);
    expect(plans).to.include.members([
      'crash after "create configmaps a/x" is carried out, before its answer',
      'crash before "create configmaps a/x" is carried out',
      '"create configmaps a/x" is carried out, and the connection breaks before the answer',
      '"create configmaps a/x" is carried out, and the answer is 504, a time-out',
      '"list configmaps a/" is refused with 500',
      '"update configmaps a/x" is refused with 429',
      '"update configmaps a/x" is refused with 503',
      'somebody else changes the object just before "update configmaps a/x"',
    ]);
    expect(plans.filter((plan) => plan.includes('somebody else'))).to.have.length(1);
    expect(plans.filter((plan) => plan.includes('list')).every((plan) => plan.includes('refused'))).to.equal(true);
  });

  it('lets kinds of plans take turns, those first that find most', () => {
    const record = recorded(create, create, create, update, update);
    const change: Plan = { kind: 'change', object: 'x', edits: [{ path: ['spec'], value: 1 }] };
    const plans = plansFor(record, { changes: [change, change] });
    const turn = ['change', 'crash', 'lostAnswer', 'foreignWrite', 'past'];
    expect(plans.slice(0, 9).map(({ kind }) => kind)).to.deep.equal([...turn, ...turn.slice(0, 4)]);
    const last = plans.findLastIndex(({ kind }) => kind === 'past');
    expect(plans.findIndex(({ kind }) => kind === 'lateWrite')).to.equal(last + 1);
  });

  it('makes the same plans in another order with a seed, and the same order with the same', () => {
    const record = recorded(list, create, update, update, create);
    const sorted = (seed: number): string[] => plansFor(record, { seed }).map(planText).sort();
    expect(sorted(7)).to.deep.equal(sorted(0));
    expect(plansFor(record, { seed: 7 })).to.deep.equal(plansFor(record, { seed: 7 }));
    expect(plansFor(record, { seed: 7 })).not.to.deep.equal(plansFor(record));
  });

  it('holds events from the first of each resource in a step, and refuses updates with conflicts', () => {
    const recorder = new Recorder();
    const watch = readCall('GET', `${maps}?watch=true`, null)!;
    const event = (name: string): WatchEvent => ({ type: 'ADDED', object: { metadata: { name, namespace: 'a' } } as KubeObject });
    recorder.see(watch, event('before'), 0);
    recorder.step = 1;
    for (const name of ['x', 'y']) recorder.see(watch, event(name), 0);
    recorder.end(recorder.begin(readCall(...update)!, 0), 200);
    const plans = plansFor(recorder.entries).map(planText);
    expect(plans.filter((plan) => plan.includes('see '))).to.deep.equal([
      'states are missed, from "see ADDED configmaps a/x" on',
      'events are late, from "see ADDED configmaps a/x" on',
      'the watch ends with 410 instead of "see ADDED configmaps a/x"',
    ]);
    expect(plans).to.include.members([
      '"update configmaps a/x" is refused with 409',
      'crash after "update configmaps a/x"; the new start reads what was before it',
      'crash before "update configmaps a/x", which arrives after the work of the new start',
    ]);
  });

  it('lets a start at the rest of a later step see the step before, in all resources or in those that the scenario writes', () => {
    const recorder = new Recorder();
    const seen = (resource: string, kind: string): void => {
      const object = { apiVersion: 'v1', kind, metadata: { name: 'x', namespace: 'a' } } as KubeObject;
      recorder.see(readCall('GET', `/api/v1/namespaces/a/${resource}?watch=true`, null)!, { type: 'ADDED', object }, 0);
    };
    for (const step of [1, 2, 3]) {
      recorder.step = step;
      seen('secrets', 'Secret');
      seen('pods', 'Pod');
      for (const [method, url, body] of [create, update, [...list, null] as const])
        recorder.end(recorder.begin(readCall(method, url, body)!, 0), 200);
      seen('configmaps', 'ConfigMap');
    }
    const plans = plansFor(recorder.entries, { written: new Set(['Secret', 'Pod']) }).filter(
      (plan) => plan.kind === 'past' && plan.from !== undefined,
    );
    const views = ['before the first write of the step before', 'at rest before the step'];
    expect(plans.map(planText)).to.deep.equal(
      [2, 3].flatMap((step) =>
        views.flatMap((view) =>
          ['', ', but only of pods, secrets'].map(
            (only) => `crash after "rest of step ${step}"; the new start reads what was ${view}${only}`,
          ),
        ),
      ),
    );
  });

  it('sees deletions that succeed more often than in any undisturbed run', () => {
    const deletion = ['DELETE', `${maps}/x`, null] as const;
    const failed = new Recorder();
    failed.end(failed.begin(readCall(...deletion)!, 0), 404);
    const usual = deletionsOf([recorded(deletion), recorded(), failed.entries]);
    expect([...usual]).to.deep.equal([['delete configmaps a/x', [1]]]);
    expect(furtherDeletions(recorded(deletion), usual)).to.equal(null);
    expect(furtherDeletions([...recorded(deletion), ...failed.entries], usual)).to.equal(null);
    expect(furtherDeletions(recorded(deletion, deletion), usual)?.details).to.deep.equal([
      '"delete configmaps a/x" is done 2 times by the end of step 0, and 1 times undisturbed',
    ]);
  });

  it('counts deletions by steps, and once for each object', () => {
    const run = (...deleted: readonly (readonly [step: number, uid: string])[]): readonly Entry[] => {
      const recorder = new Recorder();
      for (const [step, uid] of deleted) {
        recorder.step = step;
        const entry = recorder.begin(readCall('DELETE', `${maps}/x`, null)!, 0);
        entry.deleted = uid;
        recorder.end(entry, 200);
      }
      return recorder.entries;
    };
    const usual = deletionsOf([run([2, 'a'], [2, 'a'], [4, 'b']), run([4, 'a'])]);
    expect([...usual]).to.deep.equal([['delete configmaps a/x', [0, 0, 1, 1, 2]]]);
    expect(furtherDeletions(run([2, 'a'], [2, 'a'], [2, 'a']), usual), 'repeated').to.equal(null);
    expect(furtherDeletions(run([3, 'a'], [4, 'b'], [5, 'b']), usual), 'later').to.equal(null);
    expect(furtherDeletions(run([2, 'a'], [3, 'b'], [4, 'b']), usual)?.details).to.deep.equal([
      '"delete configmaps a/x" is done 2 times by the end of step 3, and 1 times undisturbed',
    ]);
  });

  it('sees fights, and writes that change nothing', () => {
    const writes = (count: number, version: (index: number) => string): readonly Entry[] => {
      const recorder = new Recorder();
      for (let index = 0; index < count; index++)
        recorder.begin(readCall(...update)!, 0).outcome = { uid: 'u', version: version(index), content: 'c' };
      return recorder.entries;
    };
    expect(vainWrites(writes(4, String)).map(({ judgement }) => judgement)).to.deep.equal(['fights']);
    expect(vainWrites(writes(3, String))).to.deep.equal([]);
    expect(vainWrites(writes(11, () => '1')).map(({ judgement }) => judgement)).to.deep.equal(['idleWrites']);
    expect(vainWrites(writes(10, () => '1'))).to.deep.equal([]);
  });

  it('sees what was written over', () => {
    const map = (annotations?: object): never => ({ kind: 'ConfigMap', metadata: { name: 'x', uid: 'u', annotations } }) as never;
    expect(overwritten([map()], new Set(['u']))?.judgement).to.equal('overwrites');
    expect(overwritten([map({ 'explore.raftplane.dev/foreign': 'was here' })], new Set(['u']))).to.equal(null);
    expect(overwritten([map()], new Set(['v']))).to.equal(null);
  });

  it('takes for the start what every undisturbed start reads', () => {
    expect([...startupOf([recorded(list, create), recorded(list, ['GET', `${maps}/x`])])]).to.deep.equal(['list configmaps a/']);
  });

  it('judges generations and outputs', () => {
    const site = (observedGeneration: number): object => ({
      kind: 'Site',
      metadata: { name: 'x', generation: 3 },
      status: { observedGeneration },
    });
    expect(wrongGenerations([site(3) as never])).to.equal(null);
    expect(wrongGenerations([site(4) as never, site(2) as never])?.details).to.have.length(2);
    expect(panicIn('all is well: no panic: at all')).to.equal(null);
    for (const output of [
      'x\npanic: nil map\n',
      'goroutine 1 [running]:',
      'Traceback (most recent call last):\n',
      "thread 'main' panicked at src",
      'Error: x\n    at y\n\nNode.js v22.12.0\n',
      'Exception in thread "main" x',
    ])
      expect(panicIn(output)?.judgement, output).to.equal('panic');
  });
});
