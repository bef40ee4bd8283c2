import { readFileSync } from 'node:fs';

/** Milliseconds that the main thread of a process has spent on a processor: NaN outside Linux. */
export function mainThreadCpuMs(pid: number): number {
  if (process.platform !== 'linux') return NaN;
  // Nanoseconds on a processor are the first number.
  return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'latin1').split(' ')[0]) / 1e6;
}
