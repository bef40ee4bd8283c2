import { performance } from 'node:perf_hooks';
import type { Change, KeyValue } from '../../../raft/index.js';
import { qualifiedName, type GroupResource } from '../../api/resource.js';
import type { ObjectKey, Version } from '../contract.js';
import type { JsonLayout } from '../jsonLayout.js';
import { isEncrypted } from '../encryption/transformer.js';
import { flat, type KeySpace } from '../keys.js';
import { resourceFacts, storedObjectOf, writtenObjectOf, type Completions, type SelectableFields } from '../storedobject.js';
import type { CacheCounts } from './counts.js';
import type { HistoryBounds } from './history.js';
import type { PastBounds } from './paststates.js';
import { RecentEvents } from './recentEvents.js';
import { ResourceCache, type CacheContext } from './resourcecache.js';
import { Slices } from './slices.js';
import { VersionGate } from './versiongate.js';

export interface WatchCacheOptions {
  readonly keys: KeySpace;
  readonly selectableFields: SelectableFields;
  /** Nothing is completed unless told. */
  readonly completions?: Completions;
  /** Resources that are kept here; all of them unless told. */
  readonly holds?: (resource: GroupResource) => boolean;
  /** Is given the changes of the others, in order; values are views into a batch. */
  readonly passBy?: (change: Change, key: ObjectKey) => void;
  /** The JSON of a value that was written from here; null for all others. */
  readonly writtenHere?: (key: string, value: Uint8Array) => JsonLayout | null;
  /** Told when a complete state begins to take the place of what was here: changes before its version are not told any more. */
  readonly onRestart?: (version: Version) => void;
  readonly history?: Partial<HistoryBounds>;
  readonly past?: Partial<PastBounds>;
  /** Milliseconds of a clock that never goes back. */
  readonly now?: () => number;
  /** Told of defects that must not stop the cache, such as a sink that throws. */
  readonly report?: (error: unknown) => void;
}

const historyDefaults: HistoryBounds = { changesMax: 65_536, bytesMax: 64 << 20, ageMaxMs: 5 * 60_000 };
const pastDefaults: PastBounds = { statesMax: 64, ageMaxMs: 75_000 };

/** Resources without changes of their own forget at least this often. */
const trimIntervalMs = 10_000;
/** Shared strings; a cluster that goes through more namespaces than this starts a new table. */
const namespacesMax = 10_000;

/**
 * A copy of everything in the store, in the form in which clients read it. It is fed with one complete state and then with every change
 * after it, in order, or with another complete state that is newer; it never reads by itself.
 */
export class WatchCache {
  readonly clock: VersionGate;
  private readonly context: CacheContext;
  private readonly resources = new Map<string, ResourceCache>();
  private readonly namespaces = new Map<string, string>();
  /** Nothing is told of before this version: it was loaded, or what came before it was compacted. */
  private oldest: Version = 0;
  private trimmedAt = 0;
  private locked: string | null = null;

  constructor(private readonly options: WatchCacheOptions) {
    const { now = () => performance.now(), report = () => undefined } = options;
    this.clock = new VersionGate(0);
    this.context = {
      clock: this.clock,
      now,
      report,
      slices: new Slices(now, report),
      recentEvents: new RecentEvents(),
      history: { ...historyDefaults, ...options.history },
      past: { ...pastDefaults, ...options.past },
    };
  }

  /** What those need who follow changes beside the cache. */
  get timekeeping(): Pick<CacheContext, 'clock' | 'now' | 'report'> {
    const { clock, now, report } = this.context;
    return { clock, now, report };
  }

  /** The first key whose value came encrypted, since the last load began: nothing decrypts what is stored there. Null when there was none. */
  get lockedKey(): string | null {
    return this.locked;
  }

  /** How many objects of a resource there are; 0 for resources of which nothing is held. */
  count(resource: GroupResource): number {
    return this.resources.get(qualifiedName(resource))?.tree.size ?? 0;
  }

  /** How many bytes they are in the store. */
  bytes(resource: GroupResource): number {
    return this.resources.get(qualifiedName(resource))?.bytes ?? 0;
  }

  /** How many watch a resource. */
  watchers(resource: GroupResource): number {
    return this.resources.get(qualifiedName(resource))?.watchers.size ?? 0;
  }

  /** Null while nothing is known of a resource. */
  counts(resource: GroupResource): CacheCounts | null {
    return this.resources.get(qualifiedName(resource))?.counts ?? null;
  }

  of(resource: GroupResource): ResourceCache {
    const name = qualifiedName(resource);
    let cache = this.resources.get(name);
    if (cache === undefined) {
      this.resources.set(
        name,
        (cache = new ResourceCache(
          resourceFacts(resource, this.options.selectableFields, this.options.completions),
          this.oldest,
          this.context,
        )),
      );
    }
    return cache;
  }

  /** Begins a complete state, that at `version`, in place of what was here. Nothing may be read until it has ended. */
  beginLoad(version: Version): void {
    this.oldest = version;
    this.locked = null;
    for (const cache of this.resources.values()) cache.restart(version);
    this.options.onRestart?.(version);
  }

  load(item: KeyValue): void {
    const key = this.options.keys.parse(item.key);
    if (key === null || !this.holds(key)) return;
    this.noteLocked(item.key, item.value);
    const cache = this.of(key);
    const namespace = this.sharedNamespace(key.namespace);
    cache.load(
      storedObjectOf(cache.facts, { resource: cache.facts.resource, namespace, name: flat(key.name) }, item.modRevision, item.value),
    );
  }

  endLoad(): void {
    this.clock.advance(this.oldest);
  }

  /**
   * Applies changes in order, complete revisions, and shows them to watchers before it returns. Changes that are part of the state
   * already are skipped.
   */
  apply(changes: readonly Change[]): void {
    const known = this.clock.version;
    const last = changes.at(-1)?.revision ?? known;
    if (last <= known) return;
    for (const change of changes) if (change.revision > known) this.applyOne(change);
    this.clock.advance(last);
    this.trim();
  }

  /** Told that nothing more will come up to `version`. */
  reached(version: Version): void {
    if (version > this.clock.version) this.clock.advance(version);
  }

  /** Follows a compaction of the store: exact reads and watches from before `version` are refused from now on. */
  forgetBefore(version: Version): void {
    this.oldest = Math.max(this.oldest, version);
    for (const cache of this.resources.values()) cache.forgetBefore(version);
  }

  private applyOne(change: Change): void {
    const { key, value, revision } = change;
    const parsed = this.options.keys.parse(key);
    if (parsed === null) return;
    if (!this.holds(parsed)) return this.options.passBy?.(change, { resource: parsed, namespace: parsed.namespace, name: parsed.name });
    const cache = this.of(parsed);
    if (value === null) return cache.apply(revision, parsed, null);
    this.noteLocked(key, value);
    const namespace = this.sharedNamespace(parsed.namespace);
    const name = flat(parsed.name);
    const where = { resource: cache.facts.resource, namespace, name };
    const json = this.options.writtenHere?.(key, value) ?? null;
    const next = json === null ? storedObjectOf(cache.facts, where, revision, value) : writtenObjectOf(cache.facts, where, revision, json);
    cache.apply(revision, where, next);
  }

  private noteLocked(key: string, value: Uint8Array): void {
    if (this.locked === null && isEncrypted(value)) this.locked = key;
  }

  private holds(resource: GroupResource): boolean {
    return this.options.holds?.(resource) ?? true;
  }

  private trim(): void {
    const now = this.context.now();
    if (now - this.trimmedAt < trimIntervalMs) return;
    this.trimmedAt = now;
    for (const cache of this.resources.values()) cache.trim();
  }

  /** Equal namespaces share one string: less memory, and comparing them is comparing pointers. */
  private sharedNamespace(namespace: string): string {
    const known = this.namespaces.get(namespace);
    if (known !== undefined) return known;
    if (this.namespaces.size >= namespacesMax) this.namespaces.clear();
    const own = flat(namespace);
    this.namespaces.set(own, own);
    return own;
  }
}
