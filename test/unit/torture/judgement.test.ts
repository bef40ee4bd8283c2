import { expect } from 'chai';
import { silenceMaxMs, type Sight } from '../../torture/checks/availability.js';
import { judge, type Evidence } from '../../torture/judgement.js';
import { Recorder } from '../../torture/traffic/recorder.js';
import { Segment } from '../../torture/traffic/watcher.js';

const key = 'k0';
const object = (name: string, version: number, value: string): object => ({
  kind: 'ConfigMap',
  apiVersion: 'v1',
  metadata: { name, resourceVersion: String(version), uid: '' },
  data: { left: value, right: value },
});
const looks = (toMs: number): Sight[] =>
  Array.from({ length: toMs / 500 + 1 }, (_, n) => ({
    atMs: n * 500,
    members: [{ id: 'a', start: 1, well: true, votes: 'yes' as const }],
    connected: () => true,
  }));

/** A short round without findings: one object is created, updated and listed. */
function round(planted: Partial<Evidence> = {}, change: (recorder: Recorder) => void = () => undefined): Evidence {
  const recorder = new Recorder();
  recorder.add({ key, client: 'c', startMs: 0, endMs: 5, kind: 'create', value: 'v1', result: 'done', version: 2 });
  recorder.add({ key, client: 'c', startMs: 6, endMs: 9, kind: 'update', value: 'v2', expected: 2, result: 'done', version: 3 });
  recorder.lists.push({ client: 'c', what: 'list', version: 3, items: new Map([[key, { version: 3, value: 'v2' }]]) });
  change(recorder);
  const watch = new Segment('w', 1);
  for (const [version, value] of [
    [2, 'v1'],
    [3, 'v2'],
  ] as const)
    watch.show({ type: 'MODIFIED', object: object(key, version, value) as Parameters<Segment['show']>[0]['object'] });
  return {
    place: { namespace: 'n', keys: [key] },
    recorder,
    watches: [watch],
    sights: looks(1_000),
    crowding: 1,
    threads: 1,
    usage: [],
    comparer: { digests: [], progress: [] },
    faults: new Map([['kill', 1]]),
    pointsMet: new Set(['install.done']),
    from: 1,
    to: 3,
    final: new Map([['a', new Map([[key, { version: 3, value: 'v2' }]])]]),
    ...planted,
  };
}
const promises = (evidence: Evidence): string[] => judge(evidence).findings.map(({ promise }) => promise);

describe('torture/judgement', () => {
  it('finds nothing where all is well, and counts', () => {
    const { findings, figures } = judge(round());
    expect(findings).to.deep.equal([]);
    expect(figures).to.include({ writes: 2, unknown: 0, expired: 0 });
  });

  it('asks every judge', () => {
    expect(promises(round({ final: new Map([['a', new Map()]]) })), 'lost').to.deep.equal(['durability']);
    expect(
      promises(round({}, ({ lists }) => lists.push({ client: 'c', what: 'list', version: 3, items: new Map() }))),
      'list',
    ).to.deep.equal(['lists are of one version']);
    expect(
      promises(
        round({}, (recorder) => {
          recorder.add({ key, client: 'd', startMs: 20, endMs: 30, kind: 'read', result: 'found', value: 'v1', version: 2 });
        }),
      ),
      'stale',
    ).to.deep.equal(['linearizability']);
    expect(
      promises(
        round({
          comparer: {
            digests: [
              { replica: 'a', revision: 3, sha256: 'x' },
              { replica: 'b', revision: 3, sha256: 'y' },
            ],
            progress: [],
          },
        }),
      ),
      'replicas',
    ).to.deep.equal(['equal replicas']);
    expect(
      promises(
        round({}, ({ pastReads }) =>
          pastReads.push({ who: 'c', what: 'watch', version: 3, outcome: 'expired', goneBefore: null, goneAfter: 2 }),
        ),
      ),
    ).to.deep.equal(['compaction']);
    expect(promises(round({ usage: [{ process: 'a', residentBytes: 2 ** 32, fileBytes: 0 }] }))).to.deep.equal(['bounds']);
    const usage = [{ process: 'a', residentBytes: 440 << 20, fileBytes: 0 }];
    expect([1, 3].map((threads) => promises(round({ usage, threads })))).to.deep.equal([['bounds'], []]);
    expect(promises(round({ sights: looks(silenceMaxMs + 1_000) }))).to.deep.equal(['availability']);
  });

  it('gives a crowded machine more time', () => {
    expect(promises(round({ sights: looks(silenceMaxMs + 1_000), crowding: 2 }))).to.deep.equal([]);
    expect(promises(round({ sights: looks(2 * silenceMaxMs + 2_000), crowding: 2 }))).to.deep.equal(['availability']);
  });

  it('judges what came after a time in which nobody watched', () => {
    const late = new Segment('w', 2);
    late.show({ type: 'MODIFIED', object: object(key, 3, 'v2') as Parameters<Segment['show']>[0]['object'] });
    expect(promises(round({ watches: [late] }))).to.deep.equal([]);
    expect(promises(round({ watches: [late], final: new Map([['a', new Map([[key, { version: 4, value: 'v3' }]])]]) }))).to.deep.equal([
      'durability',
    ]);
  });
});
