import { pause, type Clock } from './clock.js';

/**
 * Keys that wait for work. A key is worked on by one worker at a time, and once for any number of additions before that:
 *
 *     add ──> dirty ──┬──> waiting ──take──> processing ──done──> (dirty in the meantime? back to waiting)
 *                     └──> stays dirty only, while the key is in processing
 *
 * As in client-go. The number of keys is bounded by the number of objects that informers hold.
 */
export interface QueueMetrics {
  readonly added?: () => void;
  readonly depth?: (depth: number) => void;
  /** Seconds from the addition to the start of work. */
  readonly waited?: (seconds: number) => void;
  readonly worked?: (seconds: number) => void;
  readonly retried?: () => void;
  /** Called once with a function that returns how many seconds each current key has been processed. */
  readonly inspect?: (underWay: () => readonly number[]) => void;
}

export interface WorkQueueOptions {
  readonly clock: Clock;
  readonly metrics?: QueueMetrics;
  /** A key's wait after its first failure, doubled with each further one. */
  readonly backoffFirstMs?: number;
  readonly backoffMaxMs?: number;
}

const defaultBackoffFirstMs = 5;
const defaultBackoffMaxMs = 1_000_000;

export class WorkQueue {
  readonly #options: WorkQueueOptions;
  readonly #waiting = new Set<string>();
  readonly #dirty = new Set<string>();
  readonly #processing = new Map<string, number>();
  readonly #addedAt = new Map<string, number>();
  readonly #failures = new Map<string, number>();
  readonly #delayed = new Map<string, { readonly at: number; readonly cancel: () => void }>();
  readonly #takers: ((key: string | null) => void)[] = [];
  #closed = false;

  constructor(options: WorkQueueOptions) {
    this.#options = options;
    const { clock, metrics } = options;
    metrics?.inspect?.(() => [...this.#processing.values()].map((startedAt) => (clock.elapsed() - startedAt) / 1000));
  }

  get length(): number {
    return this.#waiting.size;
  }
  /** Returns whether nothing waits, is worked on or comes later. */
  get idle(): boolean {
    return this.#waiting.size + this.#processing.size + this.#delayed.size === 0;
  }

  add(key: string): void {
    if (this.#closed || this.#dirty.has(key)) return;
    this.#dirty.add(key);
    this.#options.metrics?.added?.();
    this.#addedAt.set(key, this.#options.clock.elapsed());
    if (!this.#processing.has(key)) this.#offer(key);
  }

  /** The shortest of several waits of a key counts. */
  addAfter(key: string, ms: number): void {
    if (this.#closed) return;
    if (ms <= 0) {
      this.add(key);
      return;
    }
    const at = this.#options.clock.elapsed() + ms;
    const planned = this.#delayed.get(key);
    if (planned && planned.at <= at) return;
    planned?.cancel();
    this.#delayed.set(key, {
      at,
      cancel: this.#options.clock.after(ms, () => {
        this.#delayed.delete(key);
        this.add(key);
      }),
    });
  }

  /** Adds the key after a wait that grows with its failures. */
  addRateLimited(key: string): void {
    const failures = this.#failures.get(key) ?? 0;
    this.#failures.set(key, failures + 1);
    this.#options.metrics?.retried?.();
    const { backoffFirstMs = defaultBackoffFirstMs, backoffMaxMs = defaultBackoffMaxMs } = this.#options;
    this.addAfter(key, Math.min(backoffMaxMs, backoffFirstMs * 2 ** Math.min(failures, 40)));
  }

  failuresOf(key: string): number {
    return this.#failures.get(key) ?? 0;
  }
  forget(key: string): void {
    this.#failures.delete(key);
  }

  /** Returns the next key, to be released by `done`; null once the queue is closed. */
  take(): Promise<string | null> {
    if (this.#closed) return Promise.resolve(null);
    const [key] = this.#waiting;
    if (key === undefined)
      return new Promise((resolve) => {
        this.#takers.push(resolve);
      });
    this.#waiting.delete(key);
    this.#options.metrics?.depth?.(this.#waiting.size);
    this.#begin(key);
    return Promise.resolve(key);
  }

  done(key: string): void {
    const startedAt = this.#processing.get(key);
    if (startedAt === undefined) throw new Error(`${key} is not being worked on`);
    this.#processing.delete(key);
    this.#options.metrics?.worked?.((this.#options.clock.elapsed() - startedAt) / 1000);
    if (this.#dirty.has(key) && !this.#closed) this.#offer(key);
  }

  /** Returns no more keys; waiting callers get null. */
  close(): void {
    this.#closed = true;
    for (const { cancel } of this.#delayed.values()) cancel();
    this.#delayed.clear();
    this.#waiting.clear();
    for (const taker of this.#takers.splice(0)) taker(null);
  }

  #offer(key: string): void {
    const taker = this.#takers.shift();
    if (taker) {
      this.#begin(key);
      taker(key);
      return;
    }
    this.#waiting.add(key);
    this.#options.metrics?.depth?.(this.#waiting.size);
  }

  #begin(key: string): void {
    const now = this.#options.clock.elapsed();
    this.#dirty.delete(key);
    this.#options.metrics?.waited?.((now - (this.#addedAt.get(key) ?? now)) / 1000);
    this.#addedAt.delete(key);
    this.#processing.set(key, now);
  }
}

/** A sync's result: done, or the time of the next one. */
export type SyncResult = void | { readonly againAfterMs: number };

export interface WorkOptions {
  readonly workers: number;
  /** Reconciles the object of a key. May request another call after a time. */
  readonly sync: (key: string) => Promise<SyncResult>;
  readonly onError?: (key: string, error: unknown) => void;
  /** Retries of a failing key before it is dropped until its next change. Default: unlimited. */
  readonly retriesMax?: number;
}

/** Works on a queue until `signal` aborts; resolves after the last call of `sync`. */
export async function work(queue: WorkQueue, options: WorkOptions, signal: AbortSignal): Promise<void> {
  const close = (): void => queue.close();
  signal.addEventListener('abort', close, { once: true });
  if (signal.aborted) close();
  await Promise.all(Array.from({ length: options.workers }, () => worker(queue, options, signal)));
}

async function worker(queue: WorkQueue, { sync, onError, retriesMax = Infinity }: WorkOptions, signal: AbortSignal): Promise<void> {
  for (let key = await queue.take(); key !== null; key = await queue.take()) {
    try {
      const result = await sync(key);
      queue.forget(key);
      if (result) queue.addAfter(key, result.againAfterMs);
    } catch (error) {
      if (!signal.aborted) onError?.(key, error);
      if (queue.failuresOf(key) < retriesMax) queue.addRateLimited(key);
      else queue.forget(key);
    } finally {
      queue.done(key);
    }
  }
}

/** Calls `task` now and `ms` after each end, until `signal` aborts; resolves after the last call. */
export async function every(clock: Clock, ms: number, task: () => Promise<void>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await task();
    await pause(clock, ms, signal);
  }
}
