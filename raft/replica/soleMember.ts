/**
 * One word in memory that a process and its consensus thread share: how often this replica has become the only member of its cluster and its leader, and 0
 * while it is not both. While it is, nobody else can acknowledge a write or be elected, so a reader need not ask whether this replica still leads.
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

  /** To be called before anything is sent to others under a role or a membership. */
  tell(isSole: boolean): void {
    if (isSole === this.#isSole) return;
    this.#isSole = isSole;
    if (isSole) this.#times += 1;
    Atomics.store(this.#word, 0, isSole ? this.#times : 0);
  }
}

/**
 * The readers' side. That the word is set says nothing about writes from before: one read barrier that is asked for and reached while it stays as it
 * is shows that they have all been handed over. From then on, until the word changes, whatever was acknowledged has been acknowledged through this process.
 */
export class SoleMemberReader {
  readonly #word: Int32Array;
  #proven = 0;

  constructor(word: SharedArrayBuffer) {
    this.#word = new Int32Array(word);
  }

  /** To be remembered when a barrier is asked for. */
  get word(): number {
    return Atomics.load(this.#word, 0);
  }

  /** A barrier has been reached that was asked for when the word was `asked`. */
  reached(asked: number): void {
    if (asked !== 0 && asked === this.word) this.#proven = asked;
  }

  get isProven(): boolean {
    return this.#proven !== 0 && this.#proven === this.word;
  }
}
