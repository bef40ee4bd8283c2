import type { LogIndex, Membership, Revision, Term } from '../types.js';
import type { SqliteConnection } from '../sqlite/connection.js';
import { prepareWhole, wholeText } from '../sqlite/wholeTexts.js';
import type { DatabaseKind } from '../sqlite/database.js';
import { DamagedStoreError } from '../sqlite/errors.js';
import { changeCrc, revisionOf, stateFromRow, stateRow } from './rows.js';
import type { ChangeRow, KeyHead, StateRow, StoreState } from './rows.js';

const mebibyte = 1024 * 1024;
/** Holds the inner pages of a store of some gigabytes. */
const cacheBytes = 24 * mebibyte;
/** 4 MiB, some 15 ms of writing. */
export const checkpointPages = 1000;
/** Smaller files are verified when opened (100 ms at most). */
export const verifiedAtOpenBytesMax = 16 * mebibyte;

/**
 * `changes` only grows at its end, which suits a b-tree. `history` finds a key's versions with everything but the value, so comparisons and counting never read
 * the rows. TEXT compares by UTF-8 bytes (collation BINARY).
 */
const schema = `
  CREATE TABLE state (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    applied_index INTEGER NOT NULL, applied_term INTEGER NOT NULL, revision INTEGER NOT NULL, compacted_revision INTEGER NOT NULL,
    swept_id INTEGER NOT NULL, membership TEXT NOT NULL, crc INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE changes (
    id INTEGER PRIMARY KEY, create_revision INTEGER NOT NULL, version INTEGER NOT NULL, crc INTEGER NOT NULL, key TEXT NOT NULL, value BLOB
  ) STRICT;
  CREATE INDEX history ON changes (key, id, create_revision, version);
`;

export function storeKind(initialMembership: Membership): DatabaseKind {
  const initial: StoreState = {
    appliedIndex: 0 as LogIndex,
    appliedTerm: 0 as Term,
    revision: 0 as Revision,
    compactedRevision: 0 as Revision,
    sweptId: 0,
    membership: initialMembership,
  };
  return {
    name: 'Raft store',
    applicationId: 0x5261_5374,
    migrations: [],
    synchronous: 'normal',
    pageBytes: 4096,
    cacheBytes,
    walBytesKept: 0,
    shrinks: true,
    damaged: (path, what, cause) => new DamagedStoreError(path, { key: null, what }, cause),
    create: (db) => {
      db.exec(schema);
      storeStatements(db).insertState.run(stateRow(initial));
    },
  };
}

/** `end` may be `noEnd`; `limit` -1 means none. */
export interface Query {
  readonly start: string;
  readonly end: string | Uint8Array;
  readonly below: number;
  readonly limit: number;
}

/** SQLite orders every blob after every text. */
export const noEnd = new Uint8Array(0);

/** SQLite takes the other columns next to max() from the row of the maximum (https://www.sqlite.org/lang_select.html#bareagg): each key's newest change. */
const liveKeys = `
  SELECT key, max(id) AS id, create_revision, version FROM changes INDEXED BY history
  WHERE key >= @start AND key < @end AND id < @below GROUP BY key HAVING version > 0 LIMIT @limit`;

export type StoreStatements = ReturnType<typeof storeStatements>;

export function storeStatements(db: SqliteConnection) {
  const key = wholeText(db, 'key');
  const columns = `id, create_revision, version, crc, ${key}, value`;
  return {
    ...stateStatements(db),
    insertChange: db.prepare<[number, number, number, number, string, Uint8Array | null]>(
      'INSERT INTO changes (id, create_revision, version, crc, key, value) VALUES (?, ?, ?, ?, ?, ?)',
    ),
    head: db.prepare<[string, number], KeyHead>(
      'SELECT id, create_revision, version FROM changes INDEXED BY history WHERE key = ? AND id < ? ORDER BY id DESC LIMIT 1',
    ),
    change: prepareWhole<[number], ChangeRow>(db, `SELECT ${columns} FROM changes WHERE id = ?`, ['key']),
    changesFrom: prepareWhole<[number], ChangeRow>(db, `SELECT ${columns} FROM changes WHERE id >= ? ORDER BY id`, ['key']),
    newestId: db.prepare<[], { id: number | null }>('SELECT max(id) AS id FROM changes'),
    live: prepareWhole<[Query], ChangeRow & { found: string }>(
      db,
      `SELECT ${wholeText(db, 'live.key', 'found')}, c.id, c.create_revision, c.version, c.crc, ${wholeText(db, 'c.key', 'key')}, c.value
      FROM (${liveKeys}) AS live LEFT JOIN changes AS c ON c.id = live.id`,
      ['found', 'key'],
    ),
    countLive: db.prepare<[Query], { keys: number }>(`SELECT count(*) AS keys FROM (${liveKeys})`),
    toSweep: prepareWhole<[number, number, number], { id: number; key: string; version: number }>(
      db,
      `SELECT id, ${key}, version FROM changes WHERE id >= ? AND id < ? ORDER BY id LIMIT ?`,
      ['key'],
    ),
    forget: db.prepare<[string, number]>('DELETE FROM changes INDEXED BY history WHERE key = ? AND id < ?'),
    walPages: db.prepare<[], { log: number }>('PRAGMA wal_checkpoint(NOOP)'),
    pages: db.prepare<[], { page_count: number }>('PRAGMA page_count'),
    freePages: db.prepare<[], { freelist_count: number }>('PRAGMA freelist_count'),
  };
}

function stateStatements(db: SqliteConnection) {
  return {
    state: db.prepare<[], StateRow>(
      'SELECT applied_index, applied_term, revision, compacted_revision, swept_id, membership, crc FROM state WHERE one = 1',
    ),
    insertState: db.prepare<
      [StateRow]
    >(`INSERT INTO state (one, applied_index, applied_term, revision, compacted_revision, swept_id, membership, crc)
      VALUES (1, @applied_index, @applied_term, @revision, @compacted_revision, @swept_id, @membership, @crc)`),
    updateState: db.prepare<
      [StateRow]
    >(`UPDATE state SET applied_index = @applied_index, applied_term = @applied_term, revision = @revision,
      compacted_revision = @compacted_revision, swept_id = @swept_id, membership = @membership, crc = @crc WHERE one = 1`),
  };
}

export function readState(path: string, sql: StoreStatements): StoreState {
  const row = sql.state.get();
  const state = row === undefined ? null : stateFromRow(row);
  if (state === null) throw new DamagedStoreError(path, { key: null, what: 'its applied index and revision are missing or were changed' });
  const newest = sql.newestId.get()?.id ?? null;
  if (newest !== null && revisionOf(newest) > state.revision)
    throw new DamagedStoreError(path, {
      key: null,
      what: `it holds changes of revision ${revisionOf(newest)}, after its own, ${state.revision}`,
    });
  return state;
}

/** Checks structure, index and checksums. Throws DamagedStoreError. */
export function verifyContent(path: string, db: SqliteConnection, sql: StoreStatements): void {
  const problem = db.pragma('integrity_check(1)');
  if (problem !== 'ok') throw new DamagedStoreError(path, { key: null, what: `SQLite reports: ${String(problem)}` });
  for (const row of sql.changesFrom.iterate(0)) checkedRow(path, row.key, row);
}

/** Throws for a row that was changed. */
export function checkedRow(path: string, key: string, row: ChangeRow | undefined): ChangeRow {
  if (row === undefined || row.key !== key || row.crc !== changeCrc(row))
    throw new DamagedStoreError(path, { key, what: 'its value is missing or was changed after it was written' });
  return row;
}
