import fs from 'node:fs';

/** A log larger than this is emptied, and what was in it kept beside it until the next time. */
const logBytesMax = 32 * 1024 * 1024;
export const logCheckIntervalMs = 10_000;

/**
 * Keeps a log, which a running process appends to, within bounds: its content moves to `FILE.1`, in place of what was there. The process need not know,
 * since it writes at the end wherever that is. What it writes between the copy and the cut is lost.
 */
export function boundLog(file: string, bytesMax = logBytesMax): void {
  const size = fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size <= bytesMax) return;
  try {
    fs.copyFileSync(file, `${file}.1`);
  } catch (error) {
    // On a disk that is full, half a copy of old lines only takes the room of new ones.
    fs.rmSync(`${file}.1`, { force: true });
    throw error;
  }
  fs.truncateSync(file);
}

/** Opens a log to write at its end; null where the disk has no room for a new file: the program then runs without. */
export function openLogFile(file: string): number | null {
  return unlessFull(() => fs.openSync(file, 'a'));
}

/** Lines that find no room are lost. */
export function writeLogFile(log: number | null, text: string): void {
  if (log !== null) unlessFull(() => fs.writeSync(log, text));
}

/** The same for a process whose output is such a log: without a listener the first line that finds no room would end it. */
export function outliveFullDisk(): void {
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOSPC') throw error;
    });
}

function unlessFull<T>(write: () => T): T | null {
  try {
    return write();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC') return null;
    throw error;
  }
}
