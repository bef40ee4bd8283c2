import fs from 'node:fs';
import os from 'node:os';

/** Files that are opened, and closed again, to come to a certain number. */
const triesMax = 4_096;

/**
 * Closes a socket that several threads have under one number, on one after the other. The first of them closes the socket itself, and the others must not be
 * left with a number that comes to stand for another file by the time they close it. So before each of them a file of our own is put under the number,
 * which is then what he closes:
 *
 *     first closes 23 ──▶ /dev/null becomes 23 ──▶ second closes 23 ──▶ /dev/null becomes 23 ──▶ third closes 23
 *
 * Files get the lowest number that is free, so one knows whether one has it. Where something else of the process was faster, the rest of the threads must
 * stay as they are as long as the process lives, with a number that is not theirs: what comes back is how many have closed.
 */
export async function closeOnAll(number: number, holders: readonly (() => Promise<unknown> | undefined)[]): Promise<number> {
  let closed = 0;
  for (const close of holders) {
    if (closed > 0 && !occupy(number)) return closed;
    await close();
    closed++;
  }
  return closed;
}

/** Whether a file of our own stands under the number now. */
export function occupy(number: number): boolean {
  const others: number[] = [];
  try {
    for (;;) {
      const opened = fs.openSync(os.devNull, 'r');
      if (opened === number) return true;
      others.push(opened);
      if (opened > number || others.length >= triesMax) return false;
    }
  } finally {
    for (const other of others) fs.closeSync(other);
  }
}
