import { closeSync, existsSync, fsyncSync, openSync, rmSync } from 'node:fs';

/** See `keptWal.ts`. */
export const keptWalSuffix = '-wal-kept';
export const draftSuffix = '.new';
const companions = ['-wal', '-shm', '-journal', keptWalSuffix] as const;

/** Makes a file's content, or a directory's names, survive a power failure. */
export function syncPath(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

export function removeDatabase(path: string): void {
  for (const suffix of ['', ...companions]) rmSync(path + suffix, { force: true });
}

/** The file that SQLite would replay into `path`. */
export function pendingCompanion(path: string): string | null {
  return companions.map((suffix) => path + suffix).find((name) => existsSync(name)) ?? null;
}
