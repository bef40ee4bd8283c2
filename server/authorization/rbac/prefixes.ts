/**
 * Finds the texts that are prefixes of another text. They are sorted, and each refers to its own longest prefix, so that all prefixes of a text form a chain:
 *
 *     /a  ◀──  /a/b  ◀──  /a/b/c
 *       ◀───  /a/x
 */
export class Prefixes {
  readonly #sorted: readonly string[];
  /** The position of each text's longest prefix, or -1. */
  readonly #within: readonly number[];

  constructor(texts: Iterable<string>) {
    this.#sorted = [...new Set(texts)].sort();
    const within: number[] = [];
    for (const [position, text] of this.#sorted.entries()) {
      let candidate = position - 1;
      while (candidate >= 0 && !text.startsWith(this.#sorted[candidate]!)) candidate = within[candidate]!;
      within.push(candidate);
    }
    this.#within = within;
  }

  /** All prefixes of the text, the longest first. */
  of(text: string): string[] {
    const found: string[] = [];
    let position = this.#lastUpTo(text);
    while (position >= 0 && !text.startsWith(this.#sorted[position]!)) position = this.#within[position]!;
    for (; position >= 0; position = this.#within[position]!) found.push(this.#sorted[position]!);
    return found;
  }

  #lastUpTo(text: string): number {
    let [low, high] = [0, this.#sorted.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#sorted[middle]! <= text) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}
