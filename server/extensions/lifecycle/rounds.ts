import { setTimeout as delay } from 'node:timers/promises';

const retryDefaultMs = 1_000;

/** Runs work in rounds, one at a time, on the state at their start. A change meanwhile starts another round, as does a failure, after a delay. */
export class Rounds {
  readonly #round: () => Promise<boolean>;
  readonly #retryMs: number;
  readonly #stopping = new AbortController();
  #running = false;
  #again = false;

  /** `round` reports whether all of it succeeded. */
  constructor(round: () => Promise<boolean>, retryMs = retryDefaultMs) {
    this.#round = round;
    this.#retryMs = retryMs;
  }

  /** Aborted by `stop`. */
  get signal(): AbortSignal {
    return this.#stopping.signal;
  }

  /** Requests a round after the current one that sees this change. */
  request(): void {
    this.#again = true;
    if (!this.#running && !this.signal.aborted) void this.#run();
  }

  /** Starts no further rounds; the current one ends by itself. */
  stop(): void {
    this.#stopping.abort();
  }

  async #run(): Promise<void> {
    this.#running = true;
    try {
      while (this.#again && !this.signal.aborted) {
        this.#again = false;
        if (await this.#round()) continue;
        await delay(this.#retryMs, undefined, { signal: this.signal }).catch(() => undefined);
        this.#again = true;
      }
    } finally {
      // Loses no request, since `again` was last read in this step.
      this.#running = false;
    }
  }
}
