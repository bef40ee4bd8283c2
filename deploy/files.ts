import fs from 'node:fs';
import path from 'node:path';

/** Replaces a file atomically: readers see the old content or the new. `mode` holds from the first byte on. A failed write leaves nothing behind. */
export function writeFileAtomically(file: string, content: string, mode = 0o644): void {
  const temporary = `${file}.${process.pid}.tmp`;
  fs.rmSync(temporary, { force: true });
  try {
    fs.writeFileSync(temporary, content, { mode });
    fs.renameSync(temporary, file);
  } catch (error) {
    fs.rmSync(temporary, { force: true });
    throw error;
  }
}

/** Makes a folder and its missing parents with `mode`. Recursive `mkdir` of Node 20 never ends where an existing parent accepts no folders (`/proc`). */
export function makeFolder(folder: string, mode = 0o777): void {
  const missing: string[] = [];
  for (let at = path.resolve(folder); !fs.existsSync(at); at = path.dirname(at)) missing.unshift(at);
  for (const each of missing) {
    try {
      fs.mkdirSync(each, { mode });
    } catch (error) {
      // Another process was faster.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST')
        throw new Error(`${each} cannot be made: ${(error as Error).message}`, { cause: error });
    }
  }
}

/** Returns a file's content, or null when it does not exist. Throws other errors. */
export function readFileIfPresent(file: string): string | null {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Returns the last `count` lines of a file, from its last 64 KiB at most. */
export function lastLines(file: string, count: number): string {
  const bytesMax = 64 * 1024;
  const text = readTail(file, bytesMax);
  return text.trimEnd().split('\n').slice(-count).join('\n');
}

function readTail(file: string, bytesMax: number): string {
  let descriptor: number;
  try {
    descriptor = fs.openSync(file, 'r');
  } catch {
    return '';
  }
  try {
    const { size } = fs.fstatSync(descriptor);
    const tail = Buffer.alloc(Math.min(size, bytesMax));
    fs.readSync(descriptor, tail, 0, tail.length, size - tail.length);
    return tail.toString('utf8');
  } finally {
    fs.closeSync(descriptor);
  }
}

/** Closes a folder of certificates, logs and data to other users; refuses another user's folder that is open to all. */
export function keepPrivate(directory: string): void {
  const ownUid = process.geteuid?.();
  if (ownUid === undefined) return;
  const { mode, uid } = fs.statSync(directory);
  if ((mode & 0o077) !== 0 && (uid === ownUid || ownUid === 0)) fs.chmodSync(directory, 0o700);
  else if ((mode & 0o007) !== 0)
    throw new Error(
      `${directory} is open to all users of this machine and belongs to another one (uid ${uid}): choose a folder of your own with --data-dir`,
    );
}
