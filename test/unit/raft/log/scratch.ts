import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** In memory if possible, because there are thousands of syncs. */
const memory = '/dev/shm';
const roomBytesMin = 1024 * 1024 * 1024;
const parent = existsSync(memory) && freeBytes(memory) >= roomBytesMin ? memory : tmpdir();

const made: string[] = [];

/** A new directory, removed by `removeScratch`. */
export function scratch(): string {
  const directory = mkdtempSync(join(parent, 'raft-disk-'));
  made.push(directory);
  return directory;
}

/** Removes them; call it in `afterEach`. */
export function removeScratch(): void {
  for (const directory of made.splice(0)) rmSync(directory, { recursive: true, force: true });
}

/** Copies an open database with its write-ahead file, as a crash would leave them. */
export function crashCopy(path: string): string {
  const copy = join(scratch(), 'copy.db');
  for (const suffix of ['', '-wal']) {
    if (existsSync(path + suffix)) copyFileSync(path + suffix, copy + suffix);
  }
  return copy;
}

export function flipBit(path: string, position: number, bit = 0): void {
  const bytes = readFileSync(path);
  bytes[position] = (bytes[position] ?? 0) ^ (1 << bit);
  writeFileSync(path, bytes);
}

function freeBytes(directory: string): number {
  const { bavail, bsize } = statfsSync(directory);
  return bavail * bsize;
}
