import type { FieldSelector, LabelSelector } from '../../api/selectors/index.js';
import type { ApiObject } from '../../api/object.js';
import type { GroupResource } from '../../api/resource.js';
import type { ShardSelector } from '../../api/shards.js';
import type { Expired } from './watchEnds.js';
import type { Steps } from '../../api/steps.js';

/** One suite (`test/unit/server/storage`) tests all implementations. Expected outcomes are values; a rejection is a defect or a broken disk. */

export type Version = number;

/** `namespace` is empty for cluster-scoped resources. */
export interface ObjectKey {
  readonly resource: GroupResource;
  readonly namespace: string;
  readonly name: string;
}

/** Immutable and shared; `decode` builds a new object, which the caller may change. */
export interface StoredObject {
  readonly namespace: string;
  readonly name: string;
  /** Empty for an unreadable object. */
  readonly uid: string;
  /** The encoded forms already contain it. */
  readonly version: Version;
  readonly labels: Readonly<Record<string, string>>;
  /** Values for field selectors: `metadata.name`, `metadata.namespace` and the strategy's fields. */
  readonly fields: Readonly<Record<string, string>>;
  readonly item: Buffer;
  readonly apiVersion: string;
  /** Returns the object without kind and apiVersion, with resource version. */
  decode(): ApiObject;
  /** The same in steps, for large objects. */
  readonly decodeInSteps?: () => Steps<ApiObject>;
  /** Made at most once per name and kept with the object. */
  encoded(form: string, make: (object: StoredObject) => Buffer): Buffer;
}

/** Most Recent, Any, Not older than, Exact: the columns of the specification's resource-version tables. */
export type Consistency =
  | { readonly at: 'mostRecent' }
  | { readonly at: 'any' }
  | { readonly at: 'notOlderThan'; readonly version: Version }
  | { readonly at: 'exact'; readonly version: Version };

/** One place in the endpoints converts these to statuses. */
export type Failure =
  /** Definite: nothing was done. */
  | { readonly outcome: 'unavailable'; readonly reason: string }
  | { readonly outcome: 'tooLarge'; readonly requested: Version; readonly current: Version }
  | Expired;

export type GetResult =
  | { readonly outcome: 'found'; readonly object: StoredObject }
  | { readonly outcome: 'absent'; readonly version: Version }
  | Failure;

export interface ListRequest {
  readonly resource: GroupResource;
  /** Null for all namespaces. */
  readonly namespace: string | null;
  readonly labels: LabelSelector;
  readonly fields: FieldSelector;
  /** Selects a shard; default: all objects. */
  readonly shard?: ShardSelector | null;
  readonly consistency: Consistency;
  readonly limit: number | null;
  readonly after: { readonly namespace: string; readonly name: string } | null;
}

export type ListResult =
  | {
      readonly outcome: 'found';
      readonly version: Version;
      readonly items: readonly StoredObject[];
      readonly more: boolean;
      /** Null when selectors make the number unknown. */
      readonly remaining: number | null;
    }
  | Failure;

export type WriteResult =
  | { readonly outcome: 'applied'; readonly object: StoredObject }
  /** Definite: the object is not at the expected version. */
  | { readonly outcome: 'conflict'; readonly current: StoredObject | null }
  /** Definite: an object to be created with it already exists. */
  | { readonly outcome: 'taken'; readonly key: ObjectKey }
  | { readonly outcome: 'unavailable'; readonly reason: string }
  /** Definite: the store accepts only writes that free space. */
  | { readonly outcome: 'noSpace'; readonly reason: string }
  /** Definite: the store refuses the write, for example as too large. */
  | { readonly outcome: 'rejected'; readonly reason: string }
  /** Indefinite: the write may still happen. */
  | { readonly outcome: 'unknown'; readonly reason: string };

/**
 * Claims on unique resources, in the same transaction. Removing an absent object does nothing. `amend` is a pure function from the newest state (null: absent)
 * to the next, repeated after concurrent writes; null: the claim is `taken`.
 */
export type SideWrite =
  | { readonly action: 'create'; readonly key: ObjectKey; readonly object: ApiObject }
  | { readonly action: 'remove'; readonly key: ObjectKey }
  | { readonly action: 'amend'; readonly key: ObjectKey; readonly amend: (current: ApiObject | null) => ApiObject | null };

export interface WriteTerms {
  readonly timeoutMs: number;
  /** Atomic with the write itself. */
  readonly sideWrites?: readonly SideWrite[];
}

export interface WatchRequest {
  readonly resource: GroupResource;
  readonly namespace: string | null;
  readonly labels: LabelSelector;
  readonly fields: FieldSelector;
  /** Selects a shard; default: all objects. */
  readonly shard?: ShardSelector | null;
  /** The state at "mostRecent" or "any" comes as synthetic events. */
  readonly start: { readonly at: 'mostRecent' } | { readonly at: 'any' } | { readonly at: 'after'; readonly version: Version };
  /** Streaming list: 'after' then means not older than, and the annotated bookmark ends the initial events. */
  readonly initialEvents: boolean;
}

export type WatchEventType = 'ADDED' | 'MODIFIED' | 'DELETED';

/** `frame` memoises the encoding for all watchers that see the same type. */
export interface WatchEvent {
  readonly type: WatchEventType;
  readonly version: Version;
  readonly object: StoredObject;
  frame(encoding: string, make: (event: WatchEvent) => Buffer): Buffer;
}

/** Methods are called synchronously while changes are applied: they must be quick and not throw. The first call follows the return of `watch`. */
export interface WatchSink {
  event(event: WatchEvent): void;
  /** Ends the initial events, if requested. */
  synced(version: Version): void;
  /** The watch cannot go on. No call follows. */
  end(reason: Failure): void;
  /** Only name and namespace of `object` are known. A sink without this method is ended. An event follows once the object is readable or gone. */
  unreadable?(object: StoredObject, reason: string): void;
  /** A promise pauses initial and replayed events. Live events never wait: a full sink calls `Watch.fallBehind`. */
  drained?(): Promise<void> | null;
}

export interface Watch {
  /** A bookmark's version; 0 before the end of initial events. */
  readonly version: Version;
  /**
   * Called by a full sink, even within `event`. The current version is completed; later ones come from history once `drained` has settled, and the watch ends
   * as expired if history is too short.
   */
  fallBehind(): void;
  stop(): void;
}

export interface Storage {
  get(key: ObjectKey, consistency: Consistency): Promise<GetResult>;
  list(request: ListRequest): Promise<ListResult>;
  watch(request: WatchRequest, sink: WatchSink): Watch;
  create(key: ObjectKey, object: ApiObject, terms: WriteTerms): Promise<WriteResult>;
  update(key: ObjectKey, object: ApiObject, expected: Version, terms: WriteTerms): Promise<WriteResult>;
  /** `applied` has its last state with the version of the removal. */
  delete(key: ObjectKey, expected: Version, terms: WriteTerms): Promise<WriteResult>;
  /** Returns a dry run's result; absent if objects are shown as written. Throws StatusError. */
  rehearse?(object: ApiObject, version: Version): Promise<StoredObject>;
  /** True where an unchanged object should be rewritten. */
  isStale(key: ObjectKey): Promise<boolean>;
  ready(): Promise<void>;
}
