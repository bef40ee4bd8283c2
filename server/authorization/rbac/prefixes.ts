/**
 * Texts, for finding those that another text begins with. They stand in order, each with the longest other one that it begins with itself, so
 * that all beginnings of a text hang together:
 *
 *     /a  ◀──  /a/b  ◀──  /a/b/c
 *       ◀───  /a/x
 */
export class Prefixes {
  private readonly sorted: readonly string[];
  /** For each the position of the longest other one that it begins with, or -1. */
  private readonly within: readonly number[];

  constructor(texts: Iterable<string>) {
    this.sorted = [...new Set(texts)].sort();
    const within: number[] = [];
    for (const [position, text] of this.sorted.entries()) {
      let candidate = position - 1;
      while (candidate >= 0 && !text.startsWith(this.sorted[candidate]!)) candidate = within[candidate]!;
      within.push(candidate);
    }
    this.within = within;
  }

  /** Those that the text begins with, the longest first. */
  of(text: string): string[] {
    const found: string[] = [];
    let position = this.lastUpTo(text);
    while (position >= 0 && !text.startsWith(this.sorted[position]!)) position = this.within[position]!;
    for (; position >= 0; position = this.within[position]!) found.push(this.sorted[position]!);
    return found;
  }

  /** The position of the last one that does not come after the text, or -1. */
  private lastUpTo(text: string): number {
    let [low, high] = [0, this.sorted.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.sorted[middle]! <= text) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}
