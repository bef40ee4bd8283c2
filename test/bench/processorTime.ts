import { readFileSync } from 'node:fs';

/** Processor milliseconds of a process's main thread: NaN outside Linux. */
export function mainThreadCpuMs(pid: number): number {
  if (process.platform !== 'linux') return NaN;
  return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'latin1').split(' ')[0]) / 1e6;
}
