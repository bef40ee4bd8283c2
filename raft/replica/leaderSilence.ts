import type { LeaderSilence } from '../replica-api.js';
import { CountedDurations } from './countedDurations.js';

/** Upper bounds of the counts, in milliseconds: around a heartbeat, around an election timeout, and far beyond. */
const boundsMs = [60, 100, 200, 300, 500, 1_000, 2_000, 5_000] as const;

/**
 * How long a follower went without word from its leader, each time until the next word was handled. Load that delays heartbeats, on either side,
 * shows here long before it costs an election. Time without a known leader, and of a leader, is not counted.
 */
export class LeaderSilences {
  readonly #durations = new CountedDurations(boundsMs);
  #lastWordAtMs: number | null = null;

  /** The leader was heard. */
  heard(nowMs: number): void {
    if (this.#lastWordAtMs !== null) this.#durations.observe(nowMs - this.#lastWordAtMs);
    this.#lastWordAtMs = nowMs;
  }

  /** There is another leader, or none: what comes next is not compared with what was before. */
  changed(): void {
    this.#lastWordAtMs = null;
  }

  describe(): LeaderSilence {
    return this.#durations.describe();
  }
}
