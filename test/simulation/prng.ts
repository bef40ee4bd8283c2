/** The only source of randomness: equal seeds give equal numbers everywhere (xoshiro128**, seeded through splitmix32). */
export class Prng {
  #state: [number, number, number, number];

  constructor(seed: number) {
    let z = seed >>> 0;
    const next = (): number => {
      z = (z + 0x9e3779b9) >>> 0;
      let x = Math.imul(z ^ (z >>> 16), 0x21f0aaad);
      x = Math.imul(x ^ (x >>> 15), 0x735a2d97);
      return (x ^ (x >>> 15)) >>> 0;
    };
    this.#state = [next(), next(), next(), next() | 1];
  }

  /** A whole number in [0, bound). */
  readonly below = (bound: number): number => {
    const unit = bound <= 0x1_0000 ? this.#next() / 2 ** 32 : (this.#next() * 2 ** 21 + (this.#next() >>> 11)) / 2 ** 53;
    return Math.floor(unit * bound);
  };

  /** A whole number in [from, to]. */
  between(from: number, to: number): number {
    return from + this.below(to - from + 1);
  }

  /** True in `permille` of 1,000 cases. */
  chance(permille: number): boolean {
    return permille > 0 && this.below(1000) < permille;
  }

  pick<T>(items: readonly [T, ...T[]]): T;
  pick<T>(items: readonly T[]): T | undefined;
  pick<T>(items: readonly T[]): T | undefined {
    return items[this.below(items.length)];
  }

  #next(): number {
    const [a, b, c, d] = this.#state;
    const five = Math.imul(b, 5);
    const result = Math.imul((five << 7) | (five >>> 25), 9) >>> 0;
    const c2 = c ^ a;
    const d2 = d ^ b;
    this.#state = [a ^ d2, b ^ c2, c2 ^ (b << 9), (d2 << 11) | (d2 >>> 21)];
    return result;
  }
}
