import { setTimeout as delay } from 'node:timers/promises';
import { revision, type SpaceUse } from '../../raft/index.js';
import { turns } from '../../workers/turns/turns.js';
import { weighsMore } from '../../workers/turns/weight.js';
import type { ApiObject } from '../../api/object.js';
import { qualifiedName, type GroupResource } from '../../api/resource.js';
import { Barriers } from './barriers.js';
import type { CacheCounts } from './cache/counts.js';
import { ReplicaFeed } from './cache/feed.js';
import { listIn } from './cache/listing.js';
import type { ResourceCache } from './cache/resourceCache.js';
import { Watcher } from './cache/watcher.js';
import { WatchCache, type WatchCacheOptions } from './cache/watchCache.js';
import type { CommonForms } from './commonForms.js';
import type {
  Consistency,
  Failure,
  GetResult,
  ListRequest,
  ListResult,
  ObjectKey,
  SideWrite,
  Storage,
  StoredObject,
  Version,
  Watch,
  WatchRequest,
  WatchSink,
  WriteResult,
  WriteTerms,
} from './contract.js';
import { DirectWatcher } from './direct/watcher.js';
import { Follower } from './direct/follower.js';
import { encodeStored, encodeWrite, encodeWriteSteps } from './encoding.js';
import { isPassing, type Comparison, type EngineOperation, type KeyValue, type StoreEngine, type WriteOutcome } from './engine.js';
import type { StoredForm } from './forms.js';
import type { KeyLayout } from './keyLayout.js';
import { KeySpace } from './keys.js';
import { OwnWrites } from './ownWrites.js';
import type { ReferenceForm } from './reference/values.js';
import { requestBytesDefaultMax, sizeRefusal } from './requestSize.js';
import { spaceUseOf } from './spaceUse.js';
import { StoreReader } from './storeReader.js';
import {
  DamagedItem,
  noSelectableFields,
  storedObjectOf,
  writtenObjectOf,
  type Completions,
  type SelectableFields,
  type StoredItem,
} from './storedObject.js';
import { within } from './within.js';
import { errorText } from '../../api/errorText.js';

/** Larger objects are encoded in steps. */
const heavyValues = 2_000;

export interface RaftStorageOptions extends Pick<WatchCacheOptions, 'history' | 'past' | 'now' | 'report'> {
  readonly replica: StoreEngine;
  /** `--etcd-prefix`. Default `/registry`. */
  readonly prefix?: string;
  readonly selectableFields?: SelectableFields;
  readonly completions?: Completions;
  /** JSON if null; existing values stay readable. */
  readonly storedForm?: StoredForm | ReferenceForm | null;
  /** Default: the built-in store's. */
  readonly layout?: KeyLayout;
  /** Lifetime after the last write, in milliseconds; null: for ever. */
  readonly ttlMs?: (resource: GroupResource) => number | null;
  /** Infinity if the engine has its own bound. Default: etcd's. */
  readonly requestBytesMax?: number;
  /** See `cache/feed.ts`. */
  readonly replayedRevisions?: number;
  /** Default: all resources are kept in memory. */
  readonly cached?: (resource: GroupResource) => boolean;
  /** Default: never. */
  readonly isStale?: (key: string) => Promise<boolean>;
  readonly published?: () => Version;
  /** Default null: each thread makes its own. */
  readonly commonForms?: CommonForms | null;
  /** Limit of the wait for a barrier, and for loading the cache. */
  readonly readTimeoutMs?: number;
  readonly versionTimeoutMs?: number;
}

export interface RaftStorage extends Storage {
  readonly version: Version;
  /** Nothing for uncached resources. */
  estimate(resource: GroupResource): { readonly objects: number; readonly bytes: number; readonly watchers: number };
  /** Null for an uncached resource. */
  counts(resource: GroupResource): { readonly counts: CacheCounts; readonly version: Version } | null;
  /** Waits until this thread knows everything shown by any thread; undefined if it does. */
  caughtUp(): Promise<unknown> | undefined;
  readonly lockedKey: string | null;
  /** Does not check objects: a server must have stored them before. With `unless`, writes nothing if that object exists ("conflict"). */
  putAll(objects: readonly KeyedObject[], terms: { readonly timeoutMs: number; readonly unless?: ObjectKey }): Promise<WriteOutcome>;
  compact(version: Version, timeoutMs: number): Promise<WriteOutcome>;
  close(): void;
}

export interface KeyedObject {
  readonly key: ObjectKey;
  readonly object: ApiObject;
}

/** Starts loading at once; `ready` settles when reads are served. */
export const createRaftStorage = (options: RaftStorageOptions): RaftStorage => new ReplicatedStorage(options);

const readTimeoutDefaultMs = 10_000;
interface OneWrite {
  readonly key: ObjectKey;
  readonly expected: Version;
  readonly operation: EngineOperation;
  readonly use: SpaceUse;
  readonly timeoutMs: number;
}

/** `object` null removes it; `expected` null accepts any state. */
interface PlainSide {
  readonly key: ObjectKey;
  readonly object: ApiObject | null;
  readonly expected: Version | null;
  readonly amends: boolean;
}

function plainSide(side: SideWrite): PlainSide {
  if (side.action === 'amend') throw new Error('broken invariant: an object is amended without its state');
  return side.action === 'create'
    ? { key: side.key, object: side.object, expected: 0, amends: false }
    : { key: side.key, object: null, expected: null, amends: false };
}

const reloadPauseMs = 1_000;
/** The reference's. */
const versionTimeoutDefaultMs = 3_000;

/** Writes compare the object's last revision; reads use the watch cache. "Most recent" also needs a shared read barrier. */
class ReplicatedStorage implements RaftStorage {
  readonly #options: RaftStorageOptions;
  readonly #keys: KeySpace;
  readonly #cache: WatchCache;
  readonly #feed: ReplicaFeed;
  readonly #barriers: Barriers;
  readonly #store: StoreReader;
  readonly #ownWrites = new OwnWrites();
  #amending: Promise<unknown> = Promise.resolve();
  readonly #followers = new Map<string, Follower>();
  #loading: Promise<void>;
  readonly #readTimeoutMs: number;
  readonly #versionTimeoutMs: number;
  #loaded = false;
  #closed = false;

  constructor(options: RaftStorageOptions) {
    this.#options = options;
    const { replica, prefix = '/registry', selectableFields = noSelectableFields } = options;
    this.#readTimeoutMs = options.readTimeoutMs ?? readTimeoutDefaultMs;
    this.#versionTimeoutMs = options.versionTimeoutMs ?? versionTimeoutDefaultMs;
    this.#keys = new KeySpace(prefix, options.layout);
    this.#cache = new WatchCache({
      ...options,
      keys: this.#keys,
      selectableFields,
      holds: (resource) => this.#isCached(resource),
      writtenHere: (key, value) => this.#ownWrites.jsonOf(key, value),
      observe: (change, key) => this.#followers.get(qualifiedName(key.resource))?.receive(change, key),
      onRestart: (version) => {
        for (const follower of this.#followers.values()) follower.restart(version);
      },
    });
    this.#barriers = new Barriers(replica, this.#readTimeoutMs);
    this.#store = new StoreReader(replica, this.#keys);
    this.#feed = new ReplicaFeed(replica, this.#cache, this.#keys, {
      replayedRevisions: options.replayedRevisions,
      onGap: () => {
        this.#loading = this.#loadAnew();
      },
    });
    this.#loading = this.#load();
    this.#loading.catch(() => undefined);
  }

  get version(): Version {
    return this.#cache.clock.version;
  }

  estimate(resource: GroupResource): { readonly objects: number; readonly bytes: number; readonly watchers: number } {
    return { objects: this.#cache.count(resource), bytes: this.#cache.bytes(resource), watchers: this.#cache.watchers(resource) };
  }

  counts(resource: GroupResource): { readonly counts: CacheCounts; readonly version: Version } | null {
    const counts = this.#isCached(resource) ? this.#cache.counts(resource) : null;
    return counts === null ? null : { counts, version: this.version };
  }

  get lockedKey(): string | null {
    return this.#cache.lockedKey;
  }

  ready(): Promise<void> {
    return this.#loading;
  }

  caughtUp(): Promise<unknown> | undefined {
    const published = this.#options.published?.() ?? 0;
    return published <= this.version || !this.#loaded ? undefined : this.#cache.clock.reach(published, this.#versionTimeoutMs);
  }

  close(): void {
    this.#closed = true;
    this.#feed.stop();
  }

  compact(version: Version, timeoutMs: number): Promise<WriteOutcome> {
    return this.#options.replica.compact(revision(version), timeoutMs);
  }

  async get(key: ObjectKey, consistency: Consistency): Promise<GetResult> {
    const failure = this.#isReached(consistency) ? null : await this.#reach(consistency);
    if (failure !== null) return failure;
    const resource = this.#cache.of(key.resource);
    const version = consistency.at === 'exact' ? consistency.version : this.version;
    if (!this.#isCached(key.resource)) return this.#store.get(resource.facts, key, version);
    const view = version === this.version ? resource.tree : resource.stateAt(version);
    if (view === null) return this.#store.get(resource.facts, key, version);
    const object = view.get(key);
    if (object instanceof DamagedItem) throw object.damage;
    object?.assertReadable();
    return object === null ? { outcome: 'absent', version } : { outcome: 'found', object };
  }

  async list(request: ListRequest): Promise<ListResult> {
    const failure = this.#isReached(request.consistency) ? null : await this.#reach(request.consistency);
    const isNewest = request.consistency.at === 'mostRecent';
    if (failure !== null) {
      const counts = isNewest ? this.#cache.counts(request.resource) : null;
      if (counts !== null) counts.newestMissed++;
      return failure;
    }
    const resource = this.#cache.of(request.resource);
    if (isNewest && this.#isCached(request.resource)) resource.counts.newest++;
    if (!this.#isCached(request.resource))
      return this.#store.list(resource.facts, request, request.consistency.at === 'exact' ? request.consistency.version : this.version);
    if (request.consistency.at !== 'exact' || request.consistency.version === this.version) return this.#listPresent(resource, request);
    const { version } = request.consistency;
    const view = resource.stateAt(version);
    return view === null ? this.#store.list(resource.facts, request, version) : listIn(view, version, request, resource);
  }

  watch(request: WatchRequest, sink: WatchSink): Watch {
    const watcher = this.#isCached(request.resource) ? new Watcher(request, sink) : new DirectWatcher(request, sink);
    this.#begin(watcher).catch((error: unknown) => {
      this.#options.report?.(error);
      watcher.end({ outcome: 'unavailable', reason: errorText(error) });
    });
    return watcher;
  }

  create(key: ObjectKey, object: ApiObject, terms: WriteTerms): Promise<WriteResult> {
    return this.#put(key, object, 0, terms);
  }

  update(key: ObjectKey, object: ApiObject, expected: Version, terms: WriteTerms): Promise<WriteResult> {
    return this.#put(key, object, expected, terms);
  }

  async delete(key: ObjectKey, expected: Version, terms: WriteTerms): Promise<WriteResult> {
    const before = this.#cache.of(key.resource).tree.get(key);
    const operation = { type: 'delete', key: this.#keys.keyOf(key) } as const;
    const outcome = await this.#write({ key, expected, operation, use: 'freeing' }, terms);
    if (typeof outcome !== 'number') return outcome;
    const removed = this.#cache.of(key.resource).changeAt(outcome, key)?.removed;
    return { outcome: 'applied', object: removed ?? (await this.#lastState(key, before, expected, outcome)) };
  }

  async putAll(
    objects: readonly KeyedObject[],
    { timeoutMs, unless }: { readonly timeoutMs: number; readonly unless?: ObjectKey },
  ): Promise<WriteOutcome> {
    const operations = objects.map(({ key, object }) => this.#putOperation(key, encodeStored(key, object, this.#options.storedForm)));
    const comparisons: Comparison[] = unless === undefined ? [] : [{ key: this.#keys.keyOf(unless), modRevision: revision(0) }];
    const outcome = await this.#options.replica.write({ comparisons, operations }, { timeoutMs });
    const uncached = new Set(objects.map(({ key }) => key.resource).filter((resource) => !this.#isCached(resource)));
    if (outcome.outcome === 'applied') await Promise.all([...uncached].map((resource) => this.#followerOf(resource).settled()));
    return outcome;
  }

  async isStale(key: ObjectKey): Promise<boolean> {
    return (await this.#options.isStale?.(this.#keys.keyOf(key))) ?? false;
  }

  async #load(): Promise<void> {
    for (;;) {
      try {
        await this.#feed.load();
        this.#loaded = true;
        return;
      } catch (error) {
        if (this.#closed || !isPassing(error)) throw error;
        this.#options.report?.(error);
      }
      await delay(reloadPauseMs, undefined, { ref: false });
    }
  }

  /** The replica lost changes: readers wait as at the start. */
  async #loadAnew(): Promise<void> {
    this.#loaded = false;
    for (;;) {
      try {
        return await this.#load();
      } catch (error) {
        if (this.#closed) return;
        this.#options.report?.(error);
      }
      await delay(reloadPauseMs, undefined, { ref: false });
    }
  }

  async #listPresent(resource: ResourceCache, request: ListRequest): Promise<ListResult> {
    const present = resource.present();
    const result = await listIn(present.view, present.version, request, resource);
    if (result.outcome === 'found' && result.more) resource.keep(present);
    return result;
  }

  async #put(key: ObjectKey, object: ApiObject, expected: Version, terms: WriteTerms): Promise<WriteResult> {
    const form = this.#options.storedForm ?? null;
    const encoded = weighsMore(object, heavyValues) ? await turns.run(encodeWriteSteps(key, object, form)) : encodeWrite(key, object, form);
    const operation = this.#putOperation(key, encoded.value);
    const done = this.#ownWrites.begin(operation.key, encoded);
    try {
      const use = spaceUseOf(key, object, encoded.value.length);
      const outcome = await this.#write({ key, expected, operation, use }, terms);
      if (typeof outcome !== 'number') return outcome;
      const resource = this.#cache.of(key.resource);
      const written = resource.changeAt(outcome, key)?.next;
      const { value, json } = encoded;
      const objectOf = (): StoredItem =>
        json === null ? storedObjectOf(resource.facts, key, outcome, value) : writtenObjectOf(resource.facts, key, outcome, json);
      return { outcome: 'applied', object: written ?? objectOf() };
    } finally {
      done();
    }
  }

  #putOperation(key: ObjectKey, value: Buffer): EngineOperation {
    const ttlMs = this.#options.ttlMs?.(key.resource) ?? null;
    return { type: 'put', key: this.#keys.keyOf(key), value, ...(ttlMs === null ? {} : { ttlMs }) };
  }

  /** `expected` 0: absent. */
  #write(write: Omit<OneWrite, 'timeoutMs'>, { sideWrites = [], timeoutMs }: WriteTerms): Promise<Version | WriteResult> {
    if (sideWrites.every(({ action }) => action !== 'amend')) return this.#writeOnce({ ...write, timeoutMs }, sideWrites.map(plainSide));
    // Concurrent writers of the same object would only conflict.
    const deadline = performance.now() + timeoutMs;
    const turn = this.#amending.then(() => this.#writeAmending({ ...write, timeoutMs }, sideWrites, deadline));
    this.#amending = turn.catch(() => undefined);
    return turn;
  }

  async #writeAmending(write: OneWrite, sideWrites: readonly SideWrite[], deadline: number): Promise<Version | WriteResult> {
    const newest = new Map<string, StoredObject | null>();
    for (;;) {
      const timeoutMs = deadline - performance.now();
      if (timeoutMs <= 0) return { outcome: 'unavailable', reason: 'too many writers change the same object' };
      const sides: PlainSide[] = [];
      for (const side of sideWrites) {
        if (side.action !== 'amend') {
          sides.push(plainSide(side));
          continue;
        }
        const name = this.#keys.keyOf(side.key);
        const current = newest.has(name) ? (newest.get(name) ?? null) : this.#cached(side.key);
        const object = side.amend(current?.decode() ?? null);
        if (object === null) return { outcome: 'taken', key: side.key };
        sides.push({ key: side.key, object, expected: current?.version ?? 0, amends: true });
      }
      const result = await this.#writeOnce({ ...write, timeoutMs }, sides, newest);
      if (result !== 'amendAgain') return result;
    }
  }

  #cached(key: ObjectKey): StoredItem | null {
    return this.#cache.of(key.resource).tree.get(key);
  }

  async #writeOnce(write: OneWrite, sides: readonly PlainSide[]): Promise<Version | WriteResult>;
  async #writeOnce(
    write: OneWrite,
    sides: readonly PlainSide[],
    newest: Map<string, StoredObject | null>,
  ): Promise<Version | WriteResult | 'amendAgain'>;
  async #writeOnce(
    { key, expected, operation, use, timeoutMs }: OneWrite,
    sides: readonly PlainSide[],
    newest = new Map<string, StoredObject | null>(),
  ): Promise<Version | WriteResult | 'amendAgain'> {
    const compared = sides.filter((side) => side.expected !== null);
    const comparisons: Comparison[] = [
      { key: operation.key, modRevision: revision(expected) },
      ...compared.map((side) => ({ key: this.#keys.keyOf(side.key), modRevision: revision(side.expected ?? 0) })),
    ];
    const operations = [operation, ...sides.map((side) => this.#sideOperation(side))];
    const refusal = sizeRefusal(comparisons, operations, this.#options.requestBytesMax ?? requestBytesDefaultMax);
    if (refusal !== null) return { outcome: 'rejected', reason: refusal };
    const outcome = await this.#options.replica.write({ comparisons, operations }, { timeoutMs, use });
    switch (outcome.outcome) {
      case 'applied':
        // Local watchers see a write before its writer returns.
        if (!this.#isCached(key.resource)) await this.#followerOf(key.resource).settled();
        return outcome.revision;
      case 'conflict':
        return this.#conflictOf({ key, expected }, compared, outcome.current, newest);
      case 'unavailable':
      case 'noSpace':
      case 'unknown':
      case 'rejected':
        return outcome;
      case 'compacted':
        throw new Error(`broken invariant: writing ${operation.key} was answered by "compacted"`);
    }
  }

  #sideOperation(side: PlainSide): EngineOperation {
    const key = this.#keys.keyOf(side.key);
    return side.object === null
      ? { type: 'delete', key }
      : { type: 'put', key, value: encodeStored(side.key, side.object, this.#options.storedForm) };
  }

  /** The object's own state comes first. */
  #conflictOf(
    { key, expected }: Pick<OneWrite, 'key' | 'expected'>,
    compared: readonly PlainSide[],
    [own = null, ...found]: readonly (KeyValue | null)[],
    newest: Map<string, StoredObject | null>,
  ): WriteResult | 'amendAgain' {
    const others = compared.flatMap((side, index) => {
      const now = found[index] ?? null;
      return (now?.modRevision ?? 0) === side.expected ? [] : [{ side, now }];
    });
    if ((own?.modRevision ?? 0) !== expected || others.length === 0) return { outcome: 'conflict', current: this.#currentState(key, own) };
    const taken = others.find(({ side }) => !side.amends);
    if (taken !== undefined) return { outcome: 'taken', key: taken.side.key };
    for (const { side, now } of others) newest.set(this.#keys.keyOf(side.key), this.#currentState(side.key, now));
    return 'amendAgain';
  }

  #currentState(key: ObjectKey, current: KeyValue | null): StoredObject | null {
    if (current === null) return null;
    const resource = this.#cache.of(key.resource);
    const cached = resource.tree.get(key);
    return cached?.version === current.modRevision ? cached : storedObjectOf(resource.facts, key, current.modRevision, current.value);
  }

  /** Serves deletions that history has forgotten. */
  async #lastState(key: ObjectKey, before: StoredItem | null, expected: Version, version: Version): Promise<StoredObject> {
    if (before?.version === expected) return before.atVersion(version);
    return this.#store.lastState(this.#cache.of(key.resource).facts, key, version);
  }

  async #begin(watcher: Watcher | DirectWatcher): Promise<void> {
    const { resource, start, initialEvents } = watcher.request;
    const failure = await this.#reach(
      start.at !== 'after' ? start : initialEvents ? { at: 'notOlderThan', version: start.version } : { at: 'any' },
    );
    if (failure !== null) return watcher.end(failure);
    const after = start.at === 'after' && !initialEvents ? start.version : null;
    if (watcher instanceof DirectWatcher) {
      const follower = this.#followerOf(resource);
      return after === null ? watcher.startWithState(follower, this.version) : watcher.startAfter(follower, after);
    }
    if (after === null) watcher.startWithState(this.#cache.of(resource));
    else watcher.startAfter(this.#cache.of(resource), after);
  }

  #isCached(resource: GroupResource): boolean {
    return this.#options.cached?.(resource) ?? true;
  }

  #followerOf(resource: GroupResource): Follower {
    const name = qualifiedName(resource);
    const known =
      this.#followers.get(name) ?? new Follower(this.#cache.of(resource).facts, { reader: this.#store, ...this.#cache.timekeeping });
    this.#followers.set(name, known);
    return known;
  }

  #isReached(consistency: Consistency): boolean {
    return this.#loaded && (consistency.at === 'any' || (consistency.at === 'mostRecent' && this.#isPresent()));
  }

  #isPresent(): boolean {
    const current = this.#options.replica.current();
    return current !== null && current <= this.version;
  }

  async #reach(consistency: Consistency): Promise<Failure | null> {
    const unloaded = this.#loaded ? null : await this.#reachLoaded();
    if (unloaded !== null) return unloaded;
    switch (consistency.at) {
      case 'any':
        return null;
      case 'mostRecent':
        return this.#reachPresent();
      case 'notOlderThan':
      case 'exact': {
        const { version } = consistency;
        return (await this.#cache.clock.reach(version, this.#versionTimeoutMs))
          ? null
          : { outcome: 'tooLarge', requested: version, current: this.version };
      }
    }
  }

  async #reachLoaded(): Promise<Failure | null> {
    try {
      return (await within(this.#loading, this.#readTimeoutMs))
        ? null
        : { outcome: 'unavailable', reason: 'the watch cache is being loaded' };
    } catch (error) {
      // `ready` reports the cause to operators.
      return {
        outcome: 'unavailable',
        reason: `the watch cache cannot be loaded: ${errorText(error)}`,
      };
    }
  }

  async #reachPresent(): Promise<Failure | null> {
    if (this.#isPresent()) return null;
    const barrier = await this.#barriers.reach();
    if (barrier.outcome === 'unavailable') return barrier;
    const unloaded = this.#loaded ? null : await this.#reachLoaded();
    if (unloaded !== null) return unloaded;
    // A snapshot may have replaced final deletions.
    this.#cache.reached(barrier.revision);
    return null;
  }
}
