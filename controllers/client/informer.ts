import { Cache, type IndexFunction, type Lister } from './cache.js';
import type { Clock } from './clock.js';
import { keyTextOf, type KubeObject } from '../../api/meta/object.js';
import { Reflector, type ReflectorOptions, type Sink } from './reflector.js';
import { groupResourceOf, type Resource } from '../../api/meta/resource.js';
import { isOlder } from './versions.js';

/**
 * Handlers of changes. They are called after the cache has changed, in the order of changes, and must not wait. They never see an older state after a newer
 * one. `removed` gets the last known state, which after a gap in the watch is not the very last.
 */
export interface Handlers<T> {
  readonly added?: (object: T) => void;
  /** Called at each resync, too, with the same object twice. */
  readonly changed?: (before: T, after: T) => void;
  readonly removed?: (last: T) => void;
}

export interface InformerOptions<T extends KubeObject> extends ReflectorOptions<T> {
  /** Repeats all objects to handlers at a random time between this and twice this; 0 for never. */
  readonly resyncMs?: number;
  /** Returns the part of an object to keep. By default drops managed fields: they are large, and writes without them leave them unchanged. */
  readonly transform?: (object: T) => T;
}

/** A cache of one type, kept equal to the server's objects, and shared in the process. */
export class Informer<T extends KubeObject> implements Sink<T> {
  readonly #options: InformerOptions<T>;
  readonly #cache = new Cache<T>();
  readonly #handlers = new Set<Handlers<T>>();
  readonly #transform: (object: T) => T;
  #version = '';
  #running: Promise<void> | null = null;
  #synced = false;
  #over = false;
  #whenSynced: (() => void)[] = [];

  constructor(options: InformerOptions<T>) {
    this.#options = options;
    this.#transform = options.transform ?? withoutManagedFields;
  }

  get type(): Resource<T> {
    return this.#options.type;
  }
  get cache(): Lister<T> {
    return this.#cache;
  }
  get version(): string {
    return this.#version;
  }
  get hasSynced(): boolean {
    return this.#synced;
  }

  addIndex(name: string, words: IndexFunction<T>): void {
    this.#cache.addIndex(name, words);
  }

  /** A late handler gets the existing objects. The returned function removes it. */
  addHandlers(handlers: Handlers<T>): () => void {
    this.#handlers.add(handlers);
    if (this.#synced) for (const object of this.#cache.list()) handlers.added?.(object);
    return () => {
      this.#handlers.delete(handlers);
    };
  }

  /** Follows the server until `signal` aborts; further calls change nothing. */
  start(signal: AbortSignal): void {
    if (this.#running) return;
    this.#scheduleResync(signal);
    const { random } = this.#options;
    this.#running = new Reflector({ ...this.#options, random }, this).run(signal);
    // Ends all waits for a type that will never be known.
    const end = (): void => {
      this.#over = true;
      this.#wake();
    };
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  }

  /** Resolves when the cache has a complete state since the start, or the informer is stopped. */
  synced(): Promise<void> {
    return this.#synced || this.#over
      ? Promise.resolve()
      : new Promise((resolve) => {
          this.#whenSynced.push(resolve);
        });
  }

  async stopped(): Promise<void> {
    await this.#running;
  }

  replace(objects: readonly T[], version: string): void {
    if (isOlder(version, this.#version))
      throw new Error(`the server answered with version ${version} of ${groupResourceOf(this.type)} after ${this.#version}`);
    const gone = new Set(this.#cache.keys());
    for (const object of objects) {
      gone.delete(keyTextOf(object));
      this.put(object);
    }
    for (const key of gone) this.#remove(key, undefined);
    this.#version = version;
    this.#synced = true;
    this.#wake();
  }

  put(object: T): void {
    const kept = this.#transform(object);
    const before = this.#cache.get(keyTextOf(kept));
    this.#advance(object);
    if (
      before &&
      before.metadata.uid === kept.metadata.uid &&
      !isOlder(before.metadata.resourceVersion, kept.metadata.resourceVersion) &&
      before.metadata.resourceVersion !== undefined
    )
      return;
    // Deleted and recreated within a gap: the handlers see both.
    if (before && before.metadata.uid !== kept.metadata.uid) this.#remove(keyTextOf(kept), undefined);
    const old = this.#cache.put(kept);
    for (const handlers of this.#handlers) {
      if (old) handlers.changed?.(old, kept);
      else handlers.added?.(kept);
    }
  }

  remove(last: T): void {
    this.#advance(last);
    this.#remove(keyTextOf(last), this.#transform(last));
  }

  progress(version: string): void {
    if (isOlder(this.#version, version)) this.#version = version;
  }

  #remove(key: string, last: T | undefined): void {
    const before = this.#cache.remove(key);
    if (before) for (const handlers of this.#handlers) handlers.removed?.(last ?? before);
  }

  #advance(object: T): void {
    if (this.#synced) this.progress(object.metadata.resourceVersion ?? '');
  }

  #wake(): void {
    for (const resolve of this.#whenSynced.splice(0)) resolve();
  }

  #scheduleResync(signal: AbortSignal): void {
    const { resyncMs = 0, clock, random } = this.#options;
    if (resyncMs <= 0) return;
    const cancel = clock.after(resyncMs * (1 + random()), () => {
      for (const object of this.#cache.list()) for (const handlers of this.#handlers) handlers.changed?.(object, object);
      this.#scheduleResync(signal);
    });
    signal.addEventListener('abort', cancel, { once: true });
  }
}

function withoutManagedFields<T extends KubeObject>(object: T): T {
  if (object.metadata.managedFields === undefined) return object;
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

export interface InformersOptions extends Pick<ReflectorOptions<KubeObject>, 'watchesLists'> {
  readonly api: ReflectorOptions<KubeObject>['api'];
  readonly clock: Clock;
  readonly random: () => number;
  readonly resyncMs?: number;
  readonly onError?: (type: Resource, error: unknown) => void;
}

/** The informers of one process, one for each type. */
export class Informers {
  readonly #options: InformersOptions;
  readonly #informers = new Map<string, Informer<KubeObject>>();
  #signal: AbortSignal | null = null;

  constructor(options: InformersOptions) {
    this.#options = options;
  }

  /** Returns the informer of a type, which starts at once after the start. */
  of<T extends KubeObject>(type: Resource<T>): Informer<T> {
    const key = `${type.version}.${groupResourceOf(type)}`;
    let informer = this.#informers.get(key) as unknown as Informer<T> | undefined;
    if (!informer) {
      const { onError, ...options } = this.#options;
      informer = new Informer<T>({ ...options, type, ...(onError ? { onError: (error: unknown) => onError(type, error) } : {}) });
      this.#informers.set(key, informer as unknown as Informer<KubeObject>);
      if (this.#signal) informer.start(this.#signal);
    }
    return informer;
  }

  known(type: Resource): Informer<KubeObject> | undefined {
    return this.#informers.get(`${type.version}.${groupResourceOf(type)}`);
  }

  start(signal: AbortSignal): void {
    this.#signal = signal;
    for (const informer of this.#informers.values()) informer.start(signal);
  }

  /** Resolves when each informer requested so far is synced. */
  async synced(): Promise<void> {
    await Promise.all([...this.#informers.values()].map((informer) => informer.synced()));
  }
  async stopped(): Promise<void> {
    await Promise.all([...this.#informers.values()].map((informer) => informer.stopped()));
  }
}
