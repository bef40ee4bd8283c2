import fs from 'node:fs';
import os from 'node:os';

/** Files opened and closed to reach a certain descriptor. */
const triesMax = 4_096;

/**
 * Closes a socket that several threads hold under one descriptor, on one after the other. Only the first really closes it; for the others the descriptor may be
 * another file by then. So before each our own file is opened under that number:
 *
 *     first closes 23 ──▶ /dev/null becomes 23 ──▶ second closes 23 ──▶ /dev/null becomes 23 ──▶ third closes 23
 *
 * Files get the lowest free descriptor, so success is noticed. If another file took it, the remaining threads must live as long as the process: the function
 * returns how many have closed.
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

/** Returns whether our own file has the descriptor now. */
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
