import type { Api, Watch, WatchEvent } from './api.js';
import { pause, type Clock } from './clock.js';
import { ApiError, ConnectionError, isExpired } from './errors.js';
import type { KubeObject } from '../../api/meta/object.js';
import type { Resource } from '../../api/meta/resource.js';

/** Receives a reflector's objects, one call after another, in the order of versions. */
export interface Sink<T> {
  /** Replaces everything by the state as of `version`. */
  replace(objects: readonly T[], version: string): void;
  put(object: T): void;
  /** `last` is the object's last state. */
  remove(last: T): void;
  /** No change up to `version`. */
  progress(version: string): void;
  /** The newest version received; '' for none. */
  readonly version: string;
}

export interface ReflectorOptions<T extends KubeObject> {
  readonly api: Api;
  readonly type: Resource<T>;
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly metadataOnly?: boolean;
  /** Requests the initial state with the watch, where supported, instead of a list before it. Default true. */
  readonly watchesLists?: boolean;
  readonly clock: Clock;
  readonly random: () => number;
  /** Receives errors; the reflector goes on. */
  readonly onError?: (error: unknown) => void;
}

const watchSecondsMin = 300;
/** Time after the requested end until the connection counts as dead. */
const watchOverdueMs = 60_000;
const backoffFirstMs = 200;
const backoffMaxMs = 30_000;
const backoffFactor = 2;
/** A watch that ends earlier without an event counts as a failure: otherwise that server would be queried without pause. */
const watchMsMin = 1_000;
const pageSize = 500;
const initialEventsEnd = 'k8s.io/initial-events-end';

/**
 * Keeps a sink equal to a server's objects of one type:
 *
 *     initial state (a watch that begins with it, or pages of a list) --> watch --ended, broken--> watch from the last version
 *                 ^---------------------------- version forgotten (410) -----------------------------'
 *
 * The initial state is a consistent read, so it is never older than the last state.
 */
export class Reflector<T extends KubeObject> {
  readonly #options: ReflectorOptions<T>;
  readonly #sink: Sink<T>;
  #lists: boolean;
  #stale = true;
  #failures = 0;

  constructor(options: ReflectorOptions<T>, sink: Sink<T>) {
    this.#options = options;
    this.#sink = sink;
    this.#lists = options.watchesLists === false;
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.#follow(signal);
        this.#failures = 0;
      } catch (error) {
        if (signal.aborted) return;
        this.#consider(error);
        const waitMs = Math.min(backoffMaxMs, backoffFirstMs * backoffFactor ** this.#failures++) * (1 + this.#options.random());
        await pause(this.#options.clock, waitMs, signal);
      }
    }
  }

  #consider(error: unknown): void {
    if (isExpired(error)) this.#stale = true;
    // The server reports that it lacks such watches, which stays so while this program runs.
    else if (this.#stale && !this.#lists && error instanceof ApiError && (error.code === 400 || error.code === 422)) {
      this.#lists = true;
      return;
    }
    if (!isExpired(error)) this.#options.onError?.(error);
  }

  async #follow(signal: AbortSignal): Promise<void> {
    if (this.#stale && this.#lists) await this.#list(signal);
    const withState = this.#stale;
    const watch = await this.#open(withState);
    const stop = (): void => watch.close();
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    try {
      await this.#consume(watch, withState ? [] : null);
    } finally {
      signal.removeEventListener('abort', stop);
      watch.close();
    }
  }

  #selection(): { namespace?: string; labelSelector?: string; fieldSelector?: string; metadataOnly?: true } {
    const { namespace, labelSelector, fieldSelector, metadataOnly } = this.#options;
    return {
      ...(metadataOnly ? { metadataOnly } : {}),
      ...(namespace ? { namespace } : {}),
      ...(labelSelector ? { labelSelector } : {}),
      ...(fieldSelector ? { fieldSelector } : {}),
    };
  }

  #open(withState: boolean): Promise<Watch<T>> {
    const timeoutSeconds = Math.floor(watchSecondsMin * (1 + this.#options.random()));
    const common = { ...this.#selection(), allowWatchBookmarks: true, timeoutSeconds };
    return this.#options.api.watch(
      this.#options.type,
      withState
        ? { ...common, sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' }
        : { ...common, resourceVersion: this.#sink.version },
    );
  }

  async #list(signal: AbortSignal): Promise<void> {
    const items: T[] = [];
    let next = '';
    let version = '';
    do {
      const page = await this.#options.api.list(this.#options.type, {
        ...this.#selection(),
        limit: pageSize,
        ...(next ? { continue: next } : {}),
      });
      items.push(...page.items);
      version = page.metadata.resourceVersion ?? '';
      next = page.metadata.continue ?? '';
    } while (next !== '' && !signal.aborted);
    this.#replace(items, version);
  }

  /** `initial` collects the watch's initial state; null once it is complete. */
  async #consume(watch: Watch<T>, initial: T[] | null): Promise<void> {
    const overdue = this.#options.clock.after(watchSecondsMin * 2 * 1000 + watchOverdueMs, () => watch.close());
    const opened = this.#options.clock.elapsed();
    let events = 0;
    try {
      for await (const event of watch) {
        events++;
        initial = this.#take(event, initial);
      }
    } finally {
      overdue();
    }
    if (events === 0 && this.#options.clock.elapsed() - opened < watchMsMin)
      throw new ConnectionError('a watch ended as soon as it began', true);
    if (initial) throw new ConnectionError('a watch ended before its initial state was complete', true);
  }

  #take(event: WatchEvent<T>, initial: T[] | null): T[] | null {
    switch (event.type) {
      case 'ERROR':
        throw failureOf(event.object);
      case 'BOOKMARK': {
        const version = event.object.metadata.resourceVersion ?? '';
        if (initial && event.object.metadata.annotations?.[initialEventsEnd] === 'true') {
          this.#replace(initial, version);
          return null;
        }
        if (!initial) this.#sink.progress(version);
        return initial;
      }
      case 'DELETED':
      case 'ADDED':
      case 'MODIFIED':
        if (initial) initial.push(event.object);
        else if (event.type === 'DELETED') this.#sink.remove(event.object);
        else this.#sink.put(event.object);
        this.#failures = 0;
        return initial;
    }
  }

  #replace(items: readonly T[], version: string): void {
    this.#sink.replace(items, version);
    this.#stale = false;
    this.#failures = 0;
  }
}

function failureOf(object: unknown): Error {
  const status = typeof object === 'object' && object !== null ? (object as { code?: number }) : {};
  return new ApiError(status.code ?? 500, status, 'a watch');
}
