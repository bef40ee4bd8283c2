import { closeSync, existsSync, fsyncSync, openSync, rmSync } from 'node:fs';

/** Of the second name of a write-ahead file (`keptWal.ts`). */
export const keptWalSuffix = '-wal-kept';
/** Suffixes of the files that are kept beside a database. */
const companions = ['-wal', '-shm', '-journal', keptWalSuffix] as const;

/** Makes what was written to a file, or the names in a directory, survive a power failure. */
export function syncPath(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Removes a database file and what SQLite left beside it; files that are not there are fine. */
export function removeDatabase(path: string): void {
  for (const suffix of ['', ...companions]) rmSync(path + suffix, { force: true });
}

/** The file beside `path` whose content SQLite would replay into it, if there is one. */
export function pendingCompanion(path: string): string | null {
  return companions.map((suffix) => path + suffix).find((name) => existsSync(name)) ?? null;
}
