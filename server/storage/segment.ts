/** A value in a segment, while its owner permits. */
export interface SegmentValue {
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
  readonly #values: (SegmentValue | null)[] = [];
  #bytesUsed = 0;
  #isFull = false;

  constructor(memory: ArrayBufferLike, terms: SegmentTerms = usualTerms) {
    this.#terms = terms;

    this.#memory = memory;
  }

  holds(value: Uint8Array): boolean {
    return value.buffer === this.#memory;
  }

  add(value: SegmentValue): number {
    this.#bytesUsed += value.size;
    return this.#values.push(value) - 1;
  }

  close(): void {
    this.#isFull = true;
    this.#clearIfTooEmpty();
  }

  leave(place: number, size: number): void {
    if ((this.#values[place] ?? null) === null) return;
    this.#values[place] = null;
    this.#bytesUsed -= size;
    if (this.#isFull) this.#clearIfTooEmpty();
  }

  #clearIfTooEmpty(): void {
    if (this.#bytesUsed >= this.#terms.usedPartMin * this.#memory.byteLength) return;
    const left = this.#values.splice(0);
    this.#bytesUsed = 0;
    this.#terms.onClear?.();
    for (const value of left) value?.moveOut();
  }
}
