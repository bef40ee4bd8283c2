import { BoundedMap } from '../../../api/boundedMap.js';
import { performance } from 'node:perf_hooks';
import type { Change, KeyValue } from '../../../raft/index.js';
import { qualifiedName, type GroupResource } from '../../../api/resource.js';
import type { CommonForms } from '../commonForms.js';
import type { ObjectKey, Version } from '../contract.js';
import type { JsonLayout } from '../jsonLayout.js';
import { isEncrypted } from '../encryption/transformer.js';
import type { KeyFolder, KeySpace } from '../keys.js';
import { Segment } from '../segment.js';
import { keptObjectOf, objectLyingIn, resourceFacts, type Completions, type SelectableFields } from '../storedObject.js';
import type { CacheCounts } from './counts.js';
import type { HistoryBounds } from './history.js';
import type { PastBounds } from './pastStates.js';
import { RecentEvents } from './recentEvents.js';
import { ResourceCache, type CacheContext } from './resourceCache.js';
import { Slices } from './slices.js';
import { VersionGate } from './versionGate.js';

export interface WatchCacheOptions {
  readonly keys: KeySpace;
  readonly selectableFields: SelectableFields;
  readonly completions?: Completions;
  readonly commonForms?: CommonForms | null;
  /** Default: all resources. */
  readonly holds?: (resource: GroupResource) => boolean;
  readonly observe?: (change: Change, key: ObjectKey) => void;
  readonly writtenHere?: (key: string, value: Uint8Array) => JsonLayout | null;
  /** Changes before its version are no longer reported. */
  readonly onRestart?: (version: Version) => void;
  readonly history?: Partial<HistoryBounds>;
  readonly past?: Partial<PastBounds>;
  /** Returns milliseconds of a monotonic clock. */
  readonly now?: () => number;
  /** Receives defects that must not stop the cache. */
  readonly report?: (error: unknown) => void;
}

const historyDefaults: HistoryBounds = { changesMax: 65_536, bytesMax: 64 << 20, ageMaxMs: 5 * 60_000 };
const pastDefaults: PastBounds = { statesMax: 64, ageMaxMs: 75_000 };

/** Resources without changes are trimmed at least this often. */
const trimIntervalMs = 10_000;
const namespacesMax = 10_000;

/** Receives a complete state, then every later change in order, or a newer complete state; never reads itself. */
export class WatchCache {
  readonly #options: WatchCacheOptions;
  readonly clock: VersionGate;
  readonly #context: CacheContext;
  readonly #resources = new Map<string, ResourceCache>();
  readonly #namespaces = new BoundedMap<string, string>(namespacesMax);
  readonly #places = new WeakMap<KeyFolder, FolderCache>();
  /** Changes before this version are unknown. */
  #oldest: Version = 0;
  #trimmedAt = 0;
  #locked: string | null = null;

  constructor(options: WatchCacheOptions) {
    this.#options = options;
    const { now = () => performance.now(), report = () => undefined } = options;
    this.clock = new VersionGate(0);
    this.#context = {
      clock: this.clock,
      now,
      report,
      slices: new Slices(now, report),
      recentEvents: new RecentEvents(),
      history: { ...historyDefaults, ...options.history },
      past: { ...pastDefaults, ...options.past },
    };
  }

  get timekeeping(): Pick<CacheContext, 'clock' | 'now' | 'report'> {
    const { clock, now, report } = this.#context;
    return { clock, now, report };
  }

  /** The first key whose value no configuration decrypts. */
  get lockedKey(): string | null {
    return this.#locked;
  }

  count(resource: GroupResource): number {
    return this.#resources.get(qualifiedName(resource))?.tree.size ?? 0;
  }

  bytes(resource: GroupResource): number {
    return this.#resources.get(qualifiedName(resource))?.bytes ?? 0;
  }

  watchers(resource: GroupResource): number {
    return this.#resources.get(qualifiedName(resource))?.watchers.size ?? 0;
  }

  /** Null for an unknown resource. */
  counts(resource: GroupResource): CacheCounts | null {
    return this.#resources.get(qualifiedName(resource))?.counts ?? null;
  }

  of(resource: GroupResource): ResourceCache {
    const name = qualifiedName(resource);
    let cache = this.#resources.get(name);
    if (cache === undefined) {
      this.#resources.set(
        name,
        (cache = new ResourceCache(resourceFacts(resource, this.#options.selectableFields, this.#options), this.#oldest, this.#context)),
      );
    }
    return cache;
  }

  /** Nothing may be read until the new state is complete. */
  beginLoad(version: Version): void {
    this.#oldest = version;
    this.#locked = null;
    for (const cache of this.#resources.values()) cache.restart(version);
    this.#options.onRestart?.(version);
  }

  /** Values must not change afterwards: their memory is kept. */
  load(items: readonly KeyValue[]): void {
    const segments = new Segments();
    for (const item of items) this.#loadOne(item, segments);
    segments.close();
  }

  endLoad(): void {
    this.clock.advance(this.#oldest);
  }

  /** Notifies watchers of complete revisions before it returns. Values must not change afterwards. */
  apply(changes: readonly Change[]): void {
    const known = this.clock.version;
    const last = changes.at(-1)?.revision ?? known;
    if (last <= known) return;
    const segments = new Segments();
    for (const change of changes) if (change.revision > known) this.#applyOne(change, segments);
    segments.close();
    this.clock.advance(last);
    this.#trim();
  }

  reached(version: Version): void {
    if (version > this.clock.version) this.clock.advance(version);
  }

  /** Earlier exact reads and watches are refused from now on. */
  forgetBefore(version: Version): void {
    this.#oldest = Math.max(this.#oldest, version);
    for (const cache of this.#resources.values()) cache.forgetBefore(version);
  }

  #loadOne({ key, value, modRevision }: KeyValue, segments: Segments): void {
    const found = this.#options.keys.find(key);
    if (found === null || !this.#holds(found.folder.resource)) return;
    this.#noteLocked(key, value);
    const { cache, namespace } = this.#placeOf(found.folder);
    const object = objectLyingIn(cache.facts, { resource: cache.facts.resource, namespace, name: found.name }, modRevision, value);
    object.lieIn(segments.of(value));
    cache.load(object);
  }

  #applyOne(change: Change, segments: Segments): void {
    const { key, value, revision } = change;
    const found = this.#options.keys.find(key);
    if (found === null) return;
    const { folder, name } = found;
    if (!this.#holds(folder.resource))
      return this.#options.observe?.(change, { resource: folder.resource, namespace: folder.namespace, name });
    const { cache, namespace } = this.#placeOf(folder);
    const where = { resource: cache.facts.resource, namespace, name };
    if (value === null) return cache.apply(revision, where, null);
    this.#noteLocked(key, value);
    const json = this.#options.writtenHere?.(key, value) ?? null;
    if (json !== null) return cache.apply(revision, where, keptObjectOf(cache.facts, where, revision, json));
    const object = objectLyingIn(cache.facts, where, revision, value);
    object.lieIn(segments.of(value));
    cache.apply(revision, where, object);
  }

  #placeOf(folder: KeyFolder): FolderCache {
    let place = this.#places.get(folder);
    if (place === undefined)
      this.#places.set(folder, (place = { cache: this.of(folder.resource), namespace: this.#sharedNamespace(folder.namespace) }));
    return place;
  }

  #noteLocked(key: string, value: Uint8Array): void {
    if (this.#locked === null && isEncrypted(value)) this.#locked = key;
  }

  #holds(resource: GroupResource): boolean {
    return this.#options.holds?.(resource) ?? true;
  }

  #trim(): void {
    const now = this.#context.now();
    if (now - this.#trimmedAt < trimIntervalMs) return;
    this.#trimmedAt = now;
    for (const cache of this.#resources.values()) cache.trim();
  }

  /** Equal namespaces share one string. */
  #sharedNamespace(namespace: string): string {
    return this.#namespaces.of(namespace, (name) => name);
  }
}

interface FolderCache {
  readonly cache: ResourceCache;
  readonly namespace: string;
}

class Segments {
  #current: Segment | null = null;

  of(value: Uint8Array): Segment {
    if (this.#current?.holds(value) === true) return this.#current;
    this.close();
    return (this.#current = new Segment(value.buffer));
  }

  close(): void {
    this.#current?.close();
  }
}
