/** Returns true to be called again, false when done, or a promise to wait for. */
export type Step = () => boolean | Promise<void>;

/**
 * Runs long work (initial events, replays, filtered lists) in rotation for `budgetMs` per turn, then lets the event loop serve sockets. Reports and drops a
 * step that throws.
 */
export class Slices {
  readonly #now: () => number;
  readonly #report: (error: unknown) => void;
  readonly #budgetMs: number;
  readonly #queue: Step[] = [];
  #scheduled = false;

  constructor(now: () => number, report: (error: unknown) => void, budgetMs = 5) {
    this.#now = now;
    this.#report = report;
    this.#budgetMs = budgetMs;
  }

  add(step: Step): void {
    this.#queue.push(step);
    this.#schedule();
  }

  run(step: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      this.add(() => {
        try {
          const again = step();
          if (!again) resolve();
          return again;
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)));
          return false;
        }
      });
    });
  }

  #schedule(): void {
    if (this.#scheduled || this.#queue.length === 0) return;
    this.#scheduled = true;
    setImmediate(() => this.#turn());
  }

  #turn(): void {
    const deadline = this.#now() + this.#budgetMs;
    for (let step = this.#queue.shift(); step !== undefined; step = this.#queue.shift()) {
      this.#take(step);
      if (this.#now() >= deadline) break;
    }
    this.#scheduled = false;
    this.#schedule();
  }

  #take(step: Step): void {
    try {
      const outcome = step();
      if (outcome === true) this.#queue.push(step);
      else if (outcome !== false) void outcome.finally(() => this.add(step)).catch(this.#report);
    } catch (error) {
      this.#report(error);
    }
  }
}
