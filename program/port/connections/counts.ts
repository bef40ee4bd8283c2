export interface Count {
  readonly value: number;
  take(limit: number): boolean;
  leave(): void;
}

export class OwnCount implements Count {
  value = 0;

  take(limit: number): boolean {
    if (this.value >= limit) return false;
    this.value += 1;
    return true;
  }

  leave(): void {
    this.value -= 1;
  }
}

export class SharedCount implements Count {
  readonly #words: Int32Array;
  readonly #index: number;

  constructor(words: Int32Array, index: number) {
    this.#words = words;
    this.#index = index;
  }

  get value(): number {
    return Atomics.load(this.#words, this.#index);
  }

  take(limit: number): boolean {
    for (;;) {
      const before = Atomics.load(this.#words, this.#index);
      if (before >= limit) return false;
      if (Atomics.compareExchange(this.#words, this.#index, before, before + 1) === before) return true;
    }
  }

  leave(): void {
    Atomics.sub(this.#words, this.#index, 1);
  }
}
