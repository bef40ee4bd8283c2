import { existsSync, linkSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { SqliteConnection } from './connection.js';
import { keptWalSuffix, syncPath } from './files.js';

/**
 * A write-ahead file holds what was acknowledged since the last checkpoint. SQLite takes a file that is gone for one that was empty, so whoever deletes it takes
 * those writes away without a word. Two things are against that, neither of which costs a write of its own while the database is used:
 *
 * - A second name for the file (a hard link). Where the first one is gone, it comes back.
 * - A mark in the database file itself, as long as it is open. Where it is set and both names are gone, content is missing, and the file is refused.
 *
 *     open:   write-ahead file written ──▶ second name, durable ──▶ mark set, in the database file by a checkpoint ──▶ first promise
 *     close:  mark taken away ──▶ SQLite checkpoints, and deletes the write-ahead file ──▶ second name deleted
 *
 * A process that ends without closing leaves the mark and the second name, even where SQLite has put everything into the database file and deleted the
 * write-ahead file on its way: reading that file once more changes nothing.
 */
export interface OpenMark {
  /** Whether it is set, and nothing has been written since that did not set it again, as a program does that knows no mark. */
  isSet(db: SqliteConnection): boolean;
  /** In a transaction of its own. Brings older files into the form that has it. */
  set(db: SqliteConnection): void;
}

/** https://www.sqlite.org/fileformat2.html#walformat: less than a header holds nothing. */
const walHeaderBytes = 32;

const walOf = (path: string): string => `${path}-wal`;
const keptOf = (path: string): string => path + keptWalSuffix;

export const hasWal = (path: string): boolean => (statSync(walOf(path), { throwIfNoEntry: false })?.size ?? 0) >= walHeaderBytes;

/** Puts the write-ahead file back that lost its name. False where there is no other name for it. Only while nobody has the database open. */
export function putWalBack(path: string): boolean {
  const kept = keptOf(path);
  if ((statSync(kept, { throwIfNoEntry: false })?.size ?? 0) < walHeaderBytes) return false;
  rmSync(walOf(path), { force: true });
  linkSync(kept, walOf(path));
  syncPath(dirname(path));
  return true;
}

/** Gives the write-ahead file that is there its second name, durably. */
export function keepWal(path: string): void {
  const kept = statSync(keptOf(path), { throwIfNoEntry: false });
  if (kept !== undefined) {
    if (kept.ino === statSync(walOf(path)).ino) return;
    rmSync(keptOf(path));
  }
  linkSync(walOf(path), keptOf(path));
  syncPath(dirname(path));
}

/** Takes the second name away, of a database whose content is all in its own file. */
export function forgetWal(path: string): void {
  if (!existsSync(walOf(path))) rmSync(keptOf(path), { force: true });
}
