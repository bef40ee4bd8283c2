import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const made: string[] = [];

/** A new directory, removed by `removeScratch`. */
export function scratch(): string {
  const directory = mkdtempSync(join(tmpdir(), 'raft-disk-'));
  made.push(directory);
  return directory;
}

/** For `afterEach`. */
export function removeScratch(): void {
  for (const directory of made.splice(0)) rmSync(directory, { recursive: true, force: true });
}

/** What a crash of the machine would leave of an open database: its file and the write-ahead file, as they are now. */
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
