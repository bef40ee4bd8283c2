import { copyFileSync, existsSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import { openSqlite } from '../../../../raft/sqlite/driver.js';
import { DamagedLogError, StorageError, UnsupportedFormatError } from '../../../../raft/sqlite/errors.js';
import { logIndex, memberId } from '../../../../raft/types.js';
import { contents, entries, entry, open, state } from './entries.js';
import { crashCopy, flipBit, removeScratch, scratch } from './scratch.js';

/** A closed log of a few pages, all in the database file. */
function closedLog(): string {
  const path = join(scratch(), 'log.db');
  const log = open(path);
  log.append({
    hardState: state(2, 'b', 40),
    entries: [...entries(1, 20, 1), ...Array.from({ length: 40 }, (_, place) => entry(21 + place, 2, `body ${21 + place} `.repeat(60)))],
  });
  log.compactTo(logIndex(5));
  log.rememberPeer(memberId('b'), 'incarnation of b');
  log.close();
  return path;
}

/** A log with ten transactions in the write-ahead file, as after a crash. */
function crashedLog(): string {
  const path = join(scratch(), 'log.db');
  const log = open(path);
  for (let group = 0; group < 10; group += 1)
    log.append({ hardState: state(1, 'a', group * 3), entries: entries(group * 3 + 1, group * 3 + 3, 1) });
  const copy = crashCopy(path);
  log.close();
  return copy;
}

function copyOf(path: string): string {
  const copy = join(scratch(), 'log.db');
  for (const suffix of ['', '-wal']) if (existsSync(path + suffix)) copyFileSync(path + suffix, copy + suffix);
  return copy;
}

/** The log's content and membership through its interface, or its refusal. */
function seen(path: string) {
  try {
    const log = open(path);
    try {
      return {
        refused: false as const,
        ...contents(log),
        identity: log.identity,
        peer: log.rememberPeer(memberId('b'), 'incarnation of b'),
      };
    } finally {
      log.close();
    }
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    return { refused: true as const, error };
  }
}

describe('damaged raft log', function () {
  afterEach(removeScratch);

  it('names the file and the index of a changed entry', () => {
    const path = closedLog();
    flipBit(path, readFileSync(path).indexOf('body 33 body 33'));
    expect(() => open(path))
      .to.throw(DamagedLogError, path)
      .with.property('index', 33);
  });

  it('refuses numbers that no program has written', () => {
    const path = closedLog();
    const db = openSqlite(path);
    db.exec('UPDATE entries SET term = 296149208658371681 WHERE log_index = 33');
    db.close();
    expect(() => open(path)).to.throw(DamagedLogError, path);
  });

  it('shows a flipped bit anywhere in the file, or is not touched by it', () => {
    const path = closedLog();
    const intact = seen(path);
    fc.assert(
      fc.property(fc.nat(statSync(path).size - 1), fc.nat(7), (position, bit) => {
        const copy = copyOf(path);
        flipBit(copy, position, bit);
        const found = seen(copy);
        if (!found.refused) expect(found).to.deep.equal(intact);
      }),
      { numRuns: 250 },
    );
  });

  it('shows a flipped bit in the write-ahead file, but for the last two transactions, which may also be torn', () => {
    const path = crashedLog();
    expect(seen(copyOf(path)))
      .to.have.property('entries')
      .with.lengthOf(30);
    const bytes = statSync(`${path}-wal`).size;
    fc.assert(
      fc.property(fc.nat(bytes - 1), fc.nat(7), (position, bit) => {
        const copy = copyOf(path);
        flipBit(`${copy}-wal`, position, bit);
        const found = seen(copy);
        if (!found.refused) {
          expect(found.entries.length).to.be.at.least(24);
          expect(found.entries.length % 3).to.equal(0);
        }
      }),
      { numRuns: 150 },
    );
  });

  it('keeps refusing a damaged write-ahead file: looking at it does not remove it', () => {
    const path = crashedLog();
    flipBit(`${path}-wal`, 5000);
    for (const attempt of [1, 2, 3])
      expect(() => open(path), `attempt ${attempt}`).to.throw(DamagedLogError, 'was changed after it was written');
  });

  it('takes a torn tail for what it is', () => {
    const path = crashedLog();
    const bytes = statSync(`${path}-wal`).size;
    truncateSync(`${path}-wal`, bytes - 100);
    expect(seen(path)).to.have.property('entries').with.lengthOf(27);
  });

  const losses: { name: string; harm: (path: string) => void }[] = [
    { name: 'an emptied file', harm: (path) => truncateSync(path, 0) },
    { name: 'a file that lost its end', harm: (path) => truncateSync(path, statSync(path).size - 4096 * 3) },
    { name: 'other bytes', harm: (path) => writeFileSync(path, 'not a database at all, whatever its name says'.repeat(200)) },
    { name: 'zeros', harm: (path) => writeFileSync(path, Buffer.alloc(statSync(path).size)) },
  ];
  for (const { name, harm } of losses) {
    it(`refuses ${name}`, () => {
      const path = closedLog();
      harm(path);
      expect(() => open(path)).to.throw(DamagedLogError, path);
    });
  }

  it('refuses to start anew beside a write-ahead file whose log is gone', () => {
    const path = crashedLog();
    rmSync(path);
    expect(() => open(path)).to.throw(DamagedLogError, 'the file is missing');
  });

  it('refuses a file of a later version', () => {
    const path = closedLog();
    // https://www.sqlite.org/fileformat2.html#the_database_header: the user version is at offset 60.
    flipBit(path, 63, 1);
    expect(() => open(path)).to.throw(UnsupportedFormatError, /version 3.*a newer program has written it/);
  });

  it('finds damage that happens while it is open when it reads there, and refuses everything from then on', () => {
    const path = join(scratch(), 'log.db');
    const log = open(path, { tailBytesMax: 1000 });
    const many = Array.from({ length: 12_000 }, (_, place) => entry(1 + place, 1, `entry ${1 + place} `.padEnd(1000, '.')));
    log.append({ hardState: state(1), entries: many });
    log.append({ hardState: state(2), entries: [] });
    const at = readFileSync(path).indexOf('entry 9 ');
    expect(at, 'entry 9 is in the database file').to.be.above(0);
    flipBit(path, at);
    expect(() => log.entries(logIndex(1), logIndex(20), 1e6))
      .to.throw(DamagedLogError)
      .with.property('index', 9);
    expect(() => log.append({ hardState: state(3), entries: [] })).to.throw(DamagedLogError);
    expect(() => log.termAt(logIndex(1))).to.throw(DamagedLogError);
    log.close();
  });
});
