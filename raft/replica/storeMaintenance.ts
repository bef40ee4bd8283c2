import type { Store } from '../store/store.js';

/** Entries of several ticks share a transaction: each rewrites pages of the previous one. */
export class StoreMaintenance {
  readonly #store: Pick<Store, 'settle' | 'maintain'>;
  readonly #settleTicks: number;
  #left: number | null = 1;

  constructor(store: Pick<Store, 'settle' | 'maintain'>, settleTicks: number) {
    this.#store = store;
    this.#settleTicks = settleTicks;
  }

  get restTicks(): number {
    return this.#left ?? Infinity;
  }

  written(): void {
    this.#left ??= this.#settleTicks;
  }

  /** Ticks passed, fewer than `restTicks`. */
  quietTicks(count: number): void {
    if (this.#left !== null) this.#left -= count;
  }

  tick(busy: boolean): void {
    this.quietTicks(1);
    if (this.#left === null || this.#left > 0) return;
    this.#store.settle();
    if (busy) this.#left = this.#settleTicks;
    else this.#left = this.#store.maintain() ? 1 : null;
  }
}
