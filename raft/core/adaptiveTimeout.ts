import { limits } from './limits.js';

/**
 * How long to wait for a leader, learnt from how late leaders that were alive have been: where threads wait for a processor, or words for a network, a
 * timeout that fits a quiet machine deposes every leader before it can work. In ticks of this server, so that what it slept itself counts for nothing.
 *
 *   timeout = twice the longest silence remembered, between electionTicks and `timeoutsMax` times that
 *
 * One silence at most doubles the timeout, whatever its length: a server that was away for hours, or bytes that a network kept for minutes, must not teach
 * more than a late word. A leader that is late again and again is known after a few silences. What is remembered halves with each span in which nothing as
 * long was seen, so that one hiccup is soon forgotten. Nothing but the moments of elections and of stepping down may rest on it (DESIGN.md).
 */
export class AdaptiveTimeout {
  /** The longest silence remembered, and the longest of the present span. */
  private longest = 0;
  private longestOfSpan = 0;

  private readonly timeoutsMax: number;

  constructor(
    private readonly electionTicks: number,
    { timeoutsMax }: { readonly timeoutsMax: number },
  ) {
    this.timeoutsMax = timeoutsMax;
  }

  /** The shortest wait for a leader; the longest is almost twice that. */
  get ticks(): number {
    return Math.max(this.electionTicks, 2 * this.longest);
  }

  /** A silence ended: whoever was waited for is alive. One that had not begun teaches nothing. */
  learn(silence: number): void {
    const taught = Math.min(silence, this.ticks, (this.electionTicks * this.timeoutsMax) / 2);
    this.longest = Math.max(this.longest, taught);
    this.longestOfSpan = Math.max(this.longestOfSpan, taught);
  }

  tick(now: number): void {
    if (now % (limits.adaptiveSpanTimeouts * this.electionTicks) !== 0) return;
    this.longest = Math.max(Math.floor(this.longest / 2), this.longestOfSpan);
    this.longestOfSpan = 0;
  }
}
