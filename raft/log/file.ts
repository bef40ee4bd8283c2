import { randomUUID } from 'node:crypto';
import type { HardState, LogIndex, MemberId, Term } from '../types.js';
import type { SqliteConnection } from '../sqlite/connection.js';
import type { DatabaseKind } from '../sqlite/database.js';
import type { OpenMark } from '../sqlite/keptWal.js';
import { DamagedLogError } from '../sqlite/errors.js';
import { identityRow, stateRow } from './records.js';
import type { Base, EntryRow, IdentityRow, PeerRow, StateRow } from './records.js';

const mebibyte = 1024 * 1024;

export const pageBytes = 4096;
const cacheBytes = 8 * mebibyte;
/** 4 MiB, some 10 ms of writing. */
export const checkpointPages = 1000;
/** Takes a millisecond or two. */
export const dropSliceMin = 512;
const walBytesKept = 16 * mebibyte;

const schema = `
  CREATE TABLE identity (one INTEGER PRIMARY KEY CHECK (one = 1), cluster_id TEXT NOT NULL, member_id TEXT NOT NULL, incarnation TEXT NOT NULL, crc INTEGER NOT NULL) STRICT;
  CREATE TABLE peers (member_id TEXT PRIMARY KEY, incarnation TEXT NOT NULL, crc INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE state (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    term INTEGER NOT NULL, vote TEXT, commit_index INTEGER NOT NULL, base_index INTEGER NOT NULL, base_term INTEGER NOT NULL, crc INTEGER NOT NULL,
    open_crc INTEGER
  ) STRICT;
  CREATE TABLE entries (log_index INTEGER PRIMARY KEY, term INTEGER NOT NULL, kind INTEGER NOT NULL, crc INTEGER NOT NULL, data BLOB NOT NULL) STRICT;
`;

const emptyState: HardState = { term: 0 as Term, vote: null, commit: 0 as LogIndex };
const emptyBase: Base = { index: 0 as LogIndex, term: 0 as Term };

/** The log counts as open while `open_crc` equals `crc`; an older program writes only `crc`, which clears the mark. */
const openMark: OpenMark = {
  isSet: (db) => {
    if (!hasMark(db)) return false;
    const row = db.prepare<[], { crc: number; open_crc: number | null }>('SELECT crc, open_crc FROM state WHERE one = 1').get();
    return row !== undefined && row.crc === row.open_crc;
  },
  set: (db) => {
    db.immediate(() => {
      if (!hasMark(db)) db.exec('ALTER TABLE state ADD COLUMN open_crc INTEGER');
      db.exec('UPDATE state SET open_crc = crc WHERE one = 1');
    });
  },
};

/** Older files lack the column. */
const hasMark = (db: SqliteConnection): boolean =>
  db.prepare<[], { name: string }>("SELECT name FROM pragma_table_info('state') WHERE name = 'open_crc'").get() !== undefined;

/** New entries reuse pages, so the file keeps its largest size. */
export function logKind(owner: { readonly clusterId: string; readonly memberId: MemberId }): DatabaseKind {
  return {
    name: 'Raft log',
    applicationId: 0x5261_4c67,
    migrations: [],
    synchronous: 'full',
    pageBytes,
    cacheBytes,
    walBytesKept,
    shrinks: false,
    openMark,
    damaged: (path, what, cause) => new DamagedLogError(path, null, what, cause),
    create: (db) => {
      db.exec(schema);
      const sql = logStatements(db);
      sql.insertIdentity.run(identityRow({ clusterId: owner.clusterId, memberId: owner.memberId, incarnation: randomUUID() }));
      sql.insertState.run(stateRow(emptyState, emptyBase));
    },
  };
}

export type LogStatements = ReturnType<typeof logStatements>;

export function logStatements(db: SqliteConnection) {
  return {
    identity: db.prepare<[], IdentityRow>('SELECT cluster_id, member_id, incarnation, crc FROM identity WHERE one = 1'),
    insertIdentity: db.prepare<[IdentityRow]>(
      'INSERT INTO identity (one, cluster_id, member_id, incarnation, crc) VALUES (1, @cluster_id, @member_id, @incarnation, @crc)',
    ),
    peers: db.prepare<[], PeerRow>('SELECT member_id, incarnation, crc FROM peers'),
    insertPeer: db.prepare<[PeerRow]>('INSERT INTO peers (member_id, incarnation, crc) VALUES (@member_id, @incarnation, @crc)'),
    state: db.prepare<[], StateRow>('SELECT term, vote, commit_index, base_index, base_term, crc FROM state WHERE one = 1'),
    insertState: db.prepare<[StateRow]>(
      'INSERT INTO state (one, term, vote, commit_index, base_index, base_term, crc) VALUES (1, @term, @vote, @commit_index, @base_index, @base_term, @crc)',
    ),
    updateState: db.prepare<[StateRow]>(
      'UPDATE state SET term = @term, vote = @vote, commit_index = @commit_index, base_index = @base_index, base_term = @base_term, crc = @crc, open_crc = @crc WHERE one = 1',
    ),
    closeState: db.prepare<[]>('UPDATE state SET open_crc = NULL WHERE one = 1'),
    insertEntry: db.prepare<[number, number, number, number, Uint8Array]>(
      'INSERT INTO entries (log_index, term, kind, crc, data) VALUES (?, ?, ?, ?, ?)',
    ),
    truncateFrom: db.prepare<[number]>('DELETE FROM entries WHERE log_index >= ?'),
    dropTo: db.prepare<[number]>('DELETE FROM entries WHERE log_index <= ?'),
    entriesBetween: db.prepare<[number, number], EntryRow>(
      'SELECT log_index, term, kind, crc, data FROM entries WHERE log_index BETWEEN ? AND ? ORDER BY log_index',
    ),
    entriesAfter: db.prepare<[number], EntryRow>(
      'SELECT log_index, term, kind, crc, data FROM entries WHERE log_index > ? ORDER BY log_index',
    ),
    oldest: db.prepare<[], { log_index: number }>('SELECT log_index FROM entries ORDER BY log_index LIMIT 1'),
    walPages: db.prepare<[], { log: number }>('PRAGMA wal_checkpoint(NOOP)'),
  };
}
