import type { Backend } from './backends.js';

/** What looks have to do with time, so that tests decide how it passes. */
export interface LooksClock {
  /** Milliseconds of a clock that is never set back. */
  elapsed(): number;
  /** Calls back once after `ms`; the returned function cancels it. */
  after(ms: number, callback: () => void): () => void;
}

const looksClock: LooksClock = {
  elapsed: () => performance.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};

/** How often backends are looked at. */
export const lookMs = {
  /** While none is up there is nothing to disturb, and clients wait. */
  urgent: 50,
  usual: 500,
  /** While nothing stirs: each look costs all replicas a round of messages. Whoever stirs has all of them looked at. */
  calm: 5_000,
} as const;

/** Calm is what has lasted so long without a client that came or a backend that changed. */
export const calmAfterMs = 10_000;

/**
 * When a balancer looks at its backends: again and again, one look at a backend at a time.
 *
 *     none is up: urgent     all are up, and nothing stirred for long: calm     otherwise: usual
 *
 * Looks are due at multiples of their interval. So one turn of the event loop asks all backends, and what they have to ask each other for it travels together.
 */
export class Looks {
  readonly #waiting = new Map<Backend, () => void>();
  #stirredAt: number;
  #closed = false;

  /** `look` takes in what it finds, and never rejects. */
  constructor(
    private readonly backends: readonly Backend[],
    private readonly look: (backend: Backend) => Promise<void>,
    private readonly clock: LooksClock = looksClock,
  ) {
    this.#stirredAt = clock.elapsed();
  }

  start(): void {
    for (const backend of this.backends) void this.#turn(backend);
  }

  /** A client has come, or a backend changed. What is known of the others may be older than it should be then: they are looked at now. */
  stir(): void {
    const wasCalm = this.#isCalm;
    this.#stirredAt = this.clock.elapsed();
    if (!wasCalm) return;
    for (const [backend, cancel] of [...this.#waiting]) {
      cancel();
      void this.#turn(backend);
    }
  }

  close(): void {
    this.#closed = true;
    for (const cancel of this.#waiting.values()) cancel();
    this.#waiting.clear();
  }

  async #turn(backend: Backend): Promise<void> {
    this.#waiting.delete(backend);
    await this.look(backend);
    if (this.#closed) return;
    this.#waiting.set(
      backend,
      this.clock.after(this.#restMs(), () => void this.#turn(backend)),
    );
  }

  /** Between a half of the interval and one and a half. */
  #restMs(): number {
    const now = this.clock.elapsed();
    const interval = this.#interval;
    return Math.round(now / interval + 1) * interval - now;
  }

  get #interval(): number {
    if (!this.backends.some(({ state }) => state === 'up')) return lookMs.urgent;
    return this.#isCalm && this.backends.every(({ state }) => state === 'up') ? lookMs.calm : lookMs.usual;
  }

  get #isCalm(): boolean {
    return this.clock.elapsed() - this.#stirredAt >= calmAfterMs;
  }
}
