import { failPoint } from '../failPoints.js';
import type { SqliteConnection } from '../sqlite/connection.js';
import type { StoreStatements } from './file.js';
import { idAfter } from './rows.js';
import type { StoreState } from './rows.js';

/** Takes some milliseconds. */
export const sweepSlice = 256;
/** More per batch than its entries add: the sweep always catches up. */
export const sweepMin = 32;
export const sweepPerEntry = 4;
export const vacuumSlice = 128;
const freePagesKept = 256;
const freePartKept = 1 / 8;

/**
 * Deletes compacted rows among the next `countMax` changes: each change replaced all earlier versions of its key, and a deletion is itself obsolete. Every
 * change is visited once.
 */
export function sweep(sql: StoreStatements, state: StoreState, countMax: number): number {
  const below = idAfter(state.compactedRevision);
  if (!sweepPending(state)) return state.sweptId;
  const found = sql.toSweep.all(state.sweptId, below, countMax);
  for (const { id, key, version } of found) sql.forget.run(key, version === 0 ? id + 1 : id);
  failPoint?.('store.sweep.uncommitted');
  const last = found.at(-1);
  return last === undefined || found.length < countMax ? below : last.id + 1;
}

export function sweepPending(state: StoreState): boolean {
  return state.compactedRevision > 0 && state.sweptId < idAfter(state.compactedRevision);
}

/** Moves pages from the end of the file into free ones. Returns true if more should follow. */
export function shrink(db: SqliteConnection, sql: StoreStatements, countMax: number): boolean {
  const spare = sparePages(sql);
  if (spare === 0) return false;
  db.pragma(`incremental_vacuum(${Math.min(spare, countMax)})`);
  failPoint?.('store.shrink.done');
  return spare > countMax;
}

export const usedPages = (sql: StoreStatements): number => (sql.pages.get()?.page_count ?? 0) - (sql.freePages.get()?.freelist_count ?? 0);

function sparePages(sql: StoreStatements): number {
  const free = sql.freePages.get()?.freelist_count ?? 0;
  const pages = sql.pages.get()?.page_count ?? 0;
  const kept = Math.max(freePagesKept, Math.floor((pages - free) * freePartKept));
  return Math.max(0, free - kept);
}
