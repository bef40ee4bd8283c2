import { copyFileSync, existsSync, linkSync, renameSync, rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { openSqlite } from '../../../../raft/sqlite/driver.js';
import { DamagedLogError } from '../../../../raft/sqlite/errors.js';
import { entries, open, state } from './entries.js';
import { removeScratch, scratch } from './scratch.js';

const appender = fileURLToPath(new URL('./appender.js', import.meta.url));
const suffixes = ['', '-wal', '-wal-kept'];

/** The log of a killed process: thirty entries, all in the write-ahead file. */
function killedLog(): string {
  const path = join(scratch(), 'log.db');
  const log = open(path);
  for (let group = 0; group < 10; group += 1)
    log.append({ hardState: state(1, 'a', group * 3), entries: entries(group * 3 + 1, group * 3 + 3, 1) });
  const copy = join(scratch(), 'log.db');
  copyFileSync(path, copy);
  copyFileSync(`${path}-wal`, `${copy}-wal`);
  linkSync(`${copy}-wal`, `${copy}-wal-kept`);
  log.close();
  return copy;
}

const lastIndexOf = (path: string): number => {
  const log = open(path);
  const { lastIndex } = log;
  log.close();
  return lastIndex;
};

describe('the write-ahead file of the raft log', () => {
  afterEach(removeScratch);

  it('has a second name as long as the log is open, and none afterwards', () => {
    const path = join(scratch(), 'log.db');
    const log = open(path);
    expect(existsSync(`${path}-wal-kept`)).to.equal(true);
    log.close();
    expect(suffixes.map((suffix) => existsSync(path + suffix))).to.deep.equal([true, false, false]);
    expect(lastIndexOf(path), 'a log that was closed needs none').to.equal(0);
  });

  it('comes back where it was deleted after a crash', () => {
    const path = killedLog();
    rmSync(`${path}-wal`);
    expect(lastIndexOf(path)).to.equal(30);
  });

  it('comes back where it was deleted while the log was open', () => {
    const path = join(scratch(), 'log.db');
    const log = open(path);
    rmSync(`${path}-wal`);
    log.append({ hardState: state(1), entries: entries(1, 3, 1) });
    const copy = join(scratch(), 'log.db');
    for (const suffix of ['', '-wal-kept']) copyFileSync(path + suffix, copy + suffix);
    expect(lastIndexOf(copy)).to.equal(3);
    log.close();
  });

  for (const [what, harm] of [
    ['deleted under both names', (path: string) => ['-wal', '-wal-kept'].forEach((suffix) => rmSync(path + suffix))],
    ['emptied', (path: string) => truncateSync(`${path}-wal`, 0)],
    [
      'left behind by a copy',
      (path: string) => ['-wal', '-wal-kept'].forEach((suffix) => renameSync(path + suffix, `${path}${suffix}.old`)),
    ],
  ] as const)
    it(`is missed where it was ${what}: what was acknowledged is not there`, () => {
      const path = killedLog();
      harm(path);
      for (const attempt of [1, 2])
        expect(() => open(path), `attempt ${attempt}`).to.throw(
          DamagedLogError,
          /was not closed, and its write-ahead file .* is gone.*remove this member/,
        );
    });

  it('may be put back', () => {
    const path = killedLog();
    renameSync(`${path}-wal`, `${path}.elsewhere`);
    rmSync(`${path}-wal-kept`);
    expect(() => open(path)).to.throw(DamagedLogError);
    renameSync(`${path}.elsewhere`, `${path}-wal`);
    expect(lastIndexOf(path)).to.equal(30);
  });

  it('is not missed after a process that ended without closing the log, and let SQLite do it', () => {
    const path = join(scratch(), 'log.db');
    const { stdout } = spawnSync(process.execPath, [appender, path, '40', '100', 'leave'], { encoding: 'utf8' });
    const acknowledged = Number(stdout.trim().split('\n').at(-1));
    expect(acknowledged).to.equal(120);
    expect(lastIndexOf(path)).to.equal(acknowledged);
  });

  it('is not read again over what a program wrote that knows no second name', () => {
    const path = killedLog();
    const db = openSqlite(path, { mustExist: true });
    db.pragma('locking_mode = EXCLUSIVE');
    db.exec('UPDATE state SET crc = 0 WHERE one = 1');
    db.close();
    expect(suffixes.map((suffix) => existsSync(path + suffix))).to.deep.equal([true, false, true]);
    // The foreign program's content is kept, though wrong.
    expect(() => open(path)).to.throw(DamagedLogError, 'term, vote and commit index are missing or were changed');
  });

  it('is kept for files that were made before it was', () => {
    const path = join(scratch(), 'log.db');
    open(path).close();
    const db = openSqlite(path, { mustExist: true });
    db.exec('ALTER TABLE state DROP COLUMN open_crc');
    db.close();
    const log = open(path);
    log.append({ hardState: state(1), entries: entries(1, 3, 1) });
    const copy = join(scratch(), 'log.db');
    copyFileSync(path, copy);
    log.close();
    expect(() => open(copy)).to.throw(DamagedLogError, 'is gone');
    expect(lastIndexOf(path)).to.equal(3);
  });
});
