import type { Exit } from './managedProcess.js';

/** What a supervisor has to do with: time, so that tests decide how it passes. */
export interface SupervisorClock {
  /** Milliseconds of a clock that is never set back. */
  elapsed(): number;
  /** Calls back once after `ms`; the returned function cancels it. */
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
/** The wait doubles with each failure up to here, so that a program that cannot run costs next to nothing. */
const longestWaitMs = 30_000;
/** Who ran for as long as this is well: the next failure counts as the first. */
const wellAfterMs = 60_000;
/** The command line cannot be right, and will not become so. */
const badCommandLine = 2;

/**
 * Starts a program again that failed, as an operator's supervisor would (systemd's `Restart=on-failure`). A manager that lost its lease ends by itself, so that nothing of it is left
 * when another leads; without somebody who starts it again the cluster would have one copy less each time.
 */
export class Supervisor {
  #failures = 0;
  #startedAt: number;
  #cancel: (() => void) | null = null;

  /** `start` is called when it is time; it may find that somebody else was faster. */
  constructor(
    private readonly start: () => void,
    private readonly clock: SupervisorClock = supervisorClock,
  ) {
    this.#startedAt = clock.elapsed();
  }

  /** To be told of each start, whoever asked for it. */
  started(): void {
    this.stop();
    this.#startedAt = this.clock.elapsed();
  }

  /** Returns after how many milliseconds the program is started again; null when it is not, because its end was asked for, was in order, or would only be repeated. */
  ended({ code, expected }: Exit): number | null {
    if (expected || code === 0 || code === badCommandLine) return null;
    if (this.clock.elapsed() - this.#startedAt >= wellAfterMs) this.#failures = 0;
    const waitMs = Math.min(longestWaitMs, firstWaitMs * 2 ** Math.min(this.#failures++, 30));
    this.#cancel = this.clock.after(waitMs, () => {
      this.#cancel = null;
      this.start();
    });
    return waitMs;
  }

  /** Starts nothing any more, until the next end. */
  stop(): void {
    this.#cancel?.();
    this.#cancel = null;
  }
}
