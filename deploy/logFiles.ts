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
  fs.copyFileSync(file, `${file}.1`);
  fs.truncateSync(file);
}
