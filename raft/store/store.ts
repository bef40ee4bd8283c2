import assert from 'node:assert';
import { renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { failPoint } from '../failPoints.js';
import type { Entry, LogIndex, Membership, Revision, SnapshotMeta, Term } from '../types.js';
import type { SqliteConnection } from '../sqlite/connection.js';
import { checkpoint, openDatabase, openToRead, translateError } from '../sqlite/database.js';
import type { DatabaseKind } from '../sqlite/database.js';
import { DiskFailedError } from '../sqlite/errors.js';
import { FailStop } from '../sqlite/failStop.js';
import { pendingCompanion, syncPath } from '../sqlite/files.js';
import { Applier } from './applier.js';
import { FileCopier } from './copy.js';
import type { Change, ChangesResult, CommandResult, RangeOptions, RangeResult, StateMachine } from './contract.js';
import { checkpointPages, readState, storeKind, storeStatements, verifiedAtOpenBytesMax, verifyContent } from './file.js';
import type { StoreStatements } from './file.js';
import { shrink, sweep, sweepMin, sweepPending, sweepPerEntry, sweepSlice, usedPages, vacuumSlice } from './housekeeping.js';
import { StoreReader } from './reader.js';
import { revisionMax, stateRow } from './rows.js';
import type { StoreState } from './rows.js';
import { unsealSnapshot, writeSnapshot } from './snapshot.js';

/** Changes per disk transaction, about a megabyte at usual sizes. */
const unsettledChangesMax = 512;

export interface StoreOptions {
  readonly decodeMembership: (data: Uint8Array) => Membership;
  readonly initialMembership: Membership;
}

/** After a failed write or damage every call throws that error again. */
export interface Store extends StateMachine {
  /** Founds a new cluster with other members on this content. Its revisions begin `revisionsSkipped` later; earlier ones count as compacted. */
  refound(membership: Membership, revisionsSkipped: number): void;
  /** Verifies all checksums. Throws DamagedStoreError. */
  verify(): void;
  readonly path: string;
  readonly created: boolean;
  readonly usedBytes: number;
}

/** Opens or creates the store. Throws a `StorageError`: InUseError, DamagedStoreError, UnsupportedFormatError, CannotOpenError. */
export function openStore(path: string, options: StoreOptions): Store {
  return new SqliteStore(path, options);
}

/** Works even where nothing can be written. */
export interface StoreToRead extends Pick<
  StateMachine,
  'appliedIndex' | 'appliedTerm' | 'revision' | 'compactedRevision' | 'membership' | 'range' | 'changesSince'
> {
  readonly usedBytes: number;
  close(): void;
}

export function openStoreToRead(path: string): StoreToRead {
  const kind = storeKind({ members: [], removed: [] });
  const db = openToRead(path, kind);
  try {
    const sql = storeStatements(db);
    const state = readState(path, sql);
    const reader = new StoreReader(path, sql);
    return {
      ...state,
      usedBytes: usedPages(sql) * kind.pageBytes,
      range: (options) => reader.range(state, options),
      changesSince: (after, bytesMax) => reader.changesSince(state, after, bytesMax),
      close: () => db.close(),
    };
  } catch (error) {
    db.close();
    throw translateError(error, 'opening the store', path, kind);
  }
}

interface OpenFile {
  readonly db: SqliteConnection;
  readonly copier: FileCopier;
  readonly sql: StoreStatements;
  readonly reader: StoreReader;
  readonly created: boolean;
}

class SqliteStore implements Store {
  readonly path: string;
  readonly created: boolean;
  readonly #kind: DatabaseKind;
  readonly #decodeMembership: StoreOptions['decodeMembership'];
  readonly #failStop: FailStop;
  #file: OpenFile;
  #state: StoreState;
  #copying = false;
  /** Applied entries are in `#state` and all reads, not yet on disk. */
  #unsettled = false;
  #unsettledChanges = 0;
  /** Nothing was written since the file was small enough. */
  #tidy = false;

  constructor(path: string, { decodeMembership, initialMembership }: StoreOptions) {
    this.path = path;
    this.#kind = storeKind(initialMembership);
    this.#decodeMembership = decodeMembership;
    this.#failStop = new FailStop(path, (error, what) => translateError(error, what, path, this.#kind));
    const { file, state } = open(path, this.#kind);
    this.#file = file;
    this.#state = state;
    this.created = file.created;
  }

  get appliedIndex(): LogIndex {
    return this.#state.appliedIndex;
  }

  get appliedTerm(): Term {
    return this.#state.appliedTerm;
  }

  get revision(): Revision {
    return this.#state.revision;
  }

  get compactedRevision(): Revision {
    return this.#state.compactedRevision;
  }

  get membership(): Membership {
    return this.#state.membership;
  }

  get usedBytes(): number {
    return this.#failStop.run('reading', () => usedPages(this.#file.sql) * this.#kind.pageBytes);
  }

  apply(entries: readonly Entry[]): { readonly results: readonly (CommandResult | null)[]; readonly changes: readonly Change[] } {
    this.#failStop.check();
    if (entries.length === 0) return { results: [], changes: [] };
    return this.#failStop.run('applying entries', () => {
      const applier = new Applier(this.#state, {
        sql: this.#file.sql,
        reader: this.#file.reader,
        decodeMembership: this.#decodeMembership,
      });
      this.#begin();
      for (const entry of entries) applier.apply(entry);
      failPoint?.('store.apply.uncommitted');
      this.#state = this.#swept(applier.state, Math.max(sweepMin, sweepPerEntry * applier.changes.length));
      this.#unsettledChanges += applier.changes.length;
      if (this.#unsettledChanges >= unsettledChangesMax) this.#settle();
      return { results: applier.results, changes: applier.changes };
    });
  }

  settle(): void {
    if (this.#unsettled) this.#failStop.run('committing', () => this.#settle());
  }

  get(key: string, revision: Revision | null): RangeResult {
    return this.#failStop.run('reading', () => this.#file.reader.get(this.#state, key, revision));
  }

  range(options: RangeOptions): RangeResult {
    return this.#failStop.run('reading', () => this.#file.reader.range(this.#state, options));
  }

  changesSince(after: Revision, bytesMax: number): ChangesResult {
    return this.#failStop.run('reading', () => this.#file.reader.changesSince(this.#state, after, bytesMax));
  }

  checkpoint(): LogIndex {
    return this.#failStop.run('checkpoint', () => {
      this.#settle();
      const { db } = this.#file;
      db.pragma('synchronous = FULL');
      failPoint?.('store.checkpoint.begun');
      this.#checkpoint();
      failPoint?.('store.checkpoint.done');
      db.pragma('synchronous = NORMAL');
      return this.#state.appliedIndex;
    });
  }

  async snapshotTo(path: string): Promise<SnapshotMeta> {
    this.#failStop.check();
    assert(!this.#copying, 'one snapshot at a time');
    this.#failStop.run('checkpoint', () => {
      this.#settle();
      this.#checkpoint();
    });
    this.#copying = true;
    try {
      return await writeSnapshot(path, (draft) => this.#file.copier.copyTo(draft, () => this.#failStop.check()));
    } finally {
      this.#copying = false;
    }
  }

  restoreFrom(path: string, expected: SnapshotMeta): void {
    this.#failStop.check();
    assert(
      expected.index >= this.#state.appliedIndex,
      `snapshot ${expected.index} is older than what was applied, ${this.#state.appliedIndex}`,
    );
    unsealSnapshot(path, expected, this.#kind);
    failPoint?.('install.verified');
    this.#failStop.run('restoring a snapshot', () => this.#replaceFile(path));
  }

  refound(membership: Membership, revisionsSkipped: number): void {
    this.#failStop.check();
    const revision = (this.#state.revision + revisionsSkipped) as Revision;
    assert(revision <= revisionMax, `revision ${revision} is beyond the last one`);
    this.#failStop.run('founding a cluster', () => {
      this.#settle();
      this.#commit(() => ({ ...this.#state, membership, revision, compactedRevision: revision }));
    });
  }

  verify(): void {
    this.#failStop.run('verifying', () => verifyContent(this.path, this.#file.db, this.#file.sql));
  }

  maintain(): boolean {
    return this.#failStop.run('housekeeping', () => {
      this.#settle();
      if (sweepPending(this.#state)) this.#commit(() => this.#swept(this.#state, sweepSlice));
      else if (this.#tidy) return false;
      const more = sweepPending(this.#state) || shrink(this.#file.db, this.#file.sql, vacuumSlice);
      this.#tidy = !more;
      this.#checkpointWhenFull();
      return more;
    });
  }

  close(): void {
    try {
      if (this.#failStop.works) this.settle();
    } finally {
      if (this.#failStop.close()) closeFile(this.#file);
    }
  }

  #begin(): void {
    if (this.#unsettled) return;
    this.#file.db.begin();
    this.#unsettled = true;
    this.#tidy = false;
  }

  #settle(): void {
    if (!this.#unsettled) return;
    const { db, sql } = this.#file;
    sql.updateState.run(stateRow(this.#state));
    db.commit();
    this.#unsettled = false;
    this.#unsettledChanges = 0;
    failPoint?.('store.apply.committed');
    this.#checkpointWhenFull();
  }

  /** Memory follows after the commit. */
  #commit(change: () => StoreState): void {
    this.#tidy = false;
    const { db, sql } = this.#file;
    this.#state = db.immediate(() => {
      const state = change();
      sql.updateState.run(stateRow(state));
      return state;
    });
  }

  #swept(state: StoreState, countMax: number): StoreState {
    return sweepPending(state) ? { ...state, sweptId: sweep(this.#file.sql, state, countMax) } : state;
  }

  #checkpointWhenFull(): void {
    if ((this.#file.sql.walPages.get()?.log ?? 0) >= checkpointPages) this.#checkpoint();
  }

  /** A reused write-ahead file could be replayed into a newer database. */
  #checkpoint(): void {
    const { db, copier } = this.#file;
    copier.duringCheckpoint(() => checkpoint(db, 'truncate'));
  }

  /** Each step is durable before the next: a crash never leaves the new content with the old write-ahead file. */
  #replaceFile(copy: string): void {
    this.#settle();
    this.#checkpoint();
    closeFile(this.#file);
    const leftover = pendingCompanion(this.path);
    if (leftover !== null) throw new DiskFailedError(this.path, 'closing the old store', `SQLite left ${leftover} behind`);
    syncPath(dirname(this.path));
    failPoint?.('install.closed');
    renameSync(copy, this.path);
    failPoint?.('install.renamed');
    syncPath(dirname(this.path));
    const { file, state } = open(this.path, this.#kind);
    this.#file = file;
    this.#state = state;
    this.#tidy = false;
  }
}

function open(path: string, kind: DatabaseKind): { readonly file: OpenFile; readonly state: StoreState } {
  const { db, created } = openDatabase(path, kind);
  try {
    const sql = storeStatements(db);
    const state = readState(path, sql);
    if (statSync(path).size <= verifiedAtOpenBytesMax) verifyContent(path, db, sql);
    const copier = new FileCopier(path, kind.pageBytes);
    return { file: { db, copier, sql, reader: new StoreReader(path, sql), created }, state };
  } catch (error) {
    db.close();
    throw translateError(error, 'opening the store', path, kind);
  }
}

function closeFile({ db, copier }: OpenFile): void {
  try {
    db.close();
  } finally {
    copier.close();
  }
}
