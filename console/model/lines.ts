/** Splits text that comes in pieces into whole lines; the rest waits for more. */
export class LineSplitter {
  readonly #charactersMax: number;
  #rest = '';

  /** A line that does not end within `charactersMax` is an error: memory is bounded. */
  constructor(charactersMax: number) {
    this.#charactersMax = charactersMax;
  }

  push(text: string): readonly string[] {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    if (this.#rest.length > this.#charactersMax) throw new Error('a line of the answer is too long');
    return lines.filter((line) => line !== '');
  }
}
