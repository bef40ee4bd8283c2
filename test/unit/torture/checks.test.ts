import { expect } from 'chai';
import { checkBounds } from '../../torture/checks/bounds.js';
import { checkAcknowledged } from '../../torture/checks/durability.js';
import { findingsShownMax, limited } from '../../torture/checks/finding.js';
import { checkReplicas } from '../../torture/checks/replicas.js';
import { checkPastReads, type PastRead } from '../../torture/checks/compaction.js';
import { checkSessions, type Sighting } from '../../torture/checks/sessions.js';
import { checkLists, type ListedState } from '../../torture/checks/snapshots.js';
import { allChanges, checkWatches, uncovered, type ShownChange, type WatchHistory } from '../../torture/checks/watchPromises.js';
import { checkProgress, type Progress } from '../../torture/comparer.js';

const change = (version: number, key = 'k', type = 'MODIFIED'): ShownChange => ({
  type,
  key,
  version,
  halves: [`v${version}`, `v${version}`],
});
const history: WatchHistory = {
  watcher: 'w',
  from: 1,
  changes: [change(2), change(3), change(5)],
  bookmarks: [{ version: 4, after: 2 }],
  expired: [],
};
const promises = (planted: Partial<WatchHistory>, others: readonly WatchHistory[] = []): string[] =>
  checkWatches([{ ...history, ...planted }, ...others], []).map(({ promise }) => promise);

describe('torture/watchPromises', () => {
  it('takes watches that agree, of which one began later and one knows less yet', () => {
    const later = { ...history, watcher: 'x', from: 2, changes: [change(3), change(5)], bookmarks: [] };
    const behind = { ...history, watcher: 'y', changes: [change(2)], bookmarks: [] };
    expect(checkWatches([history, later, behind], [{ key: 'k', value: 'v3', version: 3 }])).to.deep.equal([]);
  });

  it('notices each broken promise', () => {
    expect(promises({ changes: [change(3), change(2), change(5)], bookmarks: [] }), 'order').to.deep.equal(['watch is ordered']);
    expect(promises({ changes: [change(2), change(3), change(3), change(5)], bookmarks: [] }), 'twice').to.deep.equal(['watch is unique']);
    expect(promises({ changes: [change(2), { ...change(3), halves: ['a', 'b'] }, change(5)] }), 'half').to.deep.equal(['watch is atomic']);
    expect(promises({ from: 2, bookmarks: [] }), 'what the list before it showed').to.deep.equal(['watch is ordered']);
    expect(promises({ expired: ['500'] }), 'ended for no reason').to.deep.equal(['watch is resumable']);
    expect(promises({ bookmarks: [{ version: 5, after: 2 }] }), 'early bookmark').to.deep.equal(['watch is bookmarkable']);
  });

  it('notices a change that others saw, or that was acknowledged, and this watch skipped', () => {
    const gap = { changes: [change(2), change(5)], bookmarks: [] };
    expect(promises(gap, [{ ...history, watcher: 'x' }])).to.deep.equal(['watch is reliable']);
    expect(checkWatches([{ ...history, ...gap }], [{ key: 'k', value: 'v3', version: 3 }]).map(({ promise }) => promise)).to.deep.equal([
      'watch is reliable',
    ]);
    expect(
      promises({ changes: [change(2)], bookmarks: [{ version: 4, after: 1 }] }, [{ ...history, watcher: 'x' }]),
      'bookmarked past it',
    ).to.deep.equal(['watch is reliable']);
  });
});

describe('torture/compaction', () => {
  const read = (planted: Partial<PastRead>): number =>
    checkPastReads([{ who: 'c', what: 'watch', version: 10, outcome: 'expired', goneBefore: null, goneAfter: 11, ...planted }]).length;

  it('notices 410 for what was not compacted', () => {
    expect(read({})).to.equal(0);
    expect(read({ goneAfter: null }), 'nobody knows').to.equal(0);
    for (const goneAfter of [10, 9, 0]) expect(read({ goneAfter })).to.equal(1);
  });

  it('notices exact reads and pages of what was compacted', () => {
    for (const what of ['exact list', 'next page'] as const) {
      expect(read({ what, outcome: 'served', goneBefore: 11 })).to.equal(1);
      expect(read({ what, outcome: 'served', goneBefore: 10 })).to.equal(0);
      expect(read({ what, outcome: 'served', goneBefore: null })).to.equal(0);
    }
    expect(read({ outcome: 'served', goneBefore: 11 }), 'a watch that misses nothing may be served').to.equal(0);
  });
});

describe('torture/snapshots', () => {
  const shown = [change(2, 'a', 'ADDED'), change(3, 'b', 'ADDED'), change(4, 'a'), change(5, 'b', 'DELETED')];
  const list = (version: number, ...versions: [string, number][]): ListedState => ({
    client: 'c',
    what: 'list',
    version,
    items: new Map(versions.map(([key, of]) => [key, { version: of, value: `v${of}` }])),
  });

  it('takes lists that show what was there at their version', () => {
    expect(checkLists([list(5, ['a', 4]), list(2, ['a', 2]), list(1), list(3, ['a', 2], ['b', 3])], shown, 5)).to.deep.equal([]);
  });

  it('notices a list, or pages, that mix versions, lack something, or show what is gone', () => {
    for (const wrong of [list(3, ['a', 4], ['b', 3]), list(4, ['a', 4]), list(5, ['a', 4], ['b', 3]), list(4, ['a', 2], ['b', 3])])
      expect(checkLists([wrong], shown, 5)).to.have.length(1);
    expect(checkLists([list(3)], shown, 2), 'nobody knows what was there').to.deep.equal([]);
  });
});

describe('torture/history', () => {
  const watch = (from: number, ...changes: ShownChange[]): WatchHistory => ({ watcher: 'w', from, changes, bookmarks: [], expired: [] });

  it('finds the versions that no watch covers', () => {
    const watches = [watch(6, change(8)), watch(1, change(2), change(4)), watch(3, change(4))];
    expect(uncovered(watches, 1, 10)).to.deep.equal([
      { after: 4, upTo: 6 },
      { after: 8, upTo: 10 },
    ]);
    expect(uncovered([...watches, watch(4, change(10))], 1, 10)).to.deep.equal([]);
    expect(allChanges(watches).map(({ version }) => version)).to.deep.equal([2, 4, 8]);
  });
});

describe('torture/durability', () => {
  const shown = [change(2, 'a', 'ADDED'), change(3, 'b', 'ADDED'), change(4, 'a'), change(5, 'b', 'DELETED')];
  const final = new Map([['a', { version: 4, value: 'v4' }]]);

  it('takes a history that has every acknowledged write and leads to the end', () => {
    expect(
      checkAcknowledged(
        [
          { key: 'a', value: 'v2', version: 2 },
          { key: 'b', value: 'v3', version: 3 },
        ],
        shown,
        final,
      ),
    ).to.deep.equal([]);
  });

  it('notices a write that was acknowledged and is nowhere, or is there with another value', () => {
    expect(checkAcknowledged([{ key: 'a', value: 'v9', version: 9 }], shown, final)).to.have.length(1);
    expect(checkAcknowledged([{ key: 'a', value: 'other', version: 2 }], shown, final)).to.have.length(1);
  });

  it('notices an end to which the history does not lead', () => {
    expect(checkAcknowledged([], shown, new Map())).to.have.length(1);
    expect(checkAcknowledged([], shown, new Map([...final, ['b', { version: 3, value: 'v3' }]]))).to.have.length(1);
    expect(checkAcknowledged([], shown, new Map([['a', { version: 2, value: 'v2' }]]))).to.have.length(1);
  });
});

describe('torture/replicas, sessions, bounds', () => {
  it('notices replicas that differ at one revision, and only those', () => {
    const equal = [
      { replica: 'a', revision: 7, sha256: 'x' },
      { replica: 'b', revision: 7, sha256: 'x' },
      { replica: 'b', revision: 8, sha256: 'y' },
    ];
    expect(checkReplicas(equal)).to.deep.equal([]);
    expect(checkReplicas([...equal, { replica: 'c', revision: 7, sha256: 'z' }])).to.have.length(1);
  });

  it('notices a revision that goes back for one client, or from one client to another that asked later', () => {
    const reported = (client: string, revision: number, startMs: number, endMs: number): Sighting => ({
      client,
      revision,
      from: 'list',
      startMs,
      endMs,
    });
    const sightings = [reported('a', 5, 0, 10), reported('b', 3, 5, 20), reported('a', 5, 10, 30), reported('c', 6, 20, 40)];
    expect(checkSessions(sightings)).to.deep.equal([]);
    expect(checkSessions([...sightings, reported('a', 4, 31, 35)]), 'itself').to.have.length(1);
    expect(checkSessions([...sightings, reported('b', 5, 41, 50)]), 'another').to.have.length(1);
    expect(checkSessions([...sightings, reported('b', 5, 39, 50)]), 'at the same time').to.deep.equal([]);
  });

  it('notices a process that undoes what it applied, but not one that was started again', () => {
    const of = (process: string, appliedIndex: number, revision = 9, compactedRevision = 3): Progress => ({
      process,
      appliedIndex,
      revision,
      compactedRevision,
    });
    expect(checkProgress([of('a1', 5), of('b1', 7), of('a1', 6), of('a2', 4)])).to.deep.equal([]);
    for (const back of [of('a1', 4), of('a1', 5, 8), of('a1', 5, 9, 2)]) expect(checkProgress([of('a1', 5), back])).to.have.length(1);
  });

  it('notices memory and files beyond their bounds, at their peak', () => {
    const max = { residentBytes: 100, fileBytes: 100 };
    const sample = { process: 'a', residentBytes: 90, fileBytes: 90 };
    expect(checkBounds([sample], max)).to.deep.equal([]);
    expect(checkBounds([sample, { ...sample, residentBytes: 101 }, sample], max).map(({ details }) => details)).to.deep.equal([
      'a: residentBytes reached 101, beyond 100',
    ]);
    expect(checkBounds([{ ...sample, fileBytes: 101 }], max)).to.have.length(1);
  });

  it('shows a few findings of many', () => {
    const many = Array.from({ length: 20 }, (_, n) => ({ promise: 'p', details: String(n) }));
    expect(limited(many)).to.have.length(findingsShownMax + 1);
    expect(limited(many).at(-1)).to.deep.equal({ promise: 'p', details: `and ${20 - findingsShownMax} more` });
  });
});
