import { expect } from 'chai';
import { checkBounds } from '../../torture/checks/bounds.js';
import { checkAcknowledged } from '../../torture/checks/durability.js';
import { findingsShownMax, limited } from '../../torture/checks/finding.js';
import { checkReplicas } from '../../torture/checks/replicas.js';
import { checkSessions } from '../../torture/checks/sessions.js';
import { checkWatches, type ShownChange, type WatchHistory } from '../../torture/checks/watchPromises.js';

const change = (version: number, key = 'k', type = 'MODIFIED'): ShownChange => ({ type, key, version, halves: [`v${version}`, `v${version}`] });
const history: WatchHistory = { watcher: 'w', from: 1, changes: [change(2), change(3), change(5)], bookmarks: [{ version: 4, after: 2 }], expired: [] };
const promises = (planted: Partial<WatchHistory>, others: readonly WatchHistory[] = []): string[] => checkWatches([{ ...history, ...planted }, ...others], []).map(({ promise }) => promise);

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
    expect(promises({ expired: ['410'] }), 'sent back').to.deep.equal(['watch is resumable']);
    expect(promises({ bookmarks: [{ version: 5, after: 2 }] }), 'early bookmark').to.deep.equal(['watch is bookmarkable']);
  });

  it('notices a change that others saw, or that was acknowledged, and this watch skipped', () => {
    const gap = { changes: [change(2), change(5)], bookmarks: [] };
    expect(promises(gap, [{ ...history, watcher: 'x' }])).to.deep.equal(['watch is reliable']);
    expect(checkWatches([{ ...history, ...gap }], [{ key: 'k', value: 'v3', version: 3 }]).map(({ promise }) => promise)).to.deep.equal(['watch is reliable']);
    expect(promises({ changes: [change(2)], bookmarks: [{ version: 4, after: 1 }] }, [{ ...history, watcher: 'x' }]), 'bookmarked past it').to.deep.equal(['watch is reliable']);
  });
});

describe('torture/durability', () => {
  const shown = [change(2, 'a', 'ADDED'), change(3, 'b', 'ADDED'), change(4, 'a'), change(5, 'b', 'DELETED')];
  const final = new Map([['a', { version: 4, value: 'v4' }]]);

  it('takes a history that has every acknowledged write and leads to the end', () => {
    expect(checkAcknowledged([{ key: 'a', value: 'v2', version: 2 }, { key: 'b', value: 'v3', version: 3 }], shown, final)).to.deep.equal([]);
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
    const equal = [{ replica: 'a', revision: 7, sha256: 'x' }, { replica: 'b', revision: 7, sha256: 'x' }, { replica: 'b', revision: 8, sha256: 'y' }];
    expect(checkReplicas(equal)).to.deep.equal([]);
    expect(checkReplicas([...equal, { replica: 'c', revision: 7, sha256: 'z' }])).to.have.length(1);
  });

  it('notices a revision that goes back for one client, not between clients', () => {
    const sightings = [{ client: 'a', revision: 5, from: 'list' }, { client: 'b', revision: 3, from: 'list' }, { client: 'a', revision: 5, from: 'list' }];
    expect(checkSessions(sightings)).to.deep.equal([]);
    expect(checkSessions([...sightings, { client: 'a', revision: 4, from: 'list' }])).to.have.length(1);
  });

  it('notices memory and files beyond their bounds, at their peak', () => {
    const max = { residentBytes: 100, fileBytes: 100 };
    const sample = { process: 'a', residentBytes: 90, fileBytes: 90 };
    expect(checkBounds([sample], max)).to.deep.equal([]);
    expect(checkBounds([sample, { ...sample, residentBytes: 101 }, sample], max).map(({ details }) => details)).to.deep.equal(['a: residentBytes reached 101, beyond 100']);
    expect(checkBounds([{ ...sample, fileBytes: 101 }], max)).to.have.length(1);
  });

  it('shows a few findings of many', () => {
    const many = Array.from({ length: 20 }, (_, n) => ({ promise: 'p', details: String(n) }));
    expect(limited(many)).to.have.length(findingsShownMax + 1);
    expect(limited(many).at(-1)).to.deep.equal({ promise: 'p', details: `and ${20 - findingsShownMax} more` });
  });
});
