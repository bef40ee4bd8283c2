export interface Listed {
  place: number;
  seat: number;
}

export interface ActiveExchanges<E> extends Iterable<E> {
  readonly size: number;
}

/**
 * An array whose entries know their index. A Set replaces its table often, and each old table refers to its entries and the next table: once one is in the old
 * generation, all later ones stay, with their requests, until a full collection.
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

  [Symbol.iterator](): Iterator<E> {
    return [...this.#exchanges][Symbol.iterator]();
  }
}
