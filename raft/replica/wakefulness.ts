import { openSync, readSync } from 'node:fs';
import type { Continuations } from './continuations.js';

/** Between two looks at the processor time of a thread that runs: a look costs some microseconds. */
const lookMs = 250;

/**
 * After such a part of an election timeout, leaders may have been replaced: the others count from the last word, which was up to a heartbeat earlier, and may
 * be done before the stopped one runs again.
 */
const replacedAfter = 0.8;
/** So much of an election timeout must be unaccounted for: the rest may be what the thread did before and after, on a machine where it has to wait for that. */
const idleShare = 0.5;
/** What a thread sleeps on purpose beyond this part of an election timeout, its followers were told of: they wait as much longer. */
const usualRest = 0.2;

/** What tells more than a clock does. */
export interface WakefulnessSources {
  /** Time that this thread ran or waited for a processor; null where nobody tells. */
  readonly processorMs: () => number | null;
  readonly continuations: Pick<Continuations, 'begin' | 'sawOne'>;
}

/**
 * Tells whether this thread was stopped (SIGSTOP, a debugger, a machine that slept) rather than late. A thread that is late runs, waits for a processor, or
 * waits for its disk; one that was stopped did none of it, though its timer was due long ago. All times are milliseconds of one monotonic clock.
 */
export class Wakefulness {
  readonly #gapMs: number;
  readonly #idleMs: number;
  readonly #processorMs: () => number | null;
  readonly #continuations: WakefulnessSources['continuations'];
  readonly #usualRestMs: number;
  #awakeAt: number;
  #restUntil: number;
  #lookedAt: number;
  #processorAt: number | null;

  /** @param electionMs shortest time after which others replace a leader that is silent */
  constructor(electionMs: number, nowMs: number, { processorMs, continuations }: WakefulnessSources) {
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

  /** To be asked at least as often as the thread's timer fires: whether it was stopped since it was asked last. */
  stopped(nowMs: number): boolean {
    const gap = nowMs - this.#awakeAt - Math.max(0, this.#restUntil - this.#awakeAt - this.#usualRestMs);
    this.#awakeAt = nowMs;
    this.#restUntil = nowMs;
    if (gap < this.#gapMs && nowMs - this.#lookedAt < lookMs) return false;
    const before = this.#processorAt;
    this.#processorAt = this.#processorMs();
    this.#lookedAt = nowMs;
    if (gap < this.#gapMs || before === null || this.#processorAt === null) return false;
    return gap - (this.#processorAt - before) >= this.#idleMs;
  }

  /** The thread has nothing to do until then, unless something arrives. */
  rests(untilMs: number): void {
    this.#restUntil = untilMs;
  }

  /** The thread is about to wait for its disk. */
  waits(): void {
    this.#continuations.begin();
  }

  /** The disk took so long: that is not a stop, unless the process says that it was stopped meanwhile. */
  waited(ms: number): void {
    if (ms < this.#gapMs || !this.#continuations.sawOne()) this.#awakeAt += ms;
  }
}

/** Of this thread, open since it was first looked at: opening it anew was most of what a look cost. */
let schedstat: number | undefined;
const statistics = Buffer.alloc(64);

/**
 * Time that the calling thread ran or waited for a processor (https://docs.kernel.org/scheduler/sched-stats.html, "schedstat" of a process: nanoseconds
 * spent on the processor, then on a run queue). Null on systems other than Linux: late and stopped cannot be told apart there.
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
