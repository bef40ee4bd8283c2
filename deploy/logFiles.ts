import fs from 'node:fs';

/** A log larger than this is emptied, and its content is kept next to it until the next time. */
const logBytesMax = 32 * 1024 * 1024;
export const logCheckIntervalMs = 10_000;

/**
 * Keeps a log, which a running process appends to, within bounds: its content moves to `FILE.1`, and replaces the old one. The process need not know, since it
 * appends at the current end. Lines written between the copy and the cut are lost.
 */
export function boundLog(file: string, bytesMax = logBytesMax): void {
  const size = fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size <= bytesMax) return;
  try {
    fs.copyFileSync(file, `${file}.1`);
  } catch (error) {
    // A full disk needs the room of a half copy of old lines for new ones.
    fs.rmSync(`${file}.1`, { force: true });
    throw error;
  }
  fs.truncateSync(file);
}

/** Opens a log for appending; null where the disk has no room for a new file: the program then runs without. */
export function openLogFile(file: string): number | null {
  return unlessFull(() => fs.openSync(file, 'a'));
}

/** Lines are lost on a full disk. */
export function writeLogFile(log: number | null, text: string): void {
  if (log !== null) unlessFull(() => fs.writeSync(log, text));
}

/** The same for a process whose output is such a log: without a listener the first lost line would end it. */
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
