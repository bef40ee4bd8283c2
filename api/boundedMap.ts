/** Remembers what can be found again. A full map forgets the half that was set longest ago, which is cheaper than to find the oldest one every time. */
export class BoundedMap<K, V> extends Map<K, V> {
  readonly #max: number;

  constructor(max: number) {
    super();
    this.#max = max;
  }

  override set(key: K, value: V): this {
    this.delete(key);
    if (this.size >= this.#max) this.#forget();
    return super.set(key, value);
  }

  /** Returns the value of `key`, which `make` finds the first time. */
  of(key: K, make: (key: K) => V): V {
    const known = this.get(key);
    if (known !== undefined) return known;
    const made = make(key);
    this.set(key, made);
    return made;
  }

  #forget(): void {
    const kept = Math.floor(this.#max / 2);
    for (const key of this.keys()) {
      if (this.size <= kept) return;
      this.delete(key);
    }
  }
}
