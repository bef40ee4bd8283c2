import { seeded } from '../golden/mutations.js';

/** Random choices of a generator, repeatable by seed. */
export class Random {
  readonly #fraction: () => number;

  constructor(seed: number) {
    this.#fraction = seeded(seed);
    // Similar seeds begin alike.
    for (let i = 0; i < 8; i++) this.#fraction();
  }

  /** An integer below `end`. */
  below(end: number): number {
    return Math.floor(this.#fraction() * end);
  }

  chance(probability: number): boolean {
    return this.#fraction() < probability;
  }

  pick<T>(from: readonly T[]): T {
    return from[this.below(from.length)] as T;
  }

  /** Exactly `count` values, made in order. */
  times<T>(count: number, make: (index: number) => T): T[] {
    return Array.from({ length: count }, (_, index) => make(index));
  }

  upTo<T>(most: number, make: (index: number) => T): T[] {
    return this.times(1 + this.below(most), make);
  }
}
