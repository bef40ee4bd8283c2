/** A cache of responses with expiry. The oldest is evicted. */
export class TtlCache<V> {
  readonly #entries = new Map<string, { readonly value: V; readonly until: number }>();
  readonly #max: number;
  readonly #now: () => number;

  constructor(max: number, now: () => number = () => performance.now()) {
    this.#max = max;
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
    this.#entries.delete(key);
    if (ttlMs <= 0) return;
    if (this.#entries.size >= this.#max) this.#entries.delete(this.#entries.keys().next().value!);
    this.#entries.set(key, { value, until: this.#now() + ttlMs });
  }
}
