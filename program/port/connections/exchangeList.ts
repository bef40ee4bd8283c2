export interface Listed {
  place: number;
  seat: number;
}

export interface ActiveExchanges<E> extends Iterable<E> {
  readonly size: number;
}

/**
 * An array in which every entry knows its place, and leaves it to the last one. A Set would do, but for the garbage collector: a Set through which entries
 * stream replaces its table again and again, and each old table refers to its entries and to the next table. As soon as one of them is in the old generation,
 * all that follow are kept with it, and so is every request with all that it holds, until the next full collection: of a GET's garbage, four times as much left
 * the young generation.
 */
export class ExchangeList<E extends Listed> implements ActiveExchanges<E> {
  readonly #at: 'place' | 'seat';
  readonly #exchanges: E[] = [];

  constructor(at: 'place' | 'seat') {
    this.#at = at;
  }

  get size(): number {
    return this.#exchanges.length;
  }

  add(exchange: E): void {
    exchange[this.#at] = this.#exchanges.push(exchange) - 1;
  }

  delete(exchange: E): void {
    const place = exchange[this.#at];
    if (this.#exchanges[place] !== exchange) return;
    const last = this.#exchanges.pop();
    if (last === undefined || last === exchange) return;
    this.#exchanges[place] = last;
    last[this.#at] = place;
  }

  /** Iterates over the exchanges active now, whatever becomes of them meanwhile. */
  [Symbol.iterator](): Iterator<E> {
    return [...this.#exchanges][Symbol.iterator]();
  }
}
