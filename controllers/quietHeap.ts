import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Frees memory of an idle manager: V8 collects the old generation only when it grows, so garbage stays while the process is idle. */

const reviewMs = 10_000;
/** Share of a core below which the 50 ms of a collection do not matter. */
const idleShare = 0.02;

/** Decides whether to collect a heap: once, when a busy process becomes idle. A process begins busy. */
export class IdleDetector {
  #collected = false;

  /** Must be called once a period, with the processor time used in it and its length, in one unit. */
  isDue(used: number, period: number): boolean {
    const idle = used < period * idleShare;
    const due = idle && !this.#collected;
    this.#collected = idle;
    return due;
  }
}

/** Manages the heap while this process runs. The young generation keeps its initial size. */
export function keepHeapSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
  const idle = new IdleDetector();
  let before = process.cpuUsage();
  setInterval(() => {
    const now = process.cpuUsage();
    const usedMs = (now.user + now.system - before.user - before.system) / 1_000;
    before = now;
    if (!idle.isDue(usedMs, reviewMs)) return;
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
