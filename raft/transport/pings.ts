/**
 * When a peer is asked for a sign of life. A ping that travels with messages does not wake the peer for itself, so where messages leave often it waits for the
 * next ones, but not beyond a beat; where none leave it goes at once.
 *
 *     beat ──(messages left since the last one)──▶ waits ──(messages leave, or the next beat)──▶ asked
 *       └────(none)─────────────────────────────────────────────────────────────────────────────▶┘
 */
export class Pings {
  #spoke = false;
  #waits = false;
  #unanswered = 0;

  constructor(private readonly silentPingsMax: number) {}

  /** To be called at a steady pace. Whether a ping must leave now, with or without messages. */
  beat(): boolean {
    const isDue = this.#waits || !this.#spoke;
    this.#waits = true;
    this.#spoke = false;
    return isDue;
  }

  /** Messages leave. */
  spoke(): void {
    this.#spoke = true;
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
  }
}
