import { performance } from 'node:perf_hooks';

/** A timer may fire slightly early by a finer clock. */
const earlyMs = 1;

export interface PassedTicks {
  /** Ticks that precede what has arrived. */
  readonly quiet: number;
  /** The tick that woke the thread: it follows what has arrived. */
  readonly due: boolean;
}

/**
 * Counts ticks without waking a thread for each. The owner says how many it can skip (`rest`); intentional sleep counts in full, oversleeping does not:
 *
 *     |-- tick --|-- tick --|-- tick --|........ late ........| messages that wait, then the tick that was due
 *      rest(3):     quiet      quiet      due
 *
 * Pure: the caller supplies the time, in milliseconds of one monotonic clock.
 */
export class Ticker {
  readonly #tickMs: number;
  #countedAt: number;
  #rest = 1;

  constructor(tickMs: number, nowMs: number) {
    this.#tickMs = tickMs;
    this.#countedAt = nowMs;
  }

  get dueAt(): number {
    return this.#countedAt + this.#rest * this.#tickMs;
  }

  isDue(nowMs: number): boolean {
    return nowMs + earlyMs >= this.dueAt;
  }

  take(nowMs: number): PassedTicks {
    const passed = Math.floor((nowMs + earlyMs - this.#countedAt) / this.#tickMs);
    if (passed < this.#rest) {
      this.#countedAt += passed * this.#tickMs;
      this.#rest -= passed;
      return { quiet: passed, due: false };
    }
    const quiet = this.#rest - 1;
    this.#countedAt = passed === this.#rest ? this.dueAt : nowMs;
    this.#rest = 1;
    return { quiet, due: true };
  }

  rest(ticks: number): void {
    this.#rest = Math.max(1, ticks);
  }
}

export class TickTimer {
  readonly #tickMs: number;
  readonly #wake: () => void;
  readonly #ticker: Ticker;
  #timer: NodeJS.Timeout | null = null;
  /** The timer's time, possibly too early. Node wakes at the first set time anyway. */
  #firesAt = Infinity;
  #stopped = false;

  constructor(tickMs: number, wake: () => void) {
    this.#tickMs = tickMs;
    this.#wake = wake;
    this.#ticker = new Ticker(tickMs, performance.now());
  }

  take(): PassedTicks {
    return this.#ticker.take(performance.now());
  }

  /** Returns the time of the last of `ticks` ticks. */
  rest(ticks: number): number {
    this.#ticker.rest(ticks);
    this.#sleepUntil(this.#ticker.dueAt);
    return this.#ticker.dueAt;
  }

  pause(): void {
    this.#sleepUntil(performance.now() + this.#tickMs);
  }

  stop(): void {
    this.#stopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  #sleepUntil(at: number): void {
    if (this.#stopped || this.#firesAt <= at) return;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#firesAt = at;
    this.#timer = setTimeout(() => this.#onTimer(), Math.max(0, at - performance.now()));
  }

  #onTimer(): void {
    this.#firesAt = Infinity;
    if (this.#ticker.isDue(performance.now())) this.#wake();
    else this.#sleepUntil(this.#ticker.dueAt);
  }
}
