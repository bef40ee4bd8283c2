import { expect } from 'chai';
import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SqliteConnection, SqliteDriver } from '../../../../raft/sqlite/connection.js';
import { betterSqlite } from '../../../../raft/sqlite/betterSqlite.js';
import { chooseSqlite, NoSqliteError, sqliteVariable } from '../../../../raft/sqlite/driver.js';
import { nodeSqlite, packagedSqlite } from '../../../../raft/sqlite/nodeSqlite.js';
import { resultCodeOf } from '../../../../raft/sqlite/resultCode.js';
import { prepareWhole, wholeText } from '../../../../raft/sqlite/wholeTexts.js';
import { removeScratch, scratch } from '../log/scratch.js';

const all: readonly SqliteDriver[] = [betterSqlite, nodeSqlite, packagedSqlite];

function thrownBy(action: () => unknown): unknown {
  try {
    action();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}

for (const driver of all) {
  describe(`SQLite by ${driver.name}`, () => {
    let path = '';
    let db: SqliteConnection;

    before(function () {
      try {
        chooseSqlite(driver.name);
      } catch {
        this.skip();
      }
    });
    beforeEach(() => {
      path = join(scratch(), 'test.db');
      db = driver.load()(path);
      db.exec('CREATE TABLE t (id INTEGER PRIMARY KEY, key TEXT, value BLOB) STRICT');
    });
    afterEach(() => {
      db.close();
      removeScratch();
    });

    const insert = (key: string, value: Uint8Array | null): unknown =>
      db.prepare<[string, Uint8Array | null]>('INSERT INTO t (key, value) VALUES (?, ?)').run(key, value);
    const keys = (of = db): string[] =>
      prepareWhole<[], { key: string }>(of, `SELECT ${wholeText(of, 'key')} FROM t ORDER BY id`, ['key'])
        .all()
        .map(({ key }) => key);

    it('gives back what was written: empty blobs, no value, texts with any character', () => {
      const values = [new Uint8Array(0), null, Uint8Array.of(0, 255, 1)];
      for (const value of values) insert('a\0b 😀', value);
      const sql = `SELECT ${wholeText(db, 'key')}, value FROM t ORDER BY id`;
      const rows = prepareWhole<[], { key: string; value: Uint8Array | null }>(db, sql, ['key']);
      expect(rows.get()?.key).to.equal('a\0b 😀');
      expect(rows.all().map(({ value }) => value && [...value])).to.deep.equal([[], null, [0, 255, 1]]);
      expect([...rows.iterate()].map(({ key }) => key)).to.deep.equal(Array(3).fill('a\0b 😀'));
    });

    it('gives back any text, bound by place or by name, beside others, and finds it', () => {
      const texts = fc.array(fc.string({ unit: fc.constantFrom('\0', 'a', 'é', '😀', '\ud800', '?', '@key') }), {
        minLength: 2,
        maxLength: 2,
      });
      db.exec('CREATE TABLE pairs (id INTEGER PRIMARY KEY, one TEXT, other TEXT) STRICT');
      const add = db.prepare<[number, string, string]>('INSERT OR REPLACE INTO pairs (id, one, other) VALUES (?, ?, ?)');
      const addNamed = db.prepare<[{ id: number; key: string; other: string }]>(
        'INSERT OR REPLACE INTO pairs (id, one, other) VALUES (@id, @key, @other)',
      );
      const sql = `SELECT ${wholeText(db, 'one')}, ${wholeText(db, 'other')} FROM pairs WHERE one >= ? AND one <= ? AND other = ? AND id = ?`;
      const found = prepareWhole<[string, string, string, number], { one: string; other: string }>(db, sql, ['one', 'other']);
      fc.assert(
        fc.property(texts, fc.boolean(), fc.nat(), ([key = '', other = ''], named, id) => {
          if (named) addNamed.run({ id, key, other });
          else add.run(id, key, other);
          const row = { ...found.get(key, key, other, id) };
          // Drivers write different bytes in place of half a character.
          if (`${key} ${other}`.isWellFormed()) expect(row).to.deep.equal({ one: key, other });
          expect(found.all(key, `${key}\0`, other, id)).to.have.length(1);
          expect([...found.iterate(`${key}\0`, key, other, id)]).to.have.length(0);
        }),
      );
    });

    it('takes long texts with NUL characters', () => {
      const long = 'é\0'.repeat(500_000);
      insert(long, null);
      expect(keys()).to.deep.equal([long]);
    });

    it('takes whole numbers up to the largest that is safe', () => {
      db.prepare<[number, string]>('INSERT INTO t (id, key) VALUES (?, ?)').run(Number.MAX_SAFE_INTEGER, 'last');
      const found = db.prepare<[{ from: number }], { id: number }>('SELECT id FROM t WHERE id >= @from LIMIT 5');
      expect(found.get({ from: Number.MAX_SAFE_INTEGER })?.id).to.equal(Number.MAX_SAFE_INTEGER);
    });

    it('commits a transaction as a whole, or nothing of it', () => {
      expect(db.immediate(() => (insert('kept', null), 7))).to.equal(7);
      const refusal = new Error('no');
      expect(() =>
        db.immediate(() => {
          insert('dropped', null);
          throw refusal;
        }),
      ).to.throw(refusal.message);
      expect(keys()).to.deep.equal(['kept']);
    });

    it('runs a pragma to its end', () => {
      db.pragma('page_size = 4096');
      expect(db.pragma('journal_mode = WAL')).to.equal('wal');
      expect(db.pragma('user_version = 9')).to.equal(undefined);
      expect(db.pragma('user_version')).to.equal(9);
      expect(db.prepare<[], { log: number }>('PRAGMA wal_checkpoint(NOOP)').get()?.log).to.be.above(0);
    });

    it('tells which kind of failure it was', () => {
      insert('a', null);
      expect(resultCodeOf(thrownBy(() => db.prepare('SELECT nothing FROM t').get()))).to.equal('ERROR');
      expect(resultCodeOf(thrownBy(() => db.prepare<[number, string]>('INSERT INTO t (id, key) VALUES (?, ?)').run(1, 'b')))).to.equal(
        'CONSTRAINT',
      );
      expect(resultCodeOf(new Error('of something else'))).to.equal(null);
    });

    it('does not wait for who has the file', () => {
      const other = driver.load()(path);
      try {
        db.immediate(() => {
          expect(resultCodeOf(thrownBy(() => other.immediate(() => undefined)))).to.equal('BUSY');
        });
      } finally {
        other.close();
      }
    });

    it('makes no file where one must be, and changes nothing when it only reads', () => {
      const missing = join(scratch(), 'missing.db');
      expect(() => driver.load()(missing, { mustExist: true })).to.throw();
      expect(() => driver.load()(missing, { readOnly: true })).to.throw();
      const before = readFileSync(path);
      const reader = driver.load()(path, { readOnly: true });
      expect(resultCodeOf(thrownBy(() => reader.exec('DELETE FROM t')))).to.equal('READONLY');
      reader.close();
      expect(readFileSync(path).equals(before)).to.equal(true);
    });
  });
}

describe('the choice of SQLite', () => {
  const fake = (name: SqliteDriver['name'], version: string | Error): SqliteDriver => ({
    name,
    load: () => {
      if (version instanceof Error) throw version;
      const statement = { run: () => undefined, get: () => ({ version }), all: () => [], iterate: () => [] };
      return () => ({ prepare: () => statement, close: () => undefined }) as unknown as SqliteConnection;
    },
  });

  it('takes the first that works, and says why the others were not taken', () => {
    const { name, version, passedOver } = chooseSqlite(null, [
      fake('better-sqlite3', new Error('no native code\nRequire stack: …')),
      fake('node:sqlite', '3.53.4'),
    ]);
    expect({ name, version, passedOver }).to.deep.equal({
      name: 'node:sqlite',
      version: '3.53.4',
      passedOver: [{ name: 'better-sqlite3', reason: 'no native code' }],
    });
  });

  it('takes the one that is asked for, and no other', () => {
    const both = [fake('better-sqlite3', '3.53.2'), fake('node:sqlite', '3.53.4')];
    expect(chooseSqlite(null, both).name).to.equal('better-sqlite3');
    expect(chooseSqlite('node:sqlite', both).name).to.equal('node:sqlite');
    expect(() => chooseSqlite('other', both)).to.throw(NoSqliteError, `${sqliteVariable} is other`);
  });

  it('takes none that is too old, and says all reasons at once', () => {
    expect(() => chooseSqlite(null, [fake('better-sqlite3', new Error('gone')), fake('node:sqlite', '3.50.4')])).to.throw(
      NoSqliteError,
      /better-sqlite3: gone; node:sqlite: it has SQLite 3\.50\.4; 3\.51 or newer is needed/,
    );
  });
});
