import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Frees memory that an idle manager does not need. V8 collects the old generation only when it grows, so garbage stays while the process is idle. */

const reviewMs = 10_000;
/** Share of a core below which nobody notices the 50 ms of a collection. */
const idleShare = 0.02;

/** Decides whether a heap is to be collected: once, when a busy process has become idle. A process begins busy. */
export class Quietness {
  #collected = false;

  /** Must be called once a period, with the processor time that the process used in it and the length of the period, in one unit. */
  isDue(used: number, period: number): boolean {
    const idle = used < period * idleShare;
    const due = idle && !this.#collected;
    this.#collected = idle;
    return due;
  }
}

/** Manages the heap of this process for as long as it runs. The young generation keeps its initial size. */
export function keepHeapSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
  const quietness = new Quietness();
  let before = process.cpuUsage();
  setInterval(() => {
    const now = process.cpuUsage();
    const usedMs = (now.user + now.system - before.user - before.system) / 1_000;
    before = now;
    if (!quietness.isDue(usedMs, reviewMs)) return;
    collect();
    before = process.cpuUsage();
  }, reviewMs).unref();
}

let collector: (() => void) | null = null;

function collect(): void {
  if (collector === null) {
    setFlagsFromString('--expose-gc');
    collector = runInNewContext('gc') as () => void;
  }
  collector();
}
