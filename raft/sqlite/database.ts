import { existsSync, linkSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { basename, dirname, join } from 'node:path';
import { failPoint } from '../failPoints.js';
import type { SqliteConnection } from './connection.js';
import { openSqlite } from './driver.js';
import { CannotOpenError, DiskFailedError, InUseError, NotDurableError, StorageError } from './errors.js';
import { draftSuffix, pendingCompanion, removeDatabase, syncPath } from './files.js';
import { checkFormat, demandCurrentFormat, formatVersion, migrate, type Migration } from './format.js';
import { resultCodeOf, type ResultCode } from './resultCode.js';
import { hasWal, keepWal, putWalBack, type OpenMark } from './keptWal.js';
import { checkWal } from './walCheck.js';

export interface DatabaseKind {
  readonly name: string;
  readonly applicationId: number;
  readonly migrations: readonly Migration[];
  /** 'normal': only checkpointed data certainly survives a power failure. */
  readonly synchronous: 'full' | 'normal';
  readonly pageBytes: number;
  readonly cacheBytes: number;
  readonly walBytesKept: number;
  /** Returns deleted pages to the file system, for a few per cent of write speed. */
  readonly shrinks: boolean;
  readonly openMark?: OpenMark;
  readonly create: (db: SqliteConnection) => void;
  readonly damaged: (path: string, what: string, cause?: unknown) => StorageError;
}

const damageCodes: ReadonlySet<ResultCode | null> = new Set<ResultCode>(['CORRUPT', 'NOTADB', 'FORMAT', 'ERROR', 'CONSTRAINT', 'MISMATCH']);
const busyCodes: ReadonlySet<ResultCode | null> = new Set<ResultCode>(['BUSY', 'LOCKED']);
const synchronousLevels = { full: 2, normal: 1 } as const;

export interface OpenedDatabase {
  readonly db: SqliteConnection;
  readonly created: boolean;
}

/** Opens a database for this process alone, or creates it atomically. Writes once to detect unwritable and non-durable files. */
export function openDatabase(path: string, kind: DatabaseKind): OpenedDatabase {
  let db: SqliteConnection | null = null;
  try {
    const created = !existsSync(path);
    if (created) createFile(path, kind);
    else checkBeforeOpening(path, kind);
    db = connect(path, kind);
    migrate(db, path, kind);
    proveDurability(db, path, kind);
    if (kind.openMark !== undefined) markOpen(db, path, kind.openMark);
    removeDrafts(path);
    return { db, created };
  } catch (error) {
    db?.close();
    throw translateOpenError(error, path, kind);
  }
}

/** No other process may use the database meanwhile. */
export function openToRead(path: string, kind: DatabaseKind): SqliteConnection {
  let db: SqliteConnection | null = null;
  try {
    checkBeforeOpening(path, kind);
    db = connect(path, kind);
    demandCurrentFormat(db, path, kind);
    return db;
  } catch (error) {
    db?.close();
    throw translateOpenError(error, path, kind);
  }
}

/** Other errors stay unchanged. */
export function translateError(error: unknown, what: string, path: string, kind: DatabaseKind): Error {
  if (error instanceof StorageError) return error;
  if (isDamage(error)) return kind.damaged(path, `${what} found an impossible page (${error.message})`, error);
  if (resultCodeOf(error) !== null || isSystemError(error)) return new DiskFailedError(path, what, error);
  return error instanceof Error ? error : new DiskFailedError(path, what, error);
}

/** Throws unless all was checkpointed. `truncate` also empties it. */
export function checkpoint(db: SqliteConnection, mode: 'passive' | 'truncate'): void {
  const row = db.prepare<[], { busy: number; log: number; checkpointed: number }>(`PRAGMA wal_checkpoint(${mode})`).get();
  if (row === undefined || row.busy !== 0 || row.log !== row.checkpointed)
    throw new DiskFailedError(db.path, 'checkpoint', `it was incomplete: ${JSON.stringify(row)}`);
}

/** Links a complete draft into place, atomically: of two creators one wins. */
function createFile(path: string, kind: DatabaseKind): void {
  const leftover = pendingCompanion(path);
  if (leftover !== null) throw kind.damaged(path, `the file is missing, but ${leftover} is still there`);
  const draft = `${path}.${randomUUID()}${draftSuffix}`;
  try {
    const db = openSqlite(draft);
    db.pragma(`page_size = ${kind.pageBytes}`);
    if (kind.shrinks) db.pragma('auto_vacuum = INCREMENTAL');
    db.pragma(`application_id = ${kind.applicationId}`);
    db.pragma(`user_version = ${formatVersion(kind)}`);
    configure(db, draft, kind);
    db.immediate(() => kind.create(db));
    checkpoint(db, 'truncate');
    db.close();
    syncPath(draft);
    failPoint?.('create.drafted');
    linkIntoPlace(draft, path);
    failPoint?.('create.named');
  } finally {
    removeDatabase(draft);
  }
  syncPath(dirname(path));
}

function linkIntoPlace(draft: string, path: string): void {
  try {
    linkSync(draft, path);
  } catch (error) {
    // The other creator won; opening detects its lock.
    if (!isSystemError(error) || !existsSync(path)) throw error;
  }
}

function removeDrafts(path: string): void {
  const directory = dirname(path);
  for (const name of readdirSync(directory)) {
    if (name.startsWith(`${basename(path)}.`) && name.includes(draftSuffix)) rmSync(join(directory, name), { force: true });
  }
}

function checkBeforeOpening(path: string, kind: DatabaseKind): void {
  // SQLite takes an empty file for a new database; this one lost its content.
  if (statSync(path).size === 0) throw kind.damaged(path, 'the file is empty');
  if (kind.synchronous !== 'full') return;
  if (kind.openMark !== undefined && !hasWal(path)) missWal(path, kind, kind.openMark);
  const wal = `${path}-wal`;
  if (!existsSync(wal)) return;
  const verdict = checkWal(readFileSync(wal), kind.pageBytes);
  if (verdict.intact) return;
  if (isHeldElsewhere(path)) throw new InUseError(path);
  throw kind.damaged(
    path,
    verdict.frame === 0 ? `the header of ${wal} was changed` : `frame ${verdict.frame} of ${wal} was changed after it was written`,
  );
}

/** Restores a missing write-ahead file, or refuses the database unless it was closed. */
function missWal(path: string, kind: DatabaseKind, mark: OpenMark): void {
  const db = connect(path, kind);
  let wasOpen: boolean;
  try {
    checkFormat(db, path, kind);
    wasOpen = mark.isSet(db);
  } finally {
    db.close();
  }
  if (wasOpen && !putWalBack(path))
    throw kind.damaged(
      path,
      `it was not closed, and its write-ahead file ${path}-wal is gone, with what was acknowledged since the last checkpoint. If that file is still somewhere, put it back beside it; a server that is alone in its cluster is otherwise restored from a backup (apiserver restore)`,
    );
}

function markOpen(db: SqliteConnection, path: string, mark: OpenMark): void {
  keepWal(path);
  failPoint?.('open.walKept');
  mark.set(db);
  checkpoint(db, 'passive');
  failPoint?.('open.marked');
}

/** Throws InUseError while the database is open anywhere. Changes nothing. */
export function refuseIfInUse(path: string): void {
  // The check would create a missing file.
  if (existsSync(`${path}-wal`) && isHeldElsewhere(path)) throw new InUseError(path);
}

/** A read-only connection neither replays nor removes the write-ahead file. */
function isHeldElsewhere(path: string): boolean {
  const db = openSqlite(path, { readOnly: true });
  try {
    db.pragma('schema_version');
    return false;
  } catch (error) {
    return isBusy(error);
  } finally {
    db.close();
    rmSync(`${path}-shm`, { force: true });
  }
}

function connect(path: string, kind: DatabaseKind): SqliteConnection {
  const db = openSqlite(path, { mustExist: true });
  try {
    configure(db, path, kind);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** `locking_mode` comes first: the first read then excludes other processes, and the wal-index stays in memory. */
function configure(db: SqliteConnection, path: string, kind: DatabaseKind): void {
  db.pragma('locking_mode = EXCLUSIVE');
  const mode = db.pragma('journal_mode = WAL');
  if (mode !== 'wal') throw new NotDurableError(path, `SQLite uses journal mode ${String(mode)} instead of WAL`);
  db.pragma(`synchronous = ${kind.synchronous}`);
  db.pragma('fullfsync = ON');
  db.pragma('checkpoint_fullfsync = ON');
  // An automatic checkpoint would ignore a failed write; ours throws.
  db.pragma('wal_autocheckpoint = 0');
  db.pragma(`journal_size_limit = ${kind.walBytesKept}`);
  db.pragma(`cache_size = ${-Math.floor(kind.cacheBytes / 1024)}`);
  db.pragma('cell_size_check = ON');
  db.pragma('trusted_schema = OFF');
  db.pragma('temp_store = MEMORY');
}

/** Some builds default WAL to synchronous=NORMAL. */
function proveDurability(db: SqliteConnection, path: string, kind: DatabaseKind): void {
  db.immediate(() => db.pragma(`user_version = ${formatVersion(kind)}`));
  const level = db.pragma('synchronous');
  const wanted = synchronousLevels[kind.synchronous];
  if (level !== wanted)
    throw new NotDurableError(path, `synchronous is ${String(level)} instead of ${wanted} (${kind.synchronous.toUpperCase()})`);
  const locking = db.pragma('locking_mode');
  if (locking !== 'exclusive') throw new NotDurableError(path, `locking mode is ${String(locking)} instead of exclusive`);
}

function translateOpenError(error: unknown, path: string, kind: DatabaseKind): StorageError {
  if (error instanceof StorageError) return error;
  if (isBusy(error)) return new InUseError(path, error);
  if (isDamage(error)) return kind.damaged(path, `SQLite cannot read it (${error.message})`, error);
  return new CannotOpenError(path, error);
}

/** Statements fit this format version, and numbers below 2^53; otherwise the schema or a row was changed. */
function isDamage(error: unknown): error is Error {
  return damageCodes.has(resultCodeOf(error)) || isTooLargeNumber(error);
}

/** `node:sqlite` refuses such numbers; better-sqlite3 rounds them. */
const isTooLargeNumber = (error: unknown): boolean =>
  error instanceof RangeError && error.message.startsWith('Value is too large to be represented');

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'errno' in error && 'syscall' in error;
}

function isBusy(error: unknown): boolean {
  return busyCodes.has(resultCodeOf(error));
}
