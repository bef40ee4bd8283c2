import type { Api } from './api.js';
import type { Clock } from './clock.js';
import { isConflict, messageOf } from './errors.js';
import type { EventRecorder } from './events.js';
import type { Informer, Informers } from './informer.js';
import { keyTextOf, type KubeObject } from '../../api/meta/object.js';
import type { Resource } from '../../api/meta/resource.js';
import { work, WorkQueue, type QueueMetrics, type WorkOptions } from './workQueue.js';

export interface ControllerEnvironment {
  /** The API with this controller's own rate limit, and optionally identity. */
  readonly api: Api;
  /** Shared with the other controllers of the process. */
  readonly informers: Informers;
  readonly events: EventRecorder;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: (level: 'info' | 'error', message: string) => void;
  readonly metrics?: (queue: string) => QueueMetrics;
  /** Receives each sync of a key, for debugging. */
  readonly traced?: (work: { readonly controller: string; readonly key: string; readonly ms: number; readonly failed: boolean }) => void;
}

export interface Controller {
  readonly name: string;
  /** Works until `signal` aborts; resolves when no work is left. */
  run(signal: AbortSignal): Promise<void>;
}

export interface QueueControllerOptions {
  readonly name: string;
  readonly workers?: number;
  readonly sync: WorkOptions['sync'];
  readonly retriesMax?: number;
  readonly backoffFirstMs?: number;
  readonly backoffMaxMs?: number;
  /** Runs alongside the workers. */
  readonly background?: (signal: AbortSignal) => Promise<void>;
}

/** A controller of the usual form: changes add keys to a queue, and workers reconcile the object of each key. Call `watch` for types, then `run`. */
export class QueueController implements Controller {
  readonly #environment: ControllerEnvironment;
  readonly #options: QueueControllerOptions;
  readonly name: string;
  readonly queue: WorkQueue;
  readonly #needed: { synced(): Promise<void> }[] = [];
  readonly #owned: { start(signal: AbortSignal): void; stopped(): Promise<void> }[] = [];

  constructor(environment: ControllerEnvironment, options: QueueControllerOptions) {
    this.#environment = environment;
    this.#options = options;
    this.name = options.name;
    const { backoffFirstMs, backoffMaxMs } = options;
    const metrics = environment.metrics?.(options.name);
    this.queue = new WorkQueue({
      clock: environment.clock,
      ...(metrics ? { metrics } : {}),
      ...(backoffFirstMs === undefined ? {} : { backoffFirstMs }),
      ...(backoffMaxMs === undefined ? {} : { backoffMaxMs }),
    });
  }

  /** Follows a type; `keys` returns the keys affected by an object's change (called for both states). Default: its own key. */
  watch<T extends KubeObject>(type: Resource<T>, keys: (object: T) => readonly string[] = (object) => [keyTextOf(object)]): this {
    const add = (object: T): void => {
      for (const key of keys(object)) this.queue.add(key);
    };
    this.needs(type).addHandlers({
      added: add,
      changed: (before, after) => {
        if (before !== after) add(before);
        add(after);
      },
      removed: add,
    });
    return this;
  }

  /** Returns a type's informer, which is synced before work begins. */
  needs<T extends KubeObject>(type: Resource<T>): Informer<T> {
    const informer = this.#environment.informers.of(type);
    this.#needed.push(informer);
    return informer;
  }

  /** Adds an informer of this controller for a part of a type. It runs as long as the controller, and is synced before work begins. */
  owns<T extends KubeObject>(informer: Informer<T>): Informer<T> {
    this.#needed.push(informer);
    this.#owned.push(informer);
    return informer;
  }

  async run(signal: AbortSignal): Promise<void> {
    for (const informer of this.#owned) informer.start(signal);
    await Promise.all(this.#needed.map((informer) => informer.synced()));
    const { workers = 1, retriesMax, background } = this.#options;
    const sync = this.#traced(this.#options.sync);
    // A conflict means that the cache lags; the next attempt uses its newer state.
    const onError = (key: string, error: unknown): void => {
      if (!isConflict(error)) this.#environment.log('error', `${this.name}: ${key}: ${messageOf(error)}`);
    };
    await Promise.all([
      work(this.queue, { workers, sync, onError, ...(retriesMax === undefined ? {} : { retriesMax }) }, signal),
      background?.(signal),
      ...this.#owned.map((informer) => informer.stopped()),
    ]);
  }

  #traced(sync: WorkOptions['sync']): WorkOptions['sync'] {
    const { traced, clock } = this.#environment;
    if (traced === undefined) return sync;
    return async (key) => {
      const started = clock.elapsed();
      let failed = true;
      try {
        const result = await sync(key);
        failed = false;
        return result;
      } finally {
        traced({ controller: this.name, key, ms: clock.elapsed() - started, failed });
      }
    };
  }
}
