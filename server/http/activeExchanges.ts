import type { Exchange } from './exchange.js';

/** The requests that have not been answered completely. */
export interface ActiveExchanges extends Iterable<Exchange> { readonly size: number }

/**
 * An array in which everybody knows its own place, and leaves it to the last one. A Set would do, if it were not for the garbage collector: a
 * Set through which entries stream replaces its table again and again, and each old table refers to the entries it had and to the next table.
 * As soon as one of them is in the old generation, all that follow are kept with it, and so is every request with all that it holds, until
 * the next full collection: of a GET's garbage, four times as much left the young generation.
 */
export class ActiveList implements ActiveExchanges {
  readonly #exchanges: Exchange[] = [];

  get size(): number { return this.#exchanges.length; }

  add(exchange: Exchange): void { exchange.place = this.#exchanges.push(exchange) - 1; }

  delete(exchange: Exchange): void {
    const { place } = exchange;
    if (this.#exchanges[place] !== exchange) return;
    const last = this.#exchanges.pop();
    if (last === undefined || last === exchange) return;
    this.#exchanges[place] = last;
    last.place = place;
  }

  /** Goes over those that are active now, whatever becomes of them meanwhile. */
  [Symbol.iterator](): Iterator<Exchange> { return [...this.#exchanges][Symbol.iterator](); }
}
