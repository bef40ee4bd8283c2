import { existsSync, linkSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { SqliteConnection } from './connection.js';
import { keptWalSuffix, syncPath } from './files.js';

/**
 * A write-ahead file holds what was acknowledged since the last checkpoint. SQLite treats a missing file as empty, so its deletion silently loses those writes.
 * Two measures prevent that, at no cost per write:
 *
 * - A second name for the file (a hard link), which restores a missing first one.
 * - A mark in the database file while it is open. If it is set and both names are missing, content is lost, and the file is refused.
 *
 *     open:   write-ahead file written ──▶ second name, durable ──▶ mark set, in the database file by a checkpoint ──▶ first promise
 *     close:  mark cleared ──▶ SQLite checkpoints, and deletes the write-ahead file ──▶ second name deleted
 *
 * A process that ends without closing leaves the mark and the second name, even if SQLite has checkpointed and deleted the file: replaying it changes nothing.
 */
export interface OpenMark {
  /** Programs that do not know the mark clear it with a write. */
  isSet(db: SqliteConnection): boolean;
  set(db: SqliteConnection): void;
}

/** Shorter files are empty. */
const walHeaderBytes = 32;

const walOf = (path: string): string => `${path}-wal`;
const keptOf = (path: string): string => path + keptWalSuffix;

export const hasWal = (path: string): boolean => (statSync(walOf(path), { throwIfNoEntry: false })?.size ?? 0) >= walHeaderBytes;

/** Returns false without a second name. The database must not be open. */
export function putWalBack(path: string): boolean {
  const kept = keptOf(path);
  if ((statSync(kept, { throwIfNoEntry: false })?.size ?? 0) < walHeaderBytes) return false;
  rmSync(walOf(path), { force: true });
  linkSync(kept, walOf(path));
  syncPath(dirname(path));
  return true;
}

export function keepWal(path: string): void {
  const kept = statSync(keptOf(path), { throwIfNoEntry: false });
  if (kept !== undefined) {
    if (kept.ino === statSync(walOf(path)).ino) return;
    rmSync(keptOf(path));
  }
  linkSync(walOf(path), keptOf(path));
  syncPath(dirname(path));
}

/** Removes the second name, once all content is in the database file. */
export function forgetWal(path: string): void {
  if (!existsSync(walOf(path))) rmSync(keptOf(path), { force: true });
}
