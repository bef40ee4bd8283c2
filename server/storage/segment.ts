/** A value in a segment, while its owner permits. */
export interface Lodger {
  readonly size: number;
  /** The bytes must then be elsewhere. */
  moveOut(): void;
}

export interface SegmentTerms {
  readonly usedPartMin: number;
  readonly onClear?: () => void;
}

const usualTerms: SegmentTerms = { usedPartMin: 1 / 3 };

/**
 * Shared memory of many received values: copying each would take longer than a cache's other work. One value keeps all of it, so owners release values, and
 * the last ones are copied.
 */
export class Segment {
  readonly #terms: SegmentTerms;

  readonly #memory: ArrayBufferLike;
  readonly #lodgers: (Lodger | null)[] = [];
  #bytesUsed = 0;
  #isFull = false;

  constructor(memory: ArrayBufferLike, terms: SegmentTerms = usualTerms) {
    this.#terms = terms;

    this.#memory = memory;
  }

  holds(value: Uint8Array): boolean {
    return value.buffer === this.#memory;
  }

  add(lodger: Lodger): number {
    this.#bytesUsed += lodger.size;
    return this.#lodgers.push(lodger) - 1;
  }

  close(): void {
    this.#isFull = true;
    this.#clearIfTooEmpty();
  }

  leave(place: number, size: number): void {
    if ((this.#lodgers[place] ?? null) === null) return;
    this.#lodgers[place] = null;
    this.#bytesUsed -= size;
    if (this.#isFull) this.#clearIfTooEmpty();
  }

  #clearIfTooEmpty(): void {
    if (this.#bytesUsed >= this.#terms.usedPartMin * this.#memory.byteLength) return;
    const left = this.#lodgers.splice(0);
    this.#bytesUsed = 0;
    this.#terms.onClear?.();
    for (const lodger of left) lodger?.moveOut();
  }
}
