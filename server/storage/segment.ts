/** A value that lies in a segment, as long as its owner is content with that. */
export interface Lodger {
  readonly size: number;
  /** Called when the segment is to go: from then on its bytes are looked for elsewhere. */
  moveOut(): void;
}

export interface SegmentTerms {
  /** A segment stays as long as at least this part of it is in use. */
  readonly usedPartMin: number;
  /** The few that are left are about to move out. */
  readonly onClear?: () => void;
}

const usualTerms: SegmentTerms = { usedPartMin: 1 / 3 };

/**
 * Memory in which the values of many objects came, and in which they stay: a copy of each takes longer than everything else that a cache does with a change that
 * nobody waits for, and where several threads take the same changes in, they would keep as many copies. Since one value keeps all of the memory, whoever
 * needs his no longer says so, and the few that are left in the end are copied.
 */
export class Segment {
  readonly #memory: ArrayBufferLike;
  readonly #lodgers: (Lodger | null)[] = [];
  #bytesUsed = 0;
  #isFull = false;

  constructor(
    memory: ArrayBufferLike,
    private readonly terms: SegmentTerms = usualTerms,
  ) {
    this.#memory = memory;
  }

  /** Whether a value lies in this memory. */
  holds(value: Uint8Array): boolean {
    return value.buffer === this.#memory;
  }

  /** Takes a value in. Its place is what `leave` wants. */
  add(lodger: Lodger): number {
    this.#bytesUsed += lodger.size;
    return this.#lodgers.push(lodger) - 1;
  }

  /** Everything has come. */
  close(): void {
    this.#isFull = true;
    this.#clearIfTooEmpty();
  }

  leave(place: number, { size }: { readonly size: number }): void {
    if ((this.#lodgers[place] ?? null) === null) return;
    this.#lodgers[place] = null;
    this.#bytesUsed -= size;
    if (this.#isFull) this.#clearIfTooEmpty();
  }

  #clearIfTooEmpty(): void {
    if (this.#bytesUsed >= this.terms.usedPartMin * this.#memory.byteLength) return;
    const left = this.#lodgers.splice(0);
    this.#bytesUsed = 0;
    this.terms.onClear?.();
    for (const lodger of left) lodger?.moveOut();
  }
}
