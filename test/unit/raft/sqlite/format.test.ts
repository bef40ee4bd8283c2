import { expect } from 'chai';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openDatabase, openToRead, type DatabaseKind } from '../../../../raft/sqlite/database.js';
import { StorageError, UnsupportedFormatError } from '../../../../raft/sqlite/errors.js';
import { copyBefore, type Migration } from '../../../../raft/sqlite/format.js';
import { temporaryDirectory } from '../../../fixtures/temporaryDirectory.js';

class Damaged extends StorageError {
  constructor(path: string, what: string) {
    super('DAMAGED', path, `${path}: ${what}`);
  }
}

const kind = (...migrations: Migration[]): DatabaseKind => ({
  name: 'list of words',
  applicationId: 0x776f_7264,
  migrations,
  synchronous: 'full',
  pageBytes: 4096,
  cacheBytes: 1024 * 1024,
  walBytesKept: 0,
  shrinks: false,
  damaged: (path, what) => new Damaged(path, what),
  create: (db) => db.exec('CREATE TABLE words (word TEXT) STRICT'),
});

const first = kind();
const withLengths: Migration = (db) => db.exec('ALTER TABLE words ADD COLUMN length INTEGER; UPDATE words SET length = length(word)');
const second = kind(withLengths);
const third = kind(withLengths, (db) => db.exec('ALTER TABLE words RENAME COLUMN length TO letters'));

/** A file of version 1 with one word. */
function oldFile(): string {
  const path = join(temporaryDirectory('format'), 'words.db');
  const { db } = openDatabase(path, first);
  db.exec("INSERT INTO words VALUES ('raft')");
  db.close();
  return path;
}

function rows(path: string, as: DatabaseKind): readonly unknown[] {
  const { db } = openDatabase(path, as);
  try {
    return db.prepare('SELECT * FROM words').all();
  } finally {
    db.close();
  }
}

describe('raft/sqlite/format', () => {
  it('migrates an older file through all versions, and keeps a copy that the older program opens', () => {
    const path = oldFile();
    expect(rows(path, third)).to.deep.equal([{ word: 'raft', letters: 4 }]);
    expect(rows(path, third), 'again').to.deep.equal([{ word: 'raft', letters: 4 }]);
    expect(rows(copyBefore(path, 1), first)).to.deep.equal([{ word: 'raft' }]);
    expect(readdirSync(join(path, '..'))).to.have.members(['words.db', 'words.db.version-1']);
  });

  it('leaves a file as it was when a migration fails, and takes up one that was interrupted after the copy', () => {
    const path = oldFile();
    const failing = kind((db) => db.exec('DELETE FROM words; DELETE FROM absent'));
    expect(() => openDatabase(path, failing)).to.throw(/no such table: absent/);
    expect(rows(path, first)).to.deep.equal([{ word: 'raft' }]);
    writeFileSync(copyBefore(path, 1), 'a copy of then');
    expect(rows(path, second)).to.deep.equal([{ word: 'raft', length: 4 }]);
    expect(rows(copyBefore(path, 1), first)).to.deep.equal([{ word: 'raft' }]);
  });

  it('refuses a newer file, says what to do, and does not change it', () => {
    const path = oldFile();
    rows(path, second);
    const before = readFileSync(path);
    expect(() => openDatabase(path, first)).to.throw(
      UnsupportedFormatError,
      /has version 2, and this program knows versions up to 1: a newer program has written it. Start that program/,
    );
    expect(readFileSync(path).equals(before)).to.equal(true);
  });

  it('does not migrate where nothing may be written', () => {
    const path = oldFile();
    expect(() => openToRead(path, second)).to.throw(UnsupportedFormatError, 'Make room, and start again');
    const db = openToRead(path, first);
    db.close();
  });
});
