/** Counts how often this replica became its cluster's only member and leader; 0 while it is not. A sole member's readers need not confirm leadership. */
export const soleMemberWord = (): SharedArrayBuffer => new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);

/** The consensus thread's side. */
export class SoleMember {
  readonly #word: Int32Array;
  #isSole = false;
  #times = 0;

  constructor(word: SharedArrayBuffer) {
    this.#word = new Int32Array(word);
  }

  tell(isSole: boolean): void {
    if (isSole === this.#isSole) return;
    this.#isSole = isSole;
    if (isSole) this.#times += 1;
    Atomics.store(this.#word, 0, isSole ? this.#times : 0);
  }
}

/**
 * A read barrier requested and reached under one nonzero value of the counter shows that all earlier writes are delivered. Until the counter changes, every
 * acknowledgement goes through this process.
 */
export class SoleMemberReader {
  readonly #word: Int32Array;
  #proven = 0;

  constructor(word: SharedArrayBuffer) {
    this.#word = new Int32Array(word);
  }

  get word(): number {
    return Atomics.load(this.#word, 0);
  }

  reached(asked: number): void {
    if (asked !== 0 && asked === this.word) this.#proven = asked;
  }

  get isProven(): boolean {
    return this.#proven !== 0 && this.#proven === this.word;
  }
}
