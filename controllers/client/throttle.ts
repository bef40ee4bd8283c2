import { pause, type Clock } from './clock.js';
import { StoppedError } from './errors.js';

export interface Throttle {
  take(signal?: AbortSignal): Promise<void>;
}

export const unthrottled: Throttle = { take: () => Promise.resolve() };

/**
 * A token bucket: `burst` requests at once after an idle time, `qps` in the long run. A waiting request takes its token in advance, which keeps the order
 * without a queue.
 */
export class TokenBucket implements Throttle {
  readonly #qps: number;
  readonly #clock: Clock;
  #tokens: number;
  #filledAt: number;

  readonly #burst: number;

  constructor(qps: number, { burst }: { readonly burst: number }, clock: Clock) {
    this.#qps = qps;
    this.#clock = clock;
    this.#burst = burst;

    this.#tokens = burst;
    this.#filledAt = clock.elapsed();
  }

  tryTake(): boolean {
    this.#fill();
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }

  /** Takes a present or future token; returns milliseconds until it is available. */
  reserve(): number {
    this.#fill();
    this.#tokens -= 1;
    return this.#tokens >= 0 ? 0 : (-this.#tokens / this.#qps) * 1000;
  }

  async take(signal?: AbortSignal): Promise<void> {
    const waitMs = this.reserve();
    if (waitMs > 0) await pause(this.#clock, waitMs, signal);
    if (signal?.aborted) throw new StoppedError('stopped while waiting for the client-side rate limit');
  }

  #fill(): void {
    const now = this.#clock.elapsed();
    this.#tokens = Math.min(this.#burst, this.#tokens + ((now - this.#filledAt) / 1000) * this.#qps);
    this.#filledAt = now;
  }
}

/** Implements `--kube-api-qps` and `--kube-api-burst`; a rate of 0 is the clients' default, a negative one no limit. */
export function throttleFor(qps: number, { burst }: { readonly burst: number }, clock: Clock): Throttle {
  if (qps < 0) return unthrottled;
  return new TokenBucket(qps === 0 ? 5 : qps, { burst: Math.max(1, burst === 0 ? 10 : burst) }, clock);
}
