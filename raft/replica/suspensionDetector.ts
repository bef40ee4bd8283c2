import { openSync, readSync } from 'node:fs';
import type { Continuations } from './continuations.js';

/** Readings of the processor time cost some microseconds. */
const readingMs = 250;

/** After this part of an election timeout the leader may have been replaced: others count from the last message. */
const replacedAfter = 0.8;
/** The part of an election timeout that must be unaccounted for. */
const idleShare = 0.5;
/** Followers know of longer intentional sleep, and wait longer. */
const usualRest = 0.2;

export interface SuspensionSources {
  readonly processorMs: () => number | null;
  readonly continuations: Pick<Continuations, 'begin' | 'sawOne'>;
}

/** Distinguishes a stopped thread (SIGSTOP, a debugger, a sleeping machine) from a late one, which runs or waits for a processor or its disk. */
export class SuspensionDetector {
  readonly #gapMs: number;
  readonly #idleMs: number;
  readonly #processorMs: () => number | null;
  readonly #continuations: SuspensionSources['continuations'];
  readonly #usualRestMs: number;
  #awakeAt: number;
  #restUntil: number;
  #lookedAt: number;
  #processorAt: number | null;

  /** @param electionMs shortest time after which others replace a silent leader */
  constructor(electionMs: number, nowMs: number, { processorMs, continuations }: SuspensionSources) {
    this.#gapMs = replacedAfter * electionMs;
    this.#idleMs = idleShare * electionMs;
    this.#processorMs = processorMs;
    this.#continuations = continuations;
    this.#usualRestMs = usualRest * electionMs;
    this.#awakeAt = nowMs;
    this.#restUntil = nowMs;
    this.#lookedAt = nowMs;
    this.#processorAt = processorMs();
  }

  /** Call it at least as often as the thread's timer fires. */
  stopped(nowMs: number): boolean {
    const gap = nowMs - this.#awakeAt - Math.max(0, this.#restUntil - this.#awakeAt - this.#usualRestMs);
    this.#awakeAt = nowMs;
    this.#restUntil = nowMs;
    if (gap < this.#gapMs && nowMs - this.#lookedAt < readingMs) return false;
    const before = this.#processorAt;
    this.#processorAt = this.#processorMs();
    this.#lookedAt = nowMs;
    if (gap < this.#gapMs || before === null || this.#processorAt === null) return false;
    return gap - (this.#processorAt - before) >= this.#idleMs;
  }

  rests(untilMs: number): void {
    this.#restUntil = untilMs;
  }

  waits(): void {
    this.#continuations.begin();
  }

  /** The disk took this long: no stop unless the process reports one. */
  waited(ms: number): void {
    if (ms < this.#gapMs || !this.#continuations.sawOne()) this.#awakeAt += ms;
  }
}

/** Opening it was most of a reading's cost. */
let schedstat: number | undefined;
const statistics = Buffer.alloc(64);

/**
 * The calling thread's time on a processor ("schedstat" of a process, https://docs.kernel.org/scheduler/sched-stats.html: nanoseconds on the processor, then
 * on a run queue). Null outside Linux.
 */
export function processorMs(): number | null {
  try {
    schedstat ??= openSync('/proc/thread-self/schedstat', 'r');
    const length = readSync(schedstat, statistics, 0, statistics.length, 0);
    const [ran = '', waited = ''] = statistics.toString('latin1', 0, length).split(' ');
    return (Number(ran) + Number(waited)) / 1e6;
  } catch {
    return null;
  }
}
