import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { RaftLog } from '../../../../raft/log/log.js';
import { CannotOpenError, ClosedError, InUseError, UnsupportedFormatError, WrongIdentityError } from '../../../../raft/sqlite/errors.js';
import { logIndex, memberId } from '../../../../raft/types.js';
import { openStore } from '../../../../raft/store/store.js';
import { contents, entries, entry, open, owner, snapshot, state } from './entries.js';
import { removeScratch, scratch } from './scratch.js';

describe('raft log', () => {
  let path: string;
  let log: RaftLog;

  beforeEach(() => {
    path = join(scratch(), 'log.db');
    log = open(path);
  });

  afterEach(() => {
    log.close();
    removeScratch();
  });

  /** Reopens it without entries in memory. */
  function reopen(): void {
    log.close();
    log = open(path, { tailBytesMax: 0 });
  }

  it('is empty at first, in term 0, and knows that it was just made', () => {
    expect([log.firstIndex, log.lastIndex, log.termAt(logIndex(0)), log.termAt(logIndex(1)), log.created]).to.deep.equal([
      1,
      0,
      0,
      null,
      true,
    ]);
    expect(log.hardState).to.deep.equal(state(0));
    reopen();
    expect(log.created).to.equal(false);
  });

  it('holds after a restart what was appended', () => {
    log.append({ hardState: state(2, 'b', 3), entries: [...entries(1, 3, 1), entry(4, 2, '', 'noop'), entry(5, 2, 'm', 'membership')] });
    const before = contents(log);
    reopen();
    expect(contents(log)).to.deep.equal(before);
    expect(log.hardState).to.deep.equal(state(2, 'b', 3));
    expect([1, 3, 4, 5, 6].map((index) => log.termAt(logIndex(index)))).to.deep.equal([1, 1, 2, 2, null]);
  });

  it('replaces a conflicting suffix in the same step', () => {
    log.append({ hardState: state(2, null, 2), entries: [...entries(1, 3, 1), ...entries(4, 6, 2)] });
    log.append({ hardState: state(3, null, 2), entries: [entry(4, 3)] });
    for (const check of ['in memory', 'from disk']) {
      expect(
        contents(log).entries.map((line) => line.split('/').slice(0, 2).join('/')),
        check,
      ).to.deep.equal(['1/1', '2/1', '3/1', '4/3']);
      reopen();
    }
  });

  it('cuts reads after the bytes asked for, but never before the first entry', () => {
    log.append({ hardState: state(1), entries: [1, 2, 3, 4].map((index) => entry(index, 1, 'x'.repeat(10))) });
    for (const source of ['memory', 'disk']) {
      const count = (bytesMax: number) => log.entries(logIndex(2), logIndex(4), bytesMax).length;
      expect([0, 10, 19, 20, 30, Infinity].map(count), source).to.deep.equal([1, 1, 1, 2, 3, 3]);
      reopen();
    }
  });

  it('keeps the term of the last dropped entry', () => {
    log.append({ hardState: state(2, null, 6), entries: [...entries(1, 3, 1), ...entries(4, 6, 2)] });
    log.compactTo(logIndex(4));
    for (const check of ['in memory', 'from disk']) {
      expect(
        [log.firstIndex, log.lastIndex, log.termAt(logIndex(3)), log.termAt(logIndex(4)), log.termAt(logIndex(5))],
        check,
      ).to.deep.equal([5, 6, null, 2, 2]);
      reopen();
    }
    log.compactTo(logIndex(2));
    expect(log.firstIndex).to.equal(5);
    log.compactTo(logIndex(6));
    expect([log.firstIndex, log.lastIndex, log.termAt(logIndex(6))]).to.deep.equal([7, 6, 2]);
    log.append({ hardState: null, entries: [entry(7, 2)] });
    reopen();
    expect([log.firstIndex, log.lastIndex]).to.deep.equal([7, 7]);
  });

  const resets = [
    { name: 'keeps the entries behind a snapshot that it agrees with', at: snapshot(4, 2), first: 5, last: 6 },
    { name: 'drops all entries when the term at the snapshot differs', at: snapshot(5, 3), first: 6, last: 5 },
    { name: 'drops all entries when the snapshot lies behind the end', at: snapshot(9, 2), first: 10, last: 9 },
  ];
  for (const { name, at, first, last } of resets) {
    it(`${name}, and learns commit index and term`, () => {
      log.append({ hardState: state(2, 'a', 2), entries: [...entries(1, 3, 1), ...entries(4, 6, 2)] });
      log.resetTo(at);
      for (const check of ['in memory', 'from disk']) {
        expect([log.firstIndex, log.lastIndex, log.termAt(at.index)], check).to.deep.equal([first, last, at.term]);
        expect(log.hardState, check).to.deep.equal(at.term > 2 ? state(at.term, null, at.index) : state(2, 'a', at.index));
        reopen();
      }
      log.append({ hardState: state(4), entries: [entry(last + 1, 4)] });
      expect(log.lastIndex).to.equal(last + 1);
    });
  }

  it('leaves dropped entries in the file for a while, never in sight, and uses their space again', () => {
    const big = 'x'.repeat(1000);
    let next = 1;
    let size = 0;
    for (let round = 0; round < 12; round += 1) {
      const batch = Array.from({ length: 1500 }, (_, place) => entry(next + place, 1, big));
      next += batch.length;
      log.append({ hardState: state(1, null, next - 1), entries: batch });
      log.compactTo(logIndex(next - 100));
      expect(log.lastIndex - log.firstIndex).to.equal(98);
      reopen();
      expect(log.lastIndex - log.firstIndex).to.equal(98);
      if (round === 3) size = statSync(path).size;
    }
    expect(statSync(path).size).to.be.at.most(size * 1.1);
  });

  const refusals: { name: string; broken: (log: RaftLog) => void }[] = [
    { name: 'a gap', broken: (it) => it.append({ hardState: null, entries: [entry(8, 2)] }) },
    { name: 'a gap within the batch', broken: (it) => it.append({ hardState: null, entries: [entry(7, 2), entry(9, 2)] }) },
    { name: 'a term that falls along the log', broken: (it) => it.append({ hardState: null, entries: [entry(7, 1)] }) },
    { name: 'an entry of a term that has not begun', broken: (it) => it.append({ hardState: null, entries: [entry(7, 3)] }) },
    { name: 'replacing a committed entry', broken: (it) => it.append({ hardState: null, entries: [entry(4, 2)] }) },
    { name: 'a term that goes back', broken: (it) => it.append({ hardState: state(1), entries: [] }) },
    { name: 'a second vote in a term', broken: (it) => it.append({ hardState: state(2, 'c', 4), entries: [] }) },
    { name: 'a vote taken back in its term', broken: (it) => it.append({ hardState: state(2, null, 4), entries: [] }) },
    { name: 'a commit index that the log does not reach', broken: (it) => it.append({ hardState: state(2, 'b', 7), entries: [] }) },
    { name: 'compaction behind the end', broken: (it) => it.compactTo(logIndex(7)) },
    { name: 'a snapshot before the log', broken: (it) => it.resetTo(snapshot(1, 1)) },
    { name: 'a snapshot that contradicts the one before', broken: (it) => it.resetTo(snapshot(2, 2)) },
    { name: 'reading what was dropped', broken: (it) => it.entries(logIndex(2), logIndex(3), 100) },
    { name: 'reading behind the end', broken: (it) => it.entries(logIndex(6), logIndex(7), 100) },
  ];
  for (const { name, broken } of refusals) {
    it(`refuses ${name}, and is as before`, () => {
      log.append({ hardState: state(2, 'b', 4), entries: [...entries(1, 3, 1), ...entries(4, 6, 2)] });
      log.compactTo(logIndex(2));
      const before = contents(log);
      expect(() => broken(log))
        .to.throw(/./)
        .with.property('code', 'ERR_ASSERTION');
      expect(contents(log)).to.deep.equal(before);
      reopen();
      expect(contents(log)).to.deep.equal(before);
    });
  }

  it('does not take back a commit index that lags', () => {
    log.append({ hardState: state(1, null, 3), entries: entries(1, 3, 1) });
    log.append({ hardState: state(2, 'b', 1), entries: [] });
    expect(log.hardState).to.deep.equal(state(2, 'b', 3));
  });

  const operations: { name: string; run: (log: RaftLog) => unknown }[] = [
    { name: 'termAt', run: (it) => it.termAt(logIndex(0)) },
    { name: 'entries', run: (it) => it.entries(logIndex(1), logIndex(1), 1) },
    { name: 'append', run: (it) => it.append({ hardState: state(9), entries: [] }) },
    { name: 'compactTo', run: (it) => it.compactTo(logIndex(1)) },
    { name: 'resetTo', run: (it) => it.resetTo(snapshot(5, 5)) },
    { name: 'rememberPeer', run: (it) => it.rememberPeer(memberId('b'), 'i') },
  ];
  for (const { name, run } of operations) {
    it(`refuses ${name} once it is closed`, () => {
      log.append({ hardState: state(1, null, 1), entries: entries(1, 1, 1) });
      log.close();
      expect(() => run(log)).to.throw(ClosedError, path);
    });
  }

  it('closes twice without harm', () => {
    log.close();
    expect(() => log.close()).not.to.throw();
  });

  describe('identity', () => {
    it('keeps the incarnation it drew when it was made', () => {
      const { incarnation } = log.identity;
      reopen();
      expect(log.identity).to.deep.equal({ ...owner, incarnation });
      expect(open(join(scratch(), 'log.db')).identity.incarnation).not.to.equal(incarnation);
    });

    it('refuses another member or cluster, naming both', () => {
      log.close();
      expect(() => open(path, { memberId: memberId('b') })).to.throw(WrongIdentityError, /member "a", not "b"/);
      expect(() => open(path, { clusterId: 'cluster-2' })).to.throw(WrongIdentityError, /cluster "cluster-1", not "cluster-2"/);
      log = open(path);
    });

    it('remembers with which incarnation a peer first came', () => {
      const meet = (incarnation: string) => log.rememberPeer(memberId('b'), incarnation);
      expect([meet('one'), meet('one'), meet('two')]).to.deep.equal(['new', 'known', 'different']);
      reopen();
      expect([meet('two'), meet('one')]).to.deep.equal(['different', 'known']);
    });
  });

  describe('at the door', () => {
    it('lets only one opener in', () => {
      expect(() => open(path)).to.throw(InUseError, path);
      log.append({ hardState: state(1), entries: entries(1, 1, 1) });
      expect(() => open(path)).to.throw(InUseError, path);
      log.append({ hardState: state(1), entries: entries(2, 2, 1) });
      reopen();
      expect(log.lastIndex).to.equal(2);
    });

    it('says that a directory is missing', () => {
      expect(() => open(join(scratch(), 'missing', 'log.db'))).to.throw(CannotOpenError, 'missing');
    });

    it('does not take a store for a log', () => {
      const other = join(scratch(), 'store.db');
      openStore(other, { decodeMembership: () => ({ members: [], removed: [] }), initialMembership: { members: [], removed: [] } }).close();
      expect(() => open(other)).to.throw(UnsupportedFormatError, 'not a Raft log');
    });
  });
});
