import fs from 'node:fs';

const nsPerMs = 1e6;

/**
 * Measures how long threads of processes were runnable without a processor: on a busy machine, a silent process may just be waiting. Reads
 * `/proc/PID/task/TID/schedstat`; without it all waits are 0.
 */
export class ProcessorWaits {
  readonly #pids: () => readonly number[];
  readonly #folder: string;
  #waitedNs = new Map<string, number>();

  constructor(pids: () => readonly number[], folder = '/proc') {
    this.#pids = pids;
    this.#folder = folder;
  }

  /** Returns the longest wait of one thread since the last call, in milliseconds. */
  sinceLastMs(): number {
    const before = this.#waitedNs;
    this.#waitedNs = new Map(this.#pids().flatMap((pid) => waitsOf(`${this.#folder}/${pid}/task`)));
    let longestNs = 0;
    for (const [thread, waitedNs] of this.#waitedNs) longestNs = Math.max(longestNs, waitedNs - (before.get(thread) ?? waitedNs));
    return longestNs / nsPerMs;
  }
}

function waitsOf(tasks: string): [thread: string, waitedNs: number][] {
  try {
    return fs.readdirSync(tasks).flatMap((thread) => {
      const waitedNs = Number(textOf(`${tasks}/${thread}/schedstat`).split(' ')[1] ?? 0);
      return Number.isFinite(waitedNs) ? [[`${tasks}/${thread}`, waitedNs]] : [];
    });
  } catch {
    return [];
  }
}

/** Threads end at any time. */
function textOf(file: string): string {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
