import type { DurationCounts } from '../replicaApi.js';

/** Buckets have upper bounds in milliseconds. */
export class CountedDurations {
  readonly #boundsMs: readonly number[];
  readonly #counts: number[];
  #sumMs = 0;
  #longestMs = 0;

  /** `boundsMs` grow. */
  constructor(boundsMs: readonly number[]) {
    this.#boundsMs = boundsMs;
    this.#counts = new Array<number>(boundsMs.length + 1).fill(0);
  }

  observe(ms: number): void {
    let bucket = 0;
    while (bucket < this.#boundsMs.length && ms > (this.#boundsMs[bucket] as number)) bucket += 1;
    (this.#counts[bucket] as number) += 1;
    this.#sumMs += ms;
    this.#longestMs = Math.max(this.#longestMs, ms);
  }

  describe(): DurationCounts {
    return { boundsMs: this.#boundsMs, counts: [...this.#counts], sumMs: this.#sumMs, longestMs: this.#longestMs };
  }
}
