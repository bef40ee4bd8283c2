import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { encodeProposal } from '../../../../raft/store/command.js';
import type { Command } from '../../../../raft/store/contract.js';
import { ClosedError, InUseError, UnsupportedFormatError } from '../../../../raft/sqlite/errors.js';
import type { Store } from '../../../../raft/store/store.js';
import { logIndex, memberId, revision, term } from '../../../../raft/types.js';
import { open as openLogFile } from '../log/entries.js';
import { crashCopy, removeScratch, scratch } from '../log/scratch.js';
import {
  apply,
  compact,
  entryOf,
  everything,
  initialMembership,
  member,
  open,
  put,
  remove,
  tell,
  tellChange,
  tellRange,
  transaction,
} from './commands.js';

describe('raft store', () => {
  let path: string;
  let store: Store;

  beforeEach(() => {
    path = join(scratch(), 'store.db');
    store = open(path);
  });

  afterEach(() => {
    store.close();
    removeScratch();
  });

  function reopen(at = path): void {
    store.close();
    path = at;
    store = open(path);
  }

  const keys = (start: string, end: string | null, limit: number | null = null) =>
    tellRange(store.range({ start, end, revision: null, limit }));

  it('starts empty, at index, term and revision 0, with the initial membership', () => {
    for (const created of [true, false]) {
      expect([store.appliedIndex, store.appliedTerm, store.revision, store.compactedRevision, store.created]).to.deep.equal([
        0,
        0,
        0,
        0,
        created,
      ]);
      expect(store.membership).to.deep.equal(initialMembership);
      expect(everything(store)).to.deep.equal({ outcome: 'found', revision: 0, items: [], remaining: 0 });
      reopen();
    }
  });

  it('counts revisions for the store, and versions for each life of a key', () => {
    apply(
      store,
      transaction([put('a', '1')]),
      transaction([put('b', '1')]),
      transaction([put('a', '2')]),
      transaction([remove('a')]),
      transaction([put('a', '3')]),
      transaction([put('a', '')]),
    );
    for (const check of ['at once', 'after a restart']) {
      expect(
        [2, 3, 4, 5, 6].map((at) => everything(store, at)).map((result) => (result.outcome === 'found' ? result.items : result)),
        check,
      ).to.deep.equal([
        ['a=1 1/1/1', 'b=1 2/2/1'],
        ['a=2 1/3/2', 'b=1 2/2/1'],
        ['b=1 2/2/1'],
        ['a=3 5/5/1', 'b=1 2/2/1'],
        ['a= 5/6/2', 'b=1 2/2/1'],
      ]);
      expect(tellRange(store.get('a', revision(3)))).to.deep.equal({ outcome: 'found', revision: 3, items: ['a=2 1/3/2'], remaining: 0 });
      expect(tellRange(store.get('a', revision(4)))).to.deep.equal({ outcome: 'found', revision: 4, items: [], remaining: 0 });
      reopen();
    }
  });

  it('gives all changes of a transaction one revision', () => {
    const { results, changes } = apply(
      store,
      transaction([put('b', '1'), put('a', '1')]),
      transaction([remove('a'), put('c', '1'), remove('b')]),
    );
    expect(results).to.deep.equal([
      { outcome: 'applied', revision: 1 },
      { outcome: 'applied', revision: 2 },
    ]);
    expect(changes.map(tellChange)).to.deep.equal(['1 b=1 1', '1 a=1 1', '2 a=null 1', '2 c=1 2', '2 b=null 1']);
  });

  /** The state before each: a at revision 1 and 2, b created at 1 and deleted at 3. */
  const outcomes: { name: string; command: Command; outcome: object; revision: number }[] = [
    {
      name: 'a comparison that holds',
      command: transaction([put('a', 'x')], { a: 2 }),
      outcome: { outcome: 'applied', revision: 4 },
      revision: 4,
    },
    {
      name: 'a comparison with an older revision',
      command: transaction([put('a', 'x')], { a: 1 }),
      outcome: { outcome: 'conflict', revision: 3, current: ['a=2 1/2/2'] },
      revision: 3,
    },
    {
      name: 'create of a key that is there',
      command: transaction([put('a', 'x')], { a: 0 }),
      outcome: { outcome: 'conflict', revision: 3, current: ['a=2 1/2/2'] },
      revision: 3,
    },
    {
      name: 'create of a key that was deleted',
      command: transaction([put('b', 'x')], { b: 0 }),
      outcome: { outcome: 'applied', revision: 4 },
      revision: 4,
    },
    {
      name: 'comparison with the deletion',
      command: transaction([put('b', 'x')], { b: 3 }),
      outcome: { outcome: 'conflict', revision: 3, current: [null] },
      revision: 3,
    },
    {
      name: 'one of two comparisons failing',
      command: transaction([put('a', 'x')], { a: 2, c: 1 }),
      outcome: { outcome: 'conflict', revision: 3, current: ['a=2 1/2/2', null] },
      revision: 3,
    },
    {
      name: 'a comparison of a key that is not written',
      command: transaction([put('d', 'x')], { a: 2, b: 0 }),
      outcome: { outcome: 'applied', revision: 4 },
      revision: 4,
    },
    {
      name: 'deletion of an absent key',
      command: transaction([remove('b'), remove('c')]),
      outcome: { outcome: 'applied', revision: 3 },
      revision: 3,
    },
    { name: 'nothing but a comparison', command: transaction([], { a: 2 }), outcome: { outcome: 'applied', revision: 3 }, revision: 3 },
    { name: 'nothing at all', command: transaction([]), outcome: { outcome: 'applied', revision: 3 }, revision: 3 },
    { name: 'compaction', command: compact(2), outcome: { outcome: 'applied', revision: 3 }, revision: 3 },
    { name: 'compaction at what is compacted already', command: compact(0), outcome: { outcome: 'compacted', revision: 3 }, revision: 3 },
  ];
  for (const { name, command, outcome, revision: after } of outcomes) {
    it(`answers ${name}`, () => {
      apply(store, transaction([put('a', '1'), put('b', '1')]), transaction([put('a', '2')]), transaction([remove('b')]));
      const [result] = apply(store, command).results;
      const reported =
        result?.outcome === 'conflict' ? { ...result, current: result.current.map((item) => (item === null ? null : tell(item))) } : result;
      expect(reported).to.deep.equal(outcome);
      expect([store.revision, store.appliedIndex]).to.deep.equal([after, 4]);
    });
  }

  it('sees, within a batch, what entries before did', () => {
    const { results } = apply(
      store,
      transaction([put('a', '1')], { a: 0 }),
      transaction([put('a', '2')], { a: 0 }),
      transaction([put('a', '3')], { a: 1 }),
    );
    expect(results.map((result) => result?.outcome)).to.deep.equal(['applied', 'conflict', 'applied']);
  });

  it('applies entries that are no commands', () => {
    const next = { index: logIndex(1), term: term(3) };
    const { results } = store.apply([
      { ...next, kind: 'noop', data: new Uint8Array(0) },
      { index: logIndex(2), term: term(3), kind: 'membership', data: Buffer.from('c,d') },
    ]);
    expect(results).to.deep.equal([null, null]);
    for (const check of ['at once', 'after a restart']) {
      expect(store.membership, check).to.deep.equal({ members: [member('c'), member('d')], removed: [] });
      expect([store.appliedIndex, store.appliedTerm, store.revision], check).to.deep.equal([2, 3, 0]);
      reopen();
    }
  });

  describe('ranges', () => {
    beforeEach(() => {
      apply(
        store,
        ...['a', 'a/', 'a/b', 'a0', 'b', '\u00e9', '\uffff', '\u{1f600}', 'a\0'].map((key) => transaction([put(key, key)])),
        transaction([remove('a0')]),
      );
    });

    const order = ['a', 'a\0', 'a/', 'a/b', 'b', '\u00e9', '\uffff', '\u{1f600}'];
    const cases: { name: string; start: string; end: string | null; limit: number | null; found: string[]; remaining: number }[] = [
      { name: 'in the order of UTF-8 bytes', start: '', end: null, limit: null, found: order, remaining: 0 },
      { name: 'from start, inclusive, to end, exclusive', start: 'a/', end: 'b', limit: null, found: ['a/', 'a/b'], remaining: 0 },
      { name: 'a first page and how many follow', start: '', end: null, limit: 3, found: order.slice(0, 3), remaining: 5 },
      { name: 'the next page', start: 'a/\0', end: null, limit: 3, found: order.slice(3, 6), remaining: 2 },
      { name: 'a last page that is just full', start: 'b', end: null, limit: 4, found: order.slice(4), remaining: 0 },
      { name: 'no more than the end allows', start: 'a', end: 'b', limit: 2, found: ['a', 'a\0'], remaining: 2 },
      { name: 'a limit of zero', start: '', end: null, limit: 0, found: [], remaining: 8 },
      { name: 'nothing between', start: 'c', end: 'd', limit: 5, found: [], remaining: 0 },
      { name: 'nothing when the end comes first', start: 'b', end: 'a', limit: null, found: [], remaining: 0 },
    ];
    for (const { name, start, end, limit, found, remaining } of cases) {
      it(`gives ${name}`, () => {
        const result = keys(start, end, limit);
        expect(
          result.outcome === 'found' && { keys: result.items.map((item) => item.slice(0, item.indexOf('='))), remaining: result.remaining },
        ).to.deep.equal({ keys: found, remaining });
      });
    }

    it('cuts pages by bytes, but never before the first key', () => {
      const page = (bytesMax: number, countRemaining?: boolean) => {
        const result = store.range({
          start: '',
          end: null,
          revision: null,
          limit: null,
          bytesMax,
          ...(countRemaining === undefined ? {} : { countRemaining }),
        });
        return result.outcome === 'found' ? [result.items.length, result.remaining] : result;
      };
      expect([page(0), page(1), page(5), page(6), page(1000)]).to.deep.equal([
        [1, 7],
        [1, 7],
        [3, 5],
        [3, 5],
        [8, 0],
      ]);
      expect([page(5, false), page(1000, false)]).to.deep.equal([
        [3, 1],
        [8, 0],
      ]);
    });
  });

  it('tells changes after a revision, in whole revisions', () => {
    apply(
      store,
      transaction([put('a', '123'), put('b', '123')]),
      transaction([put('a', '456')]),
      transaction([remove('a'), remove('b')]),
      transaction([put('c', '')]),
    );
    const since = (after: number, bytesMax: number) => {
      const result = store.changesSince(revision(after), bytesMax);
      return result.outcome === 'found' ? [result.through, ...result.changes.map(tellChange)] : result;
    };
    expect(since(0, 1e6)).to.deep.equal([4, '1 a=123 1', '1 b=123 1', '2 a=456 1', '3 a=null 1', '3 b=null 1', '4 c= 4']);
    expect(since(0, 1)).to.deep.equal([1, '1 a=123 1', '1 b=123 1']);
    expect(since(1, 3)).to.deep.equal([2, '2 a=456 1']);
    expect(since(2, 1)).to.deep.equal([4, '3 a=null 1', '3 b=null 1', '4 c= 4']);
    expect(since(4, 1)).to.deep.equal([4]);
    apply(store, compact(2));
    expect(since(1, 1)).to.deep.equal({ outcome: 'compacted', compacted: 2 });
    expect(since(2, 1)).to.deep.equal([4, '3 a=null 1', '3 b=null 1', '4 c= 4']);
  });

  it('answers reads below the compacted revision, and above its own, as what they are', () => {
    apply(store, transaction([put('a', '1')]), transaction([put('a', '2')]), transaction([put('a', '3')]), compact(2));
    expect(store.get('a', revision(1))).to.deep.equal({ outcome: 'compacted', compacted: 2 });
    expect(everything(store, 1)).to.deep.equal({ outcome: 'compacted', compacted: 2 });
    expect(tellRange(store.get('a', revision(2))))
      .to.have.property('items')
      .deep.equal(['a=2 1/2/2']);
    expect(store.get('a', revision(4))).to.deep.equal({ outcome: 'future', revision: 3 });
    expect(everything(store, 4)).to.deep.equal({ outcome: 'future', revision: 3 });
    apply(store, compact(99));
    expect(store.compactedRevision).to.equal(3);
  });

  it('gives space back after compaction', () => {
    const value = Buffer.alloc(3000, 'x');
    for (let round = 0; round < 20; round += 1)
      apply(store, ...Array.from({ length: 100 }, (_, place) => transaction([put(`key-${place}`, value)])));
    store.checkpoint();
    const full = statSync(path).size;
    apply(store, compact(store.revision - 1));
    while (store.maintain());
    store.checkpoint();
    expect(statSync(path).size).to.be.below(full / 3);
    expect(everything(store)).to.have.property('items').with.lengthOf(100);
    reopen();
    expect(everything(store)).to.have.property('items').with.lengthOf(100);
  });

  it('sweeps beside applied entries, without being asked', () => {
    const value = Buffer.alloc(3000, 'x');
    let largest = 0;
    for (let round = 0; round < 60; round += 1) {
      apply(store, ...Array.from({ length: 50 }, (_, place) => transaction([put(`key-${place}`, value)])));
      apply(store, compact(store.revision));
      store.checkpoint();
      if (round === 10) largest = statSync(path).size;
    }
    expect(statSync(path).size).to.be.at.most(largest * 1.2);
  });

  it('keeps what it settled when the process dies, and at least what it checkpointed when the machine does', () => {
    apply(store, transaction([put('a', '1')]));
    expect(store.checkpoint()).to.equal(1);
    apply(store, transaction([put('a', '2')]), transaction([put('b', '2')]));
    store.settle();
    apply(store, transaction([put('b', '3')]));
    expect(everything(store), 'seen before it is settled').to.have.property('items').deep.equal(['a=2 1/2/2', 'b=3 3/4/2']);
    const afterKill = crashCopy(path);
    // The write-ahead file is not synced between checkpoints, so a power failure may lose it.
    const afterPowerFailure = crashCopy(path);
    rmSync(`${afterPowerFailure}-wal`);
    reopen(afterKill);
    expect([store.appliedIndex, store.revision]).to.deep.equal([3, 3]);
    reopen(afterPowerFailure);
    expect([store.appliedIndex, store.revision]).to.deep.equal([1, 1]);
    apply(store, transaction([put('a', '2')]), transaction([put('b', '2')]));
    expect(everything(store)).to.have.property('items').deep.equal(['a=2 1/2/2', 'b=2 3/3/1']);
  });

  it('applies nothing of a batch that it cannot apply as a whole, and nothing afterwards', () => {
    apply(store, transaction([put('a', '1')]));
    store.settle();
    const bad = { ...entryOf(3, transaction([])), data: Buffer.from('garbage') };
    expect(() => store.apply([entryOf(2, transaction([put('a', '2')])), bad])).to.throw('cannot be read');
    expect(() => store.get('a', null)).to.throw('cannot be read');
    reopen();
    expect([store.appliedIndex, store.revision]).to.deep.equal([1, 1]);
    expect(everything(store)).to.have.property('items').deep.equal(['a=1 1/1/1']);
  });

  const gaps: { name: string; index: number; inTerm: number }[] = [
    { name: 'an entry applied before', index: 2, inTerm: 2 },
    { name: 'an entry behind a gap', index: 4, inTerm: 2 },
    { name: 'an entry of an older term', index: 3, inTerm: 1 },
  ];
  for (const { name, index, inTerm } of gaps) {
    it(`stops at ${name}`, () => {
      const noop = (at: number, ofTerm: number) => ({
        index: logIndex(at),
        term: term(ofTerm),
        kind: 'noop' as const,
        data: new Uint8Array(0),
      });
      store.apply([noop(1, 2), noop(2, 2)]);
      expect(() => store.apply([noop(index, inTerm)]))
        .to.throw(/./)
        .with.property('code', 'ERR_ASSERTION');
    });
  }

  const operations: { name: string; run: (store: Store) => unknown }[] = [
    { name: 'apply', run: (it) => it.apply([entryOf(1, transaction([]))]) },
    { name: 'get', run: (it) => it.get('a', null) },
    { name: 'range', run: (it) => everything(it) },
    { name: 'changesSince', run: (it) => it.changesSince(revision(0), 1) },
    { name: 'checkpoint', run: (it) => it.checkpoint() },
    { name: 'maintain', run: (it) => it.maintain() },
    { name: 'restoreFrom', run: (it) => it.restoreFrom('nowhere', { index: logIndex(1), term: term(1), membership: initialMembership }) },
  ];
  for (const { name, run } of operations) {
    it(`refuses ${name} once it is closed`, () => {
      store.close();
      expect(() => run(store)).to.throw(ClosedError, path);
    });
  }

  it('refuses a snapshot once it is closed, and closes twice without harm', async () => {
    store.close();
    store.close();
    const refusal = await store.snapshotTo(join(scratch(), 'copy')).then(
      () => null,
      (error: unknown) => error,
    );
    expect(refusal).to.be.instanceOf(ClosedError);
  });

  it('lets only one opener in', () => {
    expect(() => open(path)).to.throw(InUseError, path);
    apply(store, transaction([put('a', '1')]));
    expect(() => open(path)).to.throw(InUseError, path);
  });

  it('does not take a log for a store', () => {
    const other = join(scratch(), 'log.db');
    openLogFile(other).close();
    expect(() => open(other)).to.throw(UnsupportedFormatError, 'not a Raft store');
  });

  it('names the same members and removed ones after a restart', () => {
    reopen();
    expect(store.membership.removed).to.deep.equal([memberId('z')]);
  });

  it('carries the id of a proposal beside its command', () => {
    const data = encodeProposal('s', 9, transaction([put('k', 'v')]));
    store.apply([{ index: logIndex(1), term: term(1), kind: 'command', data }]);
    expect(everything(store)).to.have.property('items').deep.equal(['k=v 1/1/1']);
  });
});
