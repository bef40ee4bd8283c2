import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { decodeMembership, emptyMembership } from '../../../../raft/core/membership.js';
import { openLog } from '../../../../raft/log/log.js';
import { Barriers } from '../../../../raft/replica/barriers.js';
import { reconcile } from '../../../../raft/replica/dataDirectory.js';
import { LeaderContactIntervals } from '../../../../raft/replica/leaderContactIntervals.js';
import { tellMissed } from '../../../../raft/replica/missedChanges.js';
import { Trimmer } from '../../../../raft/replica/trimmer.js';
import { encodeProposal } from '../../../../raft/store/command.js';
import { openStore } from '../../../../raft/store/store.js';
import type { Store } from '../../../../raft/store/store.js';
import { logIndex, memberId, revision, term } from '../../../../raft/types.js';
import type { Entry } from '../../../../raft/types.js';

describe('raft/replica/barriers', () => {
  it('shares one read among all that wait, and is reached when its index is applied', () => {
    const barriers = new Barriers(10);
    barriers.add(1, 0, 100);
    barriers.add(2, 0, 100);
    const group = barriers.begin() as number;
    expect(barriers.begin()).to.equal(null);
    barriers.confirmed(group, logIndex(7));
    expect(barriers.reached(logIndex(6))).to.deep.equal([]);
    expect(barriers.reached(logIndex(7))).to.deep.equal([1, 2]);
    expect(barriers.size).to.equal(0);
  });

  it('asks again after a failure, with the next tick, until the time is up', () => {
    const barriers = new Barriers(10);
    barriers.add(1, 0, 100);
    barriers.add(2, 0, 200);
    barriers.failed(barriers.begin() as number);
    expect(barriers.begin()).to.equal(null);
    barriers.tick();
    expect(barriers.expire(100)).to.deep.equal([1]);
    const group = barriers.begin() as number;
    barriers.confirmed(group, logIndex(1));
    expect(barriers.reached(logIndex(1))).to.deep.equal([2]);
  });

  it('lets those go that have waited for long, where it is said since when', () => {
    const barriers = new Barriers(10);
    barriers.add(1, 10, 1_000);
    barriers.add(2, 60, 1_000);
    expect(barriers.expire(100)).to.deep.equal([]);
    expect(barriers.expire(100, 10)).to.deep.equal([1]);
    expect(barriers.expire(100, 60)).to.deep.equal([2]);
    expect(barriers.size).to.equal(0);
  });

  it('takes no more than its bound, and ignores answers to reads that it does not know', () => {
    const barriers = new Barriers(1);
    expect(barriers.add(1, 0, 5)).to.equal(true);
    expect(barriers.add(2, 0, 5)).to.equal(false);
    barriers.confirmed(99, logIndex(1));
    barriers.failed(99);
    expect(barriers.expire(5)).to.deep.equal([1]);
    expect(barriers.size).to.equal(0);
  });
});

describe('raft/replica/leaderContactIntervals', () => {
  it('counts the time between two words of one leader, and not what lies between two leaders', () => {
    const silences = new LeaderContactIntervals();
    for (const at of [1_000, 1_050, 1_100, 1_250]) silences.contact(at);
    silences.changed();
    for (const at of [9_000, 9_060, 17_000]) silences.contact(at);
    const { boundsMs, counts, sumMs, longestMs } = silences.describe();
    const found = counts.map((count, at) => `${count} up to ${boundsMs[at] ?? 'any'}`).filter((text) => !text.startsWith('0'));
    expect([found, sumMs, longestMs]).to.deep.equal([['3 up to 60', '1 up to 200', '1 up to any'], 8_250, 7_940]);
  });
});

describe('raft/replica/trimmer', () => {
  const options = {
    checkpointEntries: 100,
    checkpointBytes: 1_000_000,
    entriesKept: 300,
    bytesKeptMax: 1_000_000,
    bytesHeldMax: 2_000_000,
  };
  const entries = (from: number, to: number, bytes: number): Entry[] =>
    Array.from({ length: to - from + 1 }, (_, at) => ({
      index: logIndex(from + at),
      term: term(1),
      kind: 'command',
      data: Buffer.alloc(bytes),
    }));

  it('asks for a checkpoint after entries or bytes', () => {
    const trimmer = new Trimmer(options);
    trimmer.applied(entries(1, 99, 1));
    expect(trimmer.checkpointIsDue).to.equal(false);
    trimmer.applied(entries(100, 100, 1));
    expect(trimmer.checkpointIsDue).to.equal(true);
    trimmer.cutAfterCheckpoint(logIndex(100), null);
    expect(trimmer.checkpointIsDue).to.equal(false);
    trimmer.applied(entries(101, 101, 1_000_000));
    expect(trimmer.checkpointIsDue).to.equal(true);
  });

  it('keeps entries behind the checkpoint, fewer when they are large, never less than the checkpoint needs', () => {
    const trimmer = new Trimmer(options);
    trimmer.applied(entries(1, 1000, 1));
    expect(trimmer.cutAfterCheckpoint(logIndex(1000), null)).to.equal(700);
    trimmer.applied(entries(1001, 2000, 10_000));
    const cut = trimmer.cutAfterCheckpoint(logIndex(2000), null);
    expect(cut).to.be.greaterThan(1700).and.below(2000);
    expect(trimmer.cutAfterCheckpoint(logIndex(1500), null)).to.be.at.most(1500);
  });

  it('holds what the receiver of a snapshot needs, up to a bound', () => {
    const trimmer = new Trimmer(options);
    trimmer.applied(entries(1, 1000, 1));
    expect(trimmer.cutAfterCheckpoint(logIndex(1000), logIndex(50))).to.equal(50);
    trimmer.applied(entries(1001, 1500, 10_000));
    expect(trimmer.cutAfterCheckpoint(logIndex(1500), logIndex(50))).to.be.greaterThan(1000);
  });
});

describe('raft/replica, store and log after a crash', () => {
  let directory: string;
  const closers: { close(): void }[] = [];
  const members = [{ id: memberId('a'), role: 'voter' as const, address: '127.0.0.1:1' }];
  const store = (): Store => {
    const opened = openStore(join(directory, 'store.db'), { decodeMembership, initialMembership: { ...emptyMembership, members } });
    closers.push(opened);
    return opened;
  };
  const log = (): ReturnType<typeof openLog> => {
    const opened = openLog(join(directory, 'log.db'), { clusterId: 'c', memberId: memberId('a') });
    closers.push(opened);
    return opened;
  };
  const close = (): void => {
    for (const closer of closers.splice(0)) closer.close();
  };
  const puts = (from: number, to: number, inTerm = 1): Entry[] =>
    Array.from({ length: to - from + 1 }, (_, at) => ({
      index: logIndex(from + at),
      term: term(inTerm),
      kind: 'command',
      data: encodeProposal('s', from + at, {
        type: 'transaction',
        transaction: { comparisons: [], operations: [{ type: 'put', key: `/${from + at}`, value: Buffer.of(1) }] },
      }),
    }));
  const hardState = (inTerm: number, commit: number) => ({ term: term(inTerm), vote: null, commit: logIndex(commit) });

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'raft-parts-'));
  });
  afterEach(() => {
    close();
    rmSync(directory, { recursive: true, force: true });
  });

  it('begins the log anew when a snapshot was swapped in and the log not', () => {
    const [ahead, behind] = [store(), log()];
    ahead.apply(puts(1, 9, 3));
    behind.append({ hardState: hardState(2, 2), entries: puts(1, 5, 1) });
    close();
    const [againStore, againLog] = [store(), log()];
    reconcile(againStore, againLog);
    expect([againLog.firstIndex, againLog.lastIndex, againLog.termAt(logIndex(9))]).to.deep.equal([10, 9, 3]);
    expect(againLog.hardState).to.include({ term: 3, commit: 9 });
  });

  it('leaves a log alone that the store can catch up with', () => {
    const [behind, ahead] = [store(), log()];
    behind.apply(puts(1, 3));
    ahead.append({ hardState: hardState(1, 5), entries: puts(1, 5) });
    close();
    const againLog = log();
    reconcile(store(), againLog);
    expect([againLog.firstIndex, againLog.lastIndex]).to.deep.equal([1, 5]);
  });

  it('refuses to go on with one of the two missing, or with a gap between them', () => {
    log().append({ hardState: hardState(1, 5), entries: puts(1, 5) });
    close();
    expect(() => reconcile(store(), log())).to.throw('the store is missing');
    close();
    const written = log();
    written.compactTo(logIndex(4));
    close();
    expect(() => reconcile(store(), log())).to.throw('entries between are lost');
    close();
    store().apply(puts(1, 3));
    close();
    rmSync(join(directory, 'log.db'));
    expect(() => reconcile(store(), log())).to.throw('the Raft log is missing');
  });

  it('after a snapshot: reads missed changes back, page by page, or says that they are lost', () => {
    const restored = store();
    restored.apply(puts(1, 5));
    const reported = (after: number): string[] => {
      const lines: string[] = [];
      tellMissed(restored, revision(after), 1, {
        changes: (changes, through, { compacted }) => {
          lines.push(`${changes.map((change) => `${change.revision} ${change.key}`).join()} through ${through} compacted ${compacted}`);
        },
        gap: (at, { compacted }) => {
          lines.push(`gap to ${at} compacted ${compacted}`);
        },
        log: () => undefined,
      });
      return lines;
    };
    expect(reported(2)).to.deep.equal(['3 /3 through 3 compacted 0', '4 /4 through 4 compacted 0', '5 /5 through 5 compacted 0']);
    expect(reported(5)).to.deep.equal([]);
    restored.apply([
      { index: logIndex(6), term: term(1), kind: 'command', data: encodeProposal('s', 6, { type: 'compact', revision: revision(4) }) },
    ]);
    expect(reported(3)).to.deep.equal(['gap to 5 compacted 4']);
    expect(reported(4)).to.deep.equal(['5 /5 through 5 compacted 4']);
  });
});
