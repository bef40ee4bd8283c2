import { setTimeout as delay } from 'node:timers/promises';

/** Between a round that failed and the next one. */
const retryDefaultMs = 1_000;

/**
 * Work in rounds, one at a time, each of which looks at everything as it is when it begins. What changes meanwhile leads to another round, and so does a failure,
 * after a while.
 */
export class Rounds {
  private readonly stopping = new AbortController();
  private running = false;
  private again = false;

  /** `round` tells whether all of it succeeded. */
  constructor(
    private readonly round: () => Promise<boolean>,
    private readonly retryMs = retryDefaultMs,
  ) {}

  /** Aborted by `stop`. */
  get signal(): AbortSignal {
    return this.stopping.signal;
  }

  /** Something has changed: a round begins that knows of it, now or behind the one under way. */
  request(): void {
    this.again = true;
    if (!this.running && !this.signal.aborted) void this.run();
  }

  /** No further rounds; the one under way ends by itself. */
  stop(): void {
    this.stopping.abort();
  }

  private async run(): Promise<void> {
    this.running = true;
    try {
      while (this.again && !this.signal.aborted) {
        this.again = false;
        if (await this.round()) continue;
        await delay(this.retryMs, undefined, { signal: this.signal }).catch(() => undefined);
        this.again = true;
      }
    } finally {
      // In the same step as the last look at `again`: a request in between would be lost.
      this.running = false;
    }
  }
}
