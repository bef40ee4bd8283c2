import fs from 'node:fs';
import path from 'node:path';
import { readFileIfPresent } from './files.js';

/** Allows one launcher per data directory. The lock file holds the launcher's process id and start time, which reveal the lock of a killed launcher. */
export class DirectoryInUse extends Error {
  constructor(
    readonly directory: string,
    readonly pid: number,
  ) {
    super(`${directory} is in use by another launcher, process ${pid}: stop it (kill ${pid}) or choose another folder`);
    this.name = 'DirectoryInUse';
  }
}

interface Owner {
  readonly pid: number;
  readonly startedAt: string | null;
}

const attemptsMax = 5;

const lockFile = (directory: string): string => path.join(directory, 'launcher.lock');

export function lockHolder(directory: string): number | null {
  const owner = parseOwner(readFileIfPresent(lockFile(directory)));
  return owner !== null && isAlive(owner) ? owner.pid : null;
}

/** Throws `DirectoryInUse`. Returns a function that releases the lock. */
export function lockDirectory(directory: string): () => void {
  const file = lockFile(directory);
  const mine: Owner = { pid: process.pid, startedAt: processStart(process.pid) };
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    if (createExclusively(file, JSON.stringify(mine))) return () => release(file, mine);
    const holder = lockHolder(directory);
    if (holder !== null) throw new DirectoryInUse(directory, holder);
    fs.rmSync(file, { force: true });
  }
  throw new Error(`cannot take the lock ${file}: others keep taking it`);
}

function createExclusively(file: string, content: string): boolean {
  try {
    fs.writeFileSync(file, content, { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function release(file: string, mine: Owner): void {
  const owner = parseOwner(readFileIfPresent(file));
  if (owner?.pid === mine.pid && owner.startedAt === mine.startedAt) fs.rmSync(file, { force: true });
}

function parseOwner(text: string | null): Owner | null {
  try {
    const value: unknown = JSON.parse(text ?? 'null');
    if (typeof value !== 'object' || value === null || !('pid' in value) || typeof value.pid !== 'number') return null;
    return { pid: value.pid, startedAt: 'startedAt' in value && typeof value.startedAt === 'string' ? value.startedAt : null };
  } catch {
    return null; // It is half-written: its writer was killed.
  }
}

function isAlive(owner: Owner): boolean {
  return processExists(owner.pid) && (owner.startedAt === null || owner.startedAt === processStart(owner.pid));
}

/** Returns true also for processes of other users. */
export function processExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Returns the start time in clock ticks since boot (proc(5), `stat`, field 22); null without /proc and for zombies. */
function processStart(pid: number): string | null {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is the program's name in parentheses, and may contain anything.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? null : (fields[19] ?? null);
  } catch {
    return null;
  }
}
