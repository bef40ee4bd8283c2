/**
 * When a peer is asked for a sign of life. One that has just given one is left alone for a beat. A ping that travels with messages does not wake the peer for
 * itself, so where messages leave often it waits for the next ones, but not beyond a beat; where none leave it goes at once.
 *
 *     answered ──beat──▶ beat ──(messages left since the last one)──▶ waits ──(messages leave, or the next beat)──▶ asked
 *                          └────(none)─────────────────────────────────────────────────────────────────────────────▶┘
 *
 * One that does not answer is asked in every beat. Whoever is called closes a connection on which nothing came in four beats, so no ping may be left out beyond that.
 */
export class Pings {
  #spoke = false;
  #waits = false;
  #unanswered = 0;
  #answered = false;

  constructor(private readonly silentPingsMax: number) {}

  /** To be called at a steady pace. Whether a ping must leave now, with or without messages. */
  beat(): boolean {
    if (this.#answered) {
      this.#answered = false;
      return false;
    }
    const isDue = this.#waits || !this.#spoke;
    this.#waits = true;
    this.#spoke = false;
    return isDue;
  }

  /** Messages leave. */
  spoke(): void {
    this.#spoke = true;
  }

  /** A ping is wanted for what it says. */
  demand(): void {
    this.#waits = true;
  }

  /** Something leaves: whether a ping is to go with it, or too many had no answer. */
  take(): 'none' | 'ping' | 'silent' {
    if (!this.#waits) return 'none';
    this.#waits = false;
    this.#unanswered += 1;
    return this.#unanswered > this.silentPingsMax ? 'silent' : 'ping';
  }

  /** The peer has answered. */
  heard(): void {
    this.#unanswered = 0;
    this.#answered = true;
  }
}
