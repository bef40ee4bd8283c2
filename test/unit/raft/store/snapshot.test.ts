import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import fc from 'fast-check';
import { DamagedSnapshotError } from '../../../../raft/sqlite/errors.js';
import type { Store } from '../../../../raft/store/store.js';
import { logIndex, revision, term } from '../../../../raft/types.js';
import type { SnapshotMeta } from '../../../../raft/types.js';
import { flipBit, removeScratch, scratch } from '../log/scratch.js';
import { apply, compact, entryOf, everything, initialMembership, open, put, remove, transaction } from './commands.js';

const restorer = fileURLToPath(new URL('./restorer.js', import.meta.url));

function filled(keys: number, size = 200): Store {
  const store = open(join(scratch(), 'store.db'));
  for (let key = 0; key < keys; key += 50)
    apply(
      store,
      ...Array.from({ length: Math.min(50, keys - key) }, (_, place) => transaction([put(`key-${key + place}`, 'x'.repeat(size))])),
    );
  return store;
}

/** All readable state. */
function view(store: Store) {
  return {
    at: [store.appliedIndex, store.appliedTerm, store.revision, store.compactedRevision],
    membership: store.membership,
    now: everything(store),
    changes: store.changesSince(store.compactedRevision, 1e9),
  };
}

describe('snapshots of the raft store', function () {
  const open_: Store[] = [];
  const using = (store: Store): Store => {
    open_.push(store);
    return store;
  };

  afterEach(() => {
    for (const store of open_.splice(0)) store.close();
    removeScratch();
  });

  /** A snapshot of 60 keys, and its store's content. */
  async function snapshotted(): Promise<{ path: string; meta: SnapshotMeta; seen: object }> {
    const store = using(filled(60));
    apply(store, compact(20));
    const path = join(scratch(), 'snapshot');
    return { path, meta: await store.snapshotTo(path), seen: view(store) };
  }

  it('makes another store equal, for reading and for going on', async () => {
    const { path, meta, seen } = await snapshotted();
    expect(meta).to.deep.equal({ index: 61, term: 1, membership: initialMembership });
    const other = using(open(join(scratch(), 'store.db')));
    apply(other, transaction([put('stale', '1')]));
    other.restoreFrom(path, meta);
    expect(view(other)).to.deep.equal(seen);
    expect(existsSync(path)).to.equal(false);
    apply(other, transaction([put('key-1', 'new')], { 'key-1': 2 }));
    expect(other.revision).to.equal(61);
    other.close();
    const again = using(open(other.path));
    expect([again.appliedIndex, again.revision]).to.deep.equal([62, 61]);
  });

  it('is consistent although entries are applied, compacted and checkpointed meanwhile', async () => {
    const store = using(filled(3000, 1000));
    const path = join(scratch(), 'snapshot');
    let finished = false;
    const writing = store.snapshotTo(path).finally(() => {
      finished = true;
    });
    const seen = new Map<number, object>();
    const view_ = () => ({ now: everything(store), at: [store.appliedIndex, store.revision, store.compactedRevision] });
    seen.set(store.appliedIndex, view_());
    let turns = 0;
    while (!finished) {
      if (turns < 200) {
        apply(store, transaction([put(`key-${turns % 3000}`, 'y'.repeat(900)), put(`new-${turns}`, 'z')]));
        if (turns % 40 === 39) apply(store, compact(store.revision - 10));
        if (turns % 15 === 14) store.checkpoint();
      }
      turns += 1;
      seen.set(store.appliedIndex, view_());
      await new Promise((resolve) => setImmediate(resolve));
    }
    const meta = await writing;
    expect(turns).to.be.above(10);
    const other = using(open(join(scratch(), 'store.db')));
    other.restoreFrom(path, meta);
    expect({ now: everything(other), at: [other.appliedIndex, other.revision, other.compactedRevision] }).to.deep.equal(
      seen.get(meta.index),
    );
    const from = store.changesSince(other.revision, 1e9);
    expect(from.outcome).to.equal('found');
  });

  it('holds the content of the last checkpoint although the file shrinks and grows meanwhile', async () => {
    const store = using(filled(3000, 1000));
    store.checkpoint();
    const { size } = statSync(store.path);
    const path = join(scratch(), 'snapshot');
    const writing = store.snapshotTo(path);
    for (let turn = 0; turn < 4; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    apply(store, ...Array.from({ length: 2900 }, (_, at) => transaction([remove(`key-${at}`)])));
    apply(store, compact(store.revision));
    while (store.maintain()) store.checkpoint();
    store.checkpoint();
    expect(statSync(store.path).size).to.be.below(size / 2);
    apply(store, ...Array.from({ length: 2000 }, (_, at) => transaction([put(`again-${at}`, 'z'.repeat(900))])));
    store.checkpoint();
    const seen = view(store);
    apply(store, transaction([put('late', 'not in the copy')]));
    const meta = await writing;
    expect(meta.index).to.equal(store.appliedIndex - 1);
    const other = using(open(join(scratch(), 'store.db')));
    other.restoreFrom(path, meta);
    expect(view(other)).to.deep.equal(seen);
  });

  it('keeps other processes out of the store after it was copied', async () => {
    const store = using(filled(60));
    await store.snapshotTo(join(scratch(), 'snapshot'));
    const opener = `import { open } from ${JSON.stringify(new URL('./commands.js', import.meta.url))}; open(process.argv[1]);`;
    const other = (): string => spawnSync(process.execPath, ['--input-type=module', '-e', opener, store.path], { encoding: 'utf8' }).stderr;
    expect(other()).to.contain('another process runs on this data directory');
    store.close();
    expect(other()).to.equal('');
  });

  it('leaves nothing behind when the store is closed meanwhile', async () => {
    const store = filled(3000, 1000);
    const path = join(scratch(), 'snapshot');
    const outcome = store.snapshotTo(path).then(
      () => 'written',
      () => 'failed',
    );
    await new Promise((resolve) => setImmediate(resolve));
    store.close();
    expect(await outcome).to.equal('failed');
    expect(readdirSync(dirname(path))).to.deep.equal([]);
  });

  it('writes one at a time', async () => {
    const store = using(filled(10));
    const first = store.snapshotTo(join(scratch(), 'one'));
    const second = await store.snapshotTo(join(scratch(), 'two')).then(
      () => null,
      (error: unknown) => error,
    );
    expect(second).to.have.property('message', 'one snapshot at a time');
    await first;
  });

  it('is refused when any bit was flipped, and the store stays as it is', async () => {
    const { path, meta } = await snapshotted();
    const store = using(open(join(scratch(), 'store.db')));
    apply(store, transaction([put('old', '1')]));
    const before = view(store);
    fc.assert(
      fc.property(fc.nat(statSync(path).size - 1), fc.nat(7), (position, bit) => {
        const copy = join(scratch(), 'snapshot');
        copyFileSync(path, copy);
        flipBit(copy, position, bit);
        expect(() => store.restoreFrom(copy, meta)).to.throw(DamagedSnapshotError, copy);
        expect(view(store)).to.deep.equal(before);
      }),
      { numRuns: 60 },
    );
    apply(store, transaction([put('old', '2')], { old: 1 }));
    expect(store.revision).to.equal(2);
  });

  const wrong: { name: string; harm: (path: string) => void; meta: (meta: SnapshotMeta) => SnapshotMeta; says: RegExp }[] = [
    { name: 'incomplete', harm: (path) => truncateSync(path, statSync(path).size - 5000), meta: (meta) => meta, says: /incomplete/ },
    { name: 'empty', harm: (path) => truncateSync(path, 0), meta: (meta) => meta, says: /too short/ },
    {
      name: 'longer than it was',
      harm: (path) => writeFileSync(path, Buffer.concat([readFileSync(path), Buffer.alloc(10)])),
      meta: (meta) => meta,
      says: /incomplete/,
    },
    { name: 'of another index', harm: () => {}, meta: (meta) => ({ ...meta, index: logIndex(62) }), says: /not the announced/ },
    { name: 'of another term', harm: () => {}, meta: (meta) => ({ ...meta, term: term(2) }), says: /not the announced/ },
    {
      name: 'of another membership',
      harm: () => {},
      meta: (meta) => ({ ...meta, membership: { ...initialMembership, removed: [] } }),
      says: /membership/,
    },
  ];
  for (const { name, harm, meta: changed, says } of wrong) {
    it(`is refused when it is ${name}`, async () => {
      const { path, meta } = await snapshotted();
      harm(path);
      const store = using(open(join(scratch(), 'store.db')));
      expect(() => store.restoreFrom(path, changed(meta))).to.throw(DamagedSnapshotError, says);
      apply(store, transaction([put('a', '1')]));
      expect(store.appliedIndex).to.equal(1);
    });
  }

  it('is refused when it is older than the store', async () => {
    const { path, meta } = await snapshotted();
    const store = using(filled(70));
    expect(() => store.restoreFrom(path, meta)).to.throw('older than what was applied');
  });

  it('replaces the content as a whole or not at all when the process is killed on the way', async function () {
    const { path: snapshot, meta } = await snapshotted();
    const source = filled(5);
    source.apply([entryOf(6, transaction([put('old', 'old')]))]);
    source.close();
    const kill = (call: string, when: number) => {
      const directory = scratch();
      const [path, copy] = [join(directory, 'store.db'), join(directory, 'snapshot')];
      copyFileSync(source.path, path);
      copyFileSync(snapshot, copy);
      const run = spawnSync(
        'strace',
        [
          '-f',
          '-o',
          '/dev/null',
          '-e',
          `trace=${call}`,
          '-e',
          `inject=${call}:signal=SIGKILL:when=${when}`,
          process.execPath,
          restorer,
          path,
          copy,
          String(meta.index),
        ],
        { encoding: 'utf8' },
      );
      const ran = run.error === undefined;
      return { path, done: ran && run.stdout.includes('restored'), ran };
    };
    let kills = 0;
    const outcomes = new Set<number>();
    for (const call of ['rename', 'unlink', 'ftruncate', 'fsync', 'fdatasync']) {
      for (let when = 1; when <= 12; when += 1) {
        const { path, done, ran } = kill(call, when);
        if (!ran) this.skip();
        const store = using(open(path));
        expect(store.appliedIndex, `${call} ${when}`).to.be.oneOf(done ? [61] : [6, 61]);
        expect(everything(store))
          .to.have.property('items')
          .with.lengthOf(store.appliedIndex === 6 ? 6 : 60);
        expect(store.changesSince(revision(store.compactedRevision), 1e6).outcome).to.equal('found');
        outcomes.add(store.appliedIndex);
        if (done) break;
        kills += 1;
      }
    }
    if (kills === 0) this.skip();
    expect([...outcomes].sort()).to.deep.equal([6, 61]);
  });
});
