/** An exchange as lists see it, with its place in the list of all and in that of its connection. */
export interface Listed {
  place: number;
  seat: number;
}

/** The requests that have not been answered completely. */
export interface ActiveExchanges<E> extends Iterable<E> {
  readonly size: number;
}

/**
 * An array in which everybody knows its own place, and leaves it to the last one. A Set would do, if it were not for the garbage collector: a
 * Set through which entries stream replaces its table again and again, and each old table refers to the entries it had and to the next table.
 * As soon as one of them is in the old generation, all that follow are kept with it, and so is every request with all that it holds, until
 * the next full collection: of a GET's garbage, four times as much left the young generation.
 */
export class ExchangeList<E extends Listed> implements ActiveExchanges<E> {
  readonly #exchanges: E[] = [];

  /** `at`: where an exchange writes down its place here. It is in one list of each kind at most. */
  constructor(private readonly at: 'place' | 'seat') {}

  get size(): number {
    return this.#exchanges.length;
  }

  add(exchange: E): void {
    exchange[this.at] = this.#exchanges.push(exchange) - 1;
  }

  delete(exchange: E): void {
    const place = exchange[this.at];
    if (this.#exchanges[place] !== exchange) return;
    const last = this.#exchanges.pop();
    if (last === undefined || last === exchange) return;
    this.#exchanges[place] = last;
    last[this.at] = place;
  }

  /** Goes over those that are active now, whatever becomes of them meanwhile. */
  [Symbol.iterator](): Iterator<E> {
    return [...this.#exchanges][Symbol.iterator]();
  }
}
