/**
 * Decides when to ping a peer. One that has just answered is skipped for a beat. A ping that travels with messages does not wake the peer, so it waits at most
 * a beat for the next ones, if messages are sent often.
 *
 *     answered ──beat──▶ beat ──(messages sent since the last one)───▶ waits ──(messages sent, or the next beat)──▶ asked
 *                          └────(none)────────────────────────────────────────────────────────────────────────────▶┘
 *
 * An unresponsive peer is pinged in every beat. The receiver closes a connection after four beats without input.
 */
export class Pings {
  readonly #silentPingsMax: number;
  #spoke = false;
  #waits = false;
  #unanswered = 0;
  #answered = false;

  constructor(silentPingsMax: number) {
    this.#silentPingsMax = silentPingsMax;
  }

  /** Returns whether a ping must be sent now. */
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

  demand(): void {
    this.#waits = true;
  }

  /** Called before sending. */
  take(): 'none' | 'ping' | 'silent' {
    if (!this.#waits) return 'none';
    this.#waits = false;
    this.#unanswered += 1;
    return this.#unanswered > this.#silentPingsMax ? 'silent' : 'ping';
  }

  heard(): void {
    this.#unanswered = 0;
    this.#answered = true;
  }
}
