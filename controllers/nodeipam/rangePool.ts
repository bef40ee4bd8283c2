import { bitsOf, overlap, type Cidr } from '../addresses/cidr.js';

/** Ranges of one size within a range, and which are taken. */
export class RangePool {
  readonly #prefix: number;
  readonly #taken = new Set<number>();
  readonly #count: number;
  #next = 0;

  /** Throws for no range, or too many to keep in memory. */
  constructor(
    readonly range: Cidr,
    prefix: number,
  ) {
    this.#prefix = prefix;
    if (prefix < range.prefix || prefix > bitsOf(range.family)) throw new Error(`a range of /${range.prefix} has no ranges of /${prefix}`);
    if (prefix - range.prefix > bitsMax) throw new Error(`a range of /${range.prefix} has too many ranges of /${prefix}`);
    this.#count = 2 ** (prefix - range.prefix);
  }

  get count(): number {
    return this.#count;
  }
  get taken(): number {
    return this.#taken.size;
  }

  /** Returns the first free range after the last assigned one; null if none. */
  take(): Cidr | null {
    for (let step = 0; step < this.#count; step++) {
      const index = (this.#next + step) % this.#count;
      if (this.#taken.has(index)) continue;
      this.#taken.add(index);
      this.#next = (index + 1) % this.#count;
      return this.#at(index);
    }
    return null;
  }

  /** Takes every range that overlaps with an assigned one; returns false if that is elsewhere. */
  occupy(cidr: Cidr): boolean {
    const indexes = this.#indexes(cidr);
    for (const index of indexes) this.#taken.add(index);
    return indexes.length > 0;
  }

  release(cidr: Cidr): void {
    for (const index of this.#indexes(cidr)) this.#taken.delete(index);
  }

  #at(index: number): Cidr {
    const { family, value } = this.range;
    return { family, value: value + (BigInt(index) << BigInt(bitsOf(family) - this.#prefix)), prefix: this.#prefix };
  }

  #indexes(cidr: Cidr): readonly number[] {
    if (!overlap(this.range, cidr)) return [];
    const shift = BigInt(bitsOf(cidr.family) - this.#prefix);
    const first = cidr.prefix <= this.range.prefix ? 0 : Number((cidr.value - this.range.value) >> shift);
    const many = cidr.prefix >= this.#prefix ? 1 : Math.min(this.#count, 2 ** (this.#prefix - Math.max(cidr.prefix, this.range.prefix)));
    return Array.from({ length: many }, (_, index) => first + index);
  }
}

/** 65536 nodes are more than there will be. */
const bitsMax = 16;
