/**
 * A counter shared between process and consensus thread: how often this replica has become the only member of its cluster and its leader, and 0 while it is not
 * both. While it is, no other server can acknowledge a write or be elected, so readers need not confirm leadership.
 */
export const soleMemberWord = (): SharedArrayBuffer => new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);

/** The consensus thread's side. */
export class SoleMember {
  readonly #word: Int32Array;
  #isSole = false;
  #times = 0;

  constructor(word: SharedArrayBuffer) {
    this.#word = new Int32Array(word);
  }

  /** Call it before anything is sent to others under a role or a membership. */
  tell(isSole: boolean): void {
    if (isSole === this.#isSole) return;
    this.#isSole = isSole;
    if (isSole) this.#times += 1;
    Atomics.store(this.#word, 0, isSole ? this.#times : 0);
  }
}

/**
 * The readers' side. A nonzero counter says nothing about earlier writes: one read barrier, requested and reached while it stays unchanged, shows that they
 * have all been delivered. Until the counter changes, everything acknowledged then went through this process.
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

  /** A barrier was reached that was requested when the counter was `asked`. */
  reached(asked: number): void {
    if (asked !== 0 && asked === this.word) this.#proven = asked;
  }

  get isProven(): boolean {
    return this.#proven !== 0 && this.#proven === this.word;
  }
}
