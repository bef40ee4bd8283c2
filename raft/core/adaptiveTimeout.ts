import { limits } from './limits.js';

/**
 * Learns how long to wait for a leader from delays of live ones: on slow machines and networks a timeout for an idle machine deposes every leader at
 * once. Time is this server's ticks, not its sleep.
 *
 *   timeout = twice the longest silence remembered, between electionTicks and `timeoutsMax` times that
 *
 * One silence at most doubles the timeout. The memory halves with each span without as long a silence. Only elections and stepping down may depend on it
 * (DESIGN.md).
 */
export class AdaptiveTimeout {
  readonly #electionTicks: number;
  #longest = 0;
  #longestOfSpan = 0;

  readonly #timeoutsMax: number;

  constructor(electionTicks: number, timeoutsMax: number) {
    this.#electionTicks = electionTicks;
    this.#timeoutsMax = timeoutsMax;
  }

  /** The longest is almost twice that. */
  get ticks(): number {
    return Math.max(this.#electionTicks, 2 * this.#longest);
  }

  /** A silence that had not begun teaches nothing. */
  learn(elapsedTicks: number): void {
    const taught = Math.min(elapsedTicks, this.ticks, (this.#electionTicks * this.#timeoutsMax) / 2);
    this.#longest = Math.max(this.#longest, taught);
    this.#longestOfSpan = Math.max(this.#longestOfSpan, taught);
  }

  tick(now: number): void {
    if (now % (limits.adaptiveSpanTimeouts * this.#electionTicks) !== 0) return;
    this.#longest = Math.max(Math.floor(this.#longest / 2), this.#longestOfSpan);
    this.#longestOfSpan = 0;
  }
}
