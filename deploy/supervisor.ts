import type { Exit } from './managedProcess.js';

export interface SupervisorClock {
  elapsed(): number;
  after(ms: number, callback: () => void): () => void;
}

const supervisorClock: SupervisorClock = {
  elapsed: () => performance.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
};

const firstWaitMs = 1_000;
const longestWaitMs = 30_000;
/** After a run of this length, the next failure counts as the first. */
const wellAfterMs = 60_000;
const badCommandLine = 2;

/** Restarts failed programs, like systemd's `Restart=on-failure`: a manager that lost its lease exits. */
export class Supervisor {
  readonly #start: () => void;
  readonly #clock: SupervisorClock;
  #failures = 0;
  #startedAt: number;
  #cancel: (() => void) | null = null;

  /** `start` may find that another caller was faster. */
  constructor(start: () => void, clock: SupervisorClock = supervisorClock) {
    this.#start = start;
    this.#clock = clock;
    this.#startedAt = clock.elapsed();
  }

  started(): void {
    this.stop();
    this.#startedAt = this.#clock.elapsed();
  }

  /** Returns milliseconds until the restart; null when the end was requested, successful, or would be repeated. */
  ended({ code, expected }: Exit): number | null {
    if (expected || code === 0 || code === badCommandLine) return null;
    if (this.#clock.elapsed() - this.#startedAt >= wellAfterMs) this.#failures = 0;
    const waitMs = Math.min(longestWaitMs, firstWaitMs * 2 ** Math.min(this.#failures++, 30));
    this.#cancel = this.#clock.after(waitMs, () => {
      this.#cancel = null;
      this.#start();
    });
    return waitMs;
  }

  /** Starts nothing more, until the next end. */
  stop(): void {
    this.#cancel?.();
    this.#cancel = null;
  }
}
