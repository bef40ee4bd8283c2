/** Buckets grow by 5 %, from a hundredth of a millisecond on: 400 of them reach beyond half an hour. */
const growth = 1.05;
const leastMs = 0.01;
const buckets = 400;

/** Durations of requests in constant memory. Quantiles are within 5 %; the maximum is exact. */
export class Latencies {
  readonly #counts = new Uint32Array(buckets);
  #count = 0;
  #longestMs = 0;

  /** All of several together. */
  static of(parts: readonly Latencies[]): Latencies {
    const whole = new Latencies();
    for (const part of parts) {
      part.#counts.forEach((count, bucket) => {
        whole.#counts[bucket]! += count;
      });
      whole.#count += part.#count;
      whole.#longestMs = Math.max(whole.#longestMs, part.#longestMs);
    }
    return whole;
  }

  add(ms: number): void {
    const bucket = Math.ceil(Math.log(Math.max(ms, leastMs) / leastMs) / Math.log(growth));
    this.#counts[Math.min(bucket, buckets - 1)]! += 1;
    this.#count += 1;
    this.#longestMs = Math.max(this.#longestMs, ms);
  }

  /** The upper bound of that share in milliseconds; 0 without values. */
  at(share: number): number {
    let left = Math.ceil(this.#count * share);
    if (share >= 1 || left === 0) return this.#longestMs;
    for (let bucket = 0; bucket < buckets; bucket += 1) {
      left -= this.#counts[bucket]!;
      if (left <= 0) return Math.min(leastMs * growth ** bucket, this.#longestMs);
    }
    return this.#longestMs;
  }
}
