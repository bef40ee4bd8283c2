import fs from 'node:fs';

/** Larger logs are emptied (`boundLog`). */
const logBytesMax = 32 * 1024 * 1024;
export const logCheckIntervalMs = 10_000;

/** Moves a log's content to `FILE.1`; a running process continues to append. Lines written between copy and truncation are lost. */
export function boundLog(file: string, bytesMax = logBytesMax): void {
  const size = fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size <= bytesMax) return;
  try {
    fs.copyFileSync(file, `${file}.1`);
  } catch (error) {
    fs.rmSync(`${file}.1`, { force: true });
    throw error;
  }
  fs.truncateSync(file);
}

/** Opens a log for appending. Returns null on a full disk: the program then runs without a log. */
export function openLogFile(file: string): number | null {
  return unlessFull(() => fs.openSync(file, 'a'));
}

/** Lines are lost on a full disk. */
export function writeLogFile(log: number | null, text: string): void {
  if (log !== null) unlessFull(() => fs.writeSync(log, text));
}

/** The first lost line would end a process without a listener. */
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
