import type { Store } from '../store/store.js';

/**
 * When the store commits to disk what was applied, and tidies up. Entries of several ticks share a transaction, since each transaction writes the pages anew that
 * it has in common with the one before.
 */
export class StoreCare {
  readonly #store: Pick<Store, 'settle' | 'maintain'>;
  readonly #settleTicks: number;
  /** Ticks until it is the store's turn; null when there is nothing to do. */
  #left: number | null = 1;

  constructor(store: Pick<Store, 'settle' | 'maintain'>, settleTicks: number) {
    this.#store = store;
    this.#settleTicks = settleTicks;
  }

  /** Ticks that may pass until `tick` has something to do. */
  get restTicks(): number {
    return this.#left ?? Infinity;
  }

  /** The store was written to. */
  written(): void {
    this.#left ??= this.#settleTicks;
  }

  /** Ticks passed, fewer than `restTicks`. */
  quietTicks(count: number): void {
    if (this.#left !== null) this.#left -= count;
  }

  /** A tick. Housekeeping waits while the replica is `busy`. */
  tick(busy: boolean): void {
    this.quietTicks(1);
    if (this.#left === null || this.#left > 0) return;
    this.#store.settle();
    if (busy) this.#left = this.#settleTicks;
    else this.#left = this.#store.maintain() ? 1 : null;
  }
}
