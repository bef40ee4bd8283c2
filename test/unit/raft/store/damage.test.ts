import { spawn } from 'node:child_process';
import { copyFileSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import fc from 'fast-check';
import { DamagedStoreError, StorageError } from '../../../../raft/sqlite/errors.js';
import { verifiedAtOpenBytesMax } from '../../../../raft/store/file.js';
import { crashCopy, flipBit, removeScratch, scratch } from '../log/scratch.js';
import { apply, compact, everything, open, put, remove, transaction } from './commands.js';

const applier = fileURLToPath(new URL('./applier.js', import.meta.url));

function closedStore(): string {
  const path = join(scratch(), 'store.db');
  const store = open(path);
  for (let round = 0; round < 6; round += 1)
    apply(store, ...Array.from({ length: 20 }, (_, place) => transaction([put(`key-${place}`, `value of round ${round} `.repeat(20))])));
  apply(store, transaction([remove('key-3')]), compact(30));
  store.close();
  return path;
}

/** The content through the store's interface, or its refusal. */
function seen(path: string) {
  try {
    const store = open(path);
    try {
      return {
        refused: false as const,
        at: [store.appliedIndex, store.appliedTerm, store.revision, store.compactedRevision],
        membership: store.membership,
        now: everything(store),
        then: everything(store, 60),
        changes: store.changesSince(store.compactedRevision, 1e9),
      };
    } finally {
      store.close();
    }
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    return { refused: true as const, error };
  }
}

describe('damaged raft store', function () {
  afterEach(removeScratch);

  it('shows a flipped bit anywhere in the file, or is not touched by it', () => {
    const path = closedStore();
    const intact = seen(path);
    fc.assert(
      fc.property(fc.nat(statSync(path).size - 1), fc.nat(7), (position, bit) => {
        const copy = join(scratch(), 'store.db');
        copyFileSync(path, copy);
        flipBit(copy, position, bit);
        const found = seen(copy);
        if (!found.refused) expect(found).to.deep.equal(intact);
      }),
      { numRuns: 200 },
    );
  });

  it('goes back to an earlier state, which the log brings forward again, when its write-ahead file is damaged', () => {
    const path = join(scratch(), 'store.db');
    const store = open(path);
    apply(store, transaction([put('a', '0')]));
    store.checkpoint();
    for (let round = 1; round < 30; round += 1) {
      apply(store, transaction([put('a', `${round}`), put(`b-${round}`, 'x'.repeat(3000))]));
      store.settle();
    }
    const crashed = crashCopy(path);
    store.close();
    fc.assert(
      fc.property(fc.nat(statSync(`${crashed}-wal`).size - 1), fc.nat(7), (position, bit) => {
        const copy = join(scratch(), 'store.db');
        for (const suffix of ['', '-wal']) copyFileSync(crashed + suffix, copy + suffix);
        flipBit(`${copy}-wal`, position, bit);
        const reopened = open(copy);
        try {
          expect(reopened.appliedIndex).to.be.at.least(1);
          expect(everything(reopened)).to.have.property('items').with.lengthOf(reopened.appliedIndex);
          const again = reopened.appliedIndex;
          if (again < 30) apply(reopened, transaction([put('a', `${again}`), put(`b-${again}`, 'x')]));
        } finally {
          reopened.close();
        }
      }),
      { numRuns: 60 },
    );
  });

  it('names the key whose value was changed, in a file too large to be read at start, and refuses everything from then on', () => {
    const path = join(scratch(), 'store.db');
    const store = open(path);
    const value = (key: number) => `value of ${key} `.repeat(4000);
    for (let key = 0; key * 40_000 < verifiedAtOpenBytesMax; key += 1) apply(store, transaction([put(`key-${key}`, value(key))]));
    store.close();
    expect(statSync(path).size).to.be.above(verifiedAtOpenBytesMax);
    flipBit(path, readFileSync(path).indexOf('value of 77 value of 77'));
    const damaged = open(path);
    expect(damaged.get('key-76', null)).to.have.property('outcome', 'found');
    expect(() => damaged.get('key-77', null))
      .to.throw(DamagedStoreError, path)
      .with.property('key', 'key-77');
    expect(() => damaged.get('key-76', null)).to.throw(DamagedStoreError, 'add a new one');
    expect(() => apply(damaged, transaction([]))).to.throw(DamagedStoreError);
    damaged.close();
  });

  const losses: { name: string; harm: (path: string) => void }[] = [
    { name: 'an emptied file', harm: (path) => truncateSync(path, 0) },
    { name: 'a file that lost its end', harm: (path) => truncateSync(path, statSync(path).size - 8192) },
    { name: 'other bytes', harm: (path) => writeFileSync(path, 'not a database at all, whatever its name says'.repeat(200)) },
    {
      name: 'a write-ahead file alone',
      harm: (path) => {
        writeFileSync(`${path}-wal`, 'x');
        rmSync(path);
      },
    },
  ];
  for (const { name, harm } of losses) {
    it(`refuses ${name}`, () => {
      const path = closedStore();
      harm(path);
      expect(() => open(path)).to.throw(DamagedStoreError, path);
    });
  }

  it('survives being killed at any time: every transaction is there as a whole, and none that was settled is missing', async () => {
    const path = join(scratch(), 'store.db');
    for (const stride of [5, 200, 350, 90]) {
      const target = (seen(path) as { at?: number[] }).at?.[0] ?? 0;
      const child = spawn(process.execPath, [applier, path], { stdio: ['ignore', 'pipe', 'inherit'] });
      let applied = 0;
      for await (const line of createInterface({ input: child.stdout })) {
        applied = Number(line.split(' ')[0]);
        if (applied >= target + stride) child.kill('SIGKILL');
      }
      const store = open(path);
      expect(store.appliedIndex).to.be.at.least(applied);
      const now = everything(store);
      const values = new Map(now.outcome === 'found' ? now.items.map((item) => item.split(/[= ]/) as [string, string]) : []);
      expect(Math.max(...[...values.values()].map(Number))).to.equal(store.revision);
      for (const [key, value] of values) expect(values.get(key.replace('left', 'right'))).to.equal(value);
      store.close();
    }
  });
});
