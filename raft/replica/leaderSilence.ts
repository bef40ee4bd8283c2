import type { LeaderSilence } from '../replica-api.js';

/** Upper bounds of the counts, in milliseconds: around a heartbeat, around an election timeout, and far beyond. */
const boundsMs = [60, 100, 200, 300, 500, 1_000, 2_000, 5_000] as const;

/**
 * How long a follower went without word from its leader, each time until the next word was handled. Load that delays heartbeats, on either side,
 * shows here long before it costs an election. Time without a known leader, and of a leader, is not counted.
 */
export class LeaderSilences {
  readonly #counts = new Array<number>(boundsMs.length + 1).fill(0);
  #sumMs = 0;
  #longestMs = 0;
  #lastWordAtMs: number | null = null;

  /** The leader was heard. */
  heard(nowMs: number): void {
    if (this.#lastWordAtMs !== null) this.#count(nowMs - this.#lastWordAtMs);
    this.#lastWordAtMs = nowMs;
  }

  /** There is another leader, or none: what comes next is not compared with what was before. */
  changed(): void {
    this.#lastWordAtMs = null;
  }

  describe(): LeaderSilence {
    return { boundsMs, counts: [...this.#counts], sumMs: this.#sumMs, longestMs: this.#longestMs };
  }

  #count(silenceMs: number): void {
    let bucket = 0;
    while (bucket < boundsMs.length && silenceMs > (boundsMs[bucket] as number)) bucket += 1;
    (this.#counts[bucket] as number) += 1;
    this.#sumMs += silenceMs;
    this.#longestMs = Math.max(this.#longestMs, silenceMs);
  }
}
