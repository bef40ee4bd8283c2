import type { FieldSelector, LabelSelector } from '../../api/selectors/index.js';
import type { ApiObject } from '../../api/object.js';
import type { GroupResource } from '../../api/resource.js';
import type { ShardSelector } from '../../api/shards.js';

/**
 * Where objects live. One suite (`test/unit/storage`) runs against every implementation.
 * Expected outcomes are values; a rejected promise is a defect or a broken disk.
 */

/** A version of the store as the storage layer counts it; `String(version)` is the resource version that clients see. */
export type Version = number;

/** Names one object. `namespace` is empty for cluster-scoped resources. */
export interface ObjectKey {
  readonly resource: GroupResource;
  readonly namespace: string;
  readonly name: string;
}

/**
 * One stored object, immutable and shared: the cache, lists and watch events all point to it.
 * It keeps bytes; `decode` builds a fresh object graph each time, which its caller may change.
 */
export interface StoredObject {
  readonly namespace: string;
  readonly name: string;
  /** Empty where it cannot be read. */
  readonly uid: string;
  /** Version of the last change, already part of the encoded forms. */
  readonly version: Version;
  readonly labels: Readonly<Record<string, string>>;
  /** Values for field selectors: `metadata.name`, `metadata.namespace` and those that the resource's strategy names. */
  readonly fields: Readonly<Record<string, string>>;
  /** JSON as it stands in a list: without kind and apiVersion, resource version inside. */
  readonly item: Buffer;
  /** The API version of the stored form, such as `apps/v1`: what a conversion to another served version starts from. */
  readonly apiVersion: string;
  /** The object without kind and apiVersion, resource version inside. */
  decode(): ApiObject;
  /** An encoded form other than `item`, made at most once for each name and kept with the object. */
  encoded(form: string, make: (object: StoredObject) => Buffer): Buffer;
}

/** Most Recent, Any, Not older than, Exact: the columns of the specification's resource-version tables. */
export type Consistency =
  | { readonly at: 'mostRecent' }
  | { readonly at: 'any' }
  | { readonly at: 'notOlderThan'; readonly version: Version }
  | { readonly at: 'exact'; readonly version: Version };

/** Why a read or write could not be done; the endpoints turn these into statuses in one place. */
export type Failure =
  /** Definite: nothing was done. */
  | { readonly outcome: 'unavailable'; readonly reason: string }
  /** The version asked for did not arrive within the time allowed. */
  | { readonly outcome: 'tooLarge'; readonly requested: Version; readonly current: Version }
  /** The version asked for has been compacted. */
  | { readonly outcome: 'expired'; readonly oldest: Version };

export type GetResult =
  { readonly outcome: 'found'; readonly object: StoredObject } | { readonly outcome: 'absent'; readonly version: Version } | Failure;

export interface ListRequest {
  readonly resource: GroupResource;
  /** null for all namespaces. */
  readonly namespace: string | null;
  readonly labels: LabelSelector;
  readonly fields: FieldSelector;
  /** Only objects of this part; without it, of all. */
  readonly shard?: ShardSelector | null;
  readonly consistency: Consistency;
  readonly limit: number | null;
  /** Start after this object: where an earlier chunk ended. */
  readonly after: { readonly namespace: string; readonly name: string } | null;
}

export type ListResult =
  | {
      readonly outcome: 'found';
      readonly version: Version;
      readonly items: readonly StoredObject[];
      /** More matching objects may follow the last item. */
      readonly more: boolean;
      /** Objects after the last item; null when selectors make the number unknown. */
      readonly remaining: number | null;
    }
  | Failure;

export type WriteResult =
  | { readonly outcome: 'applied'; readonly object: StoredObject }
  /** Definite: the object is not (any more) at the expected version. */
  | { readonly outcome: 'conflict'; readonly current: StoredObject | null }
  /** Definite: an object that was to be created beside it exists already. */
  | { readonly outcome: 'taken'; readonly key: ObjectKey }
  | { readonly outcome: 'unavailable'; readonly reason: string }
  /** Definite: the store has no room for it, and takes what frees space. */
  | { readonly outcome: 'noSpace'; readonly reason: string }
  /** Definite: the store does not take such a write, for one because it is too large. */
  | { readonly outcome: 'rejected'; readonly reason: string }
  /** Indefinite: the write may still happen. */
  | { readonly outcome: 'unknown'; readonly reason: string };

/**
 * Another object that comes, goes or changes in the transaction of the write: claims on what the cluster has only once. Removing an absent
 * object does nothing. `amend` is a pure function from the newest state (null: absent) to the next one, called again where another writer was
 * faster; null says that what the write wants is not to be had, which is told as `taken`. One key is amended once in a write.
 */
export type SideWrite =
  | { readonly action: 'create'; readonly key: ObjectKey; readonly object: ApiObject }
  | { readonly action: 'remove'; readonly key: ObjectKey }
  | { readonly action: 'amend'; readonly key: ObjectKey; readonly amend: (current: ApiObject | null) => ApiObject | null };

export interface WriteTerms {
  readonly timeoutMs: number;
  /** All or nothing: none of these happens unless the write itself does, and the other way round. */
  readonly beside?: readonly SideWrite[];
}

export interface WatchRequest {
  readonly resource: GroupResource;
  readonly namespace: string | null;
  readonly labels: LabelSelector;
  readonly fields: FieldSelector;
  /** Only objects of this part; without it, of all. */
  readonly shard?: ShardSelector | null;
  /** Where to start: synthetic events for the state at "mostRecent" or "any", or only what follows a version. */
  readonly start: { readonly at: 'mostRecent' } | { readonly at: 'any' } | { readonly at: 'after'; readonly version: Version };
  /** Streaming list: synthetic events also for `start.at === 'after'` (then: not older than), and the annotated bookmark at their end. */
  readonly initialEvents: boolean;
}

export type WatchEventType = 'ADDED' | 'MODIFIED' | 'DELETED';

/** One change as one watcher sees it. `frame` memoises the encoded event for all watchers that see the same type of it. */
export interface WatchEvent {
  readonly type: WatchEventType;
  readonly version: Version;
  readonly object: StoredObject;
  frame(encoding: string, make: (event: WatchEvent) => Buffer): Buffer;
}

/**
 * Receives a watch's events in order. Calls come synchronously while changes are applied, so they must be quick and must not throw.
 * None comes before `watch` has returned.
 */
export interface WatchSink {
  event(event: WatchEvent): void;
  /** All initial events have been sent; state is complete up to `version`. Called only when the request made initial events. */
  synced(version: Version): void;
  /** The watch cannot go on. No call follows. */
  end(reason: Failure): void;
  /**
   * The stored value of `object` cannot be read, so nothing but its name and namespace is known. A sink without this method is ended instead: who is shown the
   * rest would take it for all there is. An event follows once the object can be read again, or is gone.
   */
  unreadable?(object: StoredObject, reason: string): void;
  /**
   * Asked between slices of initial and replayed events: a promise makes the watch pause until it settles, so that a large state
   * is not pushed at a slow client. Live events never wait: a sink that can take no more of them says so with `Watch.fallBehind`.
   * Null, or no such method: go on.
   */
  drained?(): Promise<void> | null;
}

export interface Watch {
  /** All changes up to here have been handed to the sink: what a bookmark may say. 0 before the watch is under way and while initial events are. */
  readonly version: Version;
  /**
   * Called by the sink, from within `event` as well, when it can take no more live events. The version that is being shown is completed; what follows
   * is read back from history once `drained` has settled, and the watch ends as expired where history does not reach back so far.
   */
  fallBehind(): void;
  stop(): void;
}

export interface Storage {
  get(key: ObjectKey, consistency: Consistency): Promise<GetResult>;
  list(request: ListRequest): Promise<ListResult>;
  watch(request: WatchRequest, sink: WatchSink): Watch;
  /** Creates the object if no object has its key. The stored form is encoded from `object`; its resource version is ignored. */
  create(key: ObjectKey, object: ApiObject, terms: WriteTerms): Promise<WriteResult>;
  /** Replaces the object if it is at `expected`. */
  update(key: ObjectKey, object: ApiObject, expected: Version, terms: WriteTerms): Promise<WriteResult>;
  /** Removes the object if it is at `expected`; `applied` carries its last state with the version of the removal. */
  delete(key: ObjectKey, expected: Version, terms: WriteTerms): Promise<WriteResult>;
  /** What a write of the object would answer, for a dry run; left out where objects are shown as they are written. Throws StatusError where it cannot be written. */
  rehearse?(object: ApiObject, version: Version): Promise<StoredObject>;
  /** Whether an object is kept in a way in which nothing is written any more, and should be written anew although nothing in it has changed. */
  isStale(key: ObjectKey): Promise<boolean>;
  /** Settles once reads can be served (the cache holds all there is). */
  ready(): Promise<void>;
}
