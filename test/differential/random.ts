import { seeded } from '../golden/mutations.js';

/** All that a generator leaves to chance. The same seed gives the same choices, so a case can be had again. */
export class Random {
  readonly #fraction: () => number;

  constructor(seed: number) {
    this.#fraction = seeded(seed);
    // Seeds side by side begin alike.
    for (let i = 0; i < 8; i++) this.#fraction();
  }

  /** A whole number from 0 to below `end`. */
  below(end: number): number {
    return Math.floor(this.#fraction() * end);
  }

  chance(probability: number): boolean {
    return this.#fraction() < probability;
  }

  /** One of a list that is not empty. */
  pick<T>(from: readonly T[]): T {
    return from[this.below(from.length)] as T;
  }

  /** So many values, or one to so many, made one after the other. */
  times<T>(count: number, make: (index: number) => T): T[] {
    return Array.from({ length: count }, (_, index) => make(index));
  }

  upTo<T>(most: number, make: (index: number) => T): T[] {
    return this.times(1 + this.below(most), make);
  }
}
