import type { LeaderSilence } from '../replicaApi.js';
import { CountedDurations } from './countedDurations.js';

const boundsMs = [60, 100, 200, 300, 500, 1_000, 2_000, 5_000] as const;

/** Shows load that delays heartbeats, on either side, long before an election. Time as leader or without a known leader does not count. */
export class LeaderContactIntervals {
  readonly #durations = new CountedDurations(boundsMs);
  #lastContactAtMs: number | null = null;

  contact(nowMs: number): void {
    if (this.#lastContactAtMs !== null) this.#durations.observe(nowMs - this.#lastContactAtMs);
    this.#lastContactAtMs = nowMs;
  }

  changed(): void {
    this.#lastContactAtMs = null;
  }

  describe(): LeaderSilence {
    return this.#durations.describe();
  }
}
