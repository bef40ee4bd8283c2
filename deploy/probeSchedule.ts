import type { Backend } from './backends.js';

export interface ProbeClock {
  elapsed(): number;
  after(ms: number, callback: () => void): () => void;
}

const machineClock: ProbeClock = {
  elapsed: () => performance.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};

export const probeIntervalMs = {
  /** No backend is up: there is nothing to disturb, and clients wait. */
  urgent: 50,
  usual: 500,
  idle: 5_000,
} as const;

/** Time without new clients or changed backends after which the interval grows. */
export const idleAfterMs = 10_000;

/**
 * Schedules a balancer's probes of its backends, one at a time for each backend.
 *
 *     none is up: urgent     all are up, and nothing happened for long: idle     otherwise: usual
 *
 * Probes are due at multiples of their interval, so that one turn of the event loop probes all backends.
 */
export class ProbeSchedule {
  readonly #backends: readonly Backend[];
  readonly #probe: (backend: Backend) => Promise<void>;
  readonly #clock: ProbeClock;
  readonly #waiting = new Map<Backend, () => void>();
  #stirredAt: number;
  #closed = false;

  /** `look` records its result, and never rejects. */
  constructor(backends: readonly Backend[], probe: (backend: Backend) => Promise<void>, clock: ProbeClock = machineClock) {
    this.#backends = backends;
    this.#probe = probe;
    this.#clock = clock;
    this.#stirredAt = clock.elapsed();
  }

  start(): void {
    for (const backend of this.#backends) void this.#turn(backend);
  }

  /** Called for a new client or a changed backend. Probes all backends whose last result is older than the shorter interval. */
  stir(): void {
    const wasIdle = this.#isIdle;
    this.#stirredAt = this.#clock.elapsed();
    if (!wasIdle) return;
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
    await this.#probe(backend);
    if (this.#closed) return;
    this.#waiting.set(
      backend,
      this.#clock.after(this.#restMs(), () => void this.#turn(backend)),
    );
  }

  /** Returns 0.5 to 1.5 intervals. */
  #restMs(): number {
    const now = this.#clock.elapsed();
    const interval = this.#interval;
    return Math.round(now / interval + 1) * interval - now;
  }

  get #interval(): number {
    if (!this.#backends.some(({ state }) => state === 'up')) return probeIntervalMs.urgent;
    return this.#isIdle && this.#backends.every(({ state }) => state === 'up') ? probeIntervalMs.idle : probeIntervalMs.usual;
  }

  get #isIdle(): boolean {
    return this.#clock.elapsed() - this.#stirredAt >= idleAfterMs;
  }
}
