import type { Backend } from './backends.js';

export interface LooksClock {
  elapsed(): number;
  after(ms: number, callback: () => void): () => void;
}

const looksClock: LooksClock = {
  elapsed: () => performance.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};

export const lookMs = {
  /** No backend is up: there is nothing to disturb, and clients wait. */
  urgent: 50,
  usual: 500,
  calm: 5_000,
} as const;

/** Time without new clients or changed backends after which the interval grows. */
export const calmAfterMs = 10_000;

/**
 * Schedules a balancer's probes of its backends, one at a time for each backend.
 *
 *     none is up: urgent     all are up, and nothing happened for long: calm     otherwise: usual
 *
 * Probes are due at multiples of their interval, so that one turn of the event loop probes all backends.
 */
export class Looks {
  readonly #backends: readonly Backend[];
  readonly #look: (backend: Backend) => Promise<void>;
  readonly #clock: LooksClock;
  readonly #waiting = new Map<Backend, () => void>();
  #stirredAt: number;
  #closed = false;

  /** `look` records its result, and never rejects. */
  constructor(backends: readonly Backend[], look: (backend: Backend) => Promise<void>, clock: LooksClock = looksClock) {
    this.#backends = backends;
    this.#look = look;
    this.#clock = clock;
    this.#stirredAt = clock.elapsed();
  }

  start(): void {
    for (const backend of this.#backends) void this.#turn(backend);
  }

  /** Called for a new client or a changed backend. Probes all backends whose last result is older than the shorter interval. */
  stir(): void {
    const wasCalm = this.#isCalm;
    this.#stirredAt = this.#clock.elapsed();
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
    await this.#look(backend);
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
    if (!this.#backends.some(({ state }) => state === 'up')) return lookMs.urgent;
    return this.#isCalm && this.#backends.every(({ state }) => state === 'up') ? lookMs.calm : lookMs.usual;
  }

  get #isCalm(): boolean {
    return this.#clock.elapsed() - this.#stirredAt >= calmAfterMs;
  }
}
