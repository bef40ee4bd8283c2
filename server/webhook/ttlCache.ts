import { BoundedMap } from '../../api/boundedMap.js';

/** A bounded cache of responses with expiry. */
export class TtlCache<V> {
  readonly #entries: BoundedMap<string, { readonly value: V; readonly until: number }>;
  readonly #now: () => number;

  constructor(max: number, now: () => number = () => performance.now()) {
    this.#entries = new BoundedMap(max);
    this.#now = now;
  }

  get(key: string): V | undefined {
    const found = this.#entries.get(key);
    if (found === undefined) return undefined;
    if (found.until > this.#now()) return found.value;
    this.#entries.delete(key);
    return undefined;
  }

  /** A time that is not positive stores nothing. */
  put(key: string, value: V, ttlMs: number): void {
    if (ttlMs > 0) this.#entries.set(key, { value, until: this.#now() + ttlMs });
    else this.#entries.delete(key);
  }
}
