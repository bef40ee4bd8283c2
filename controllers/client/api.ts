import type { KubeObject, ObjectKey, ObjectList } from '../../api/meta/object.js';
import type { Resource } from '../../api/meta/resource.js';

/**
 * The API that controllers need. `rest.ts` implements it over HTTP; tests use memory. Methods reject with an `ApiError` when the server refuses, and a
 * `ConnectionError` without a response (see `errors.ts`).
 */
export interface Api {
  get<T extends KubeObject>(type: Resource<T>, key: ObjectKey, options?: GetOptions): Promise<T>;
  list<T extends KubeObject>(type: Resource<T>, options?: ListOptions): Promise<ObjectList<T>>;
  /** Creates `object` in the namespace that its metadata names. */
  create<T extends KubeObject>(type: Resource<T>, object: T): Promise<T>;
  /** Replaces the object or a subresource. Rejects with a conflict when its resource version is not the newest. */
  update<T extends KubeObject>(type: Resource<T>, object: T, options?: { readonly subresource?: string }): Promise<T>;
  patch<T extends KubeObject>(type: Resource<T>, key: ObjectKey, patch: Patch, options?: { readonly subresource?: string }): Promise<T>;
  delete(type: Resource, key: ObjectKey, options?: DeleteOptions): Promise<void>;
  deleteCollection(type: Resource, namespace: string, options?: DeleteOptions): Promise<void>;
  /** Posts to a subresource with a body of another kind: tokens, evictions. */
  post<A>(type: Resource, key: ObjectKey, subresource: string, body: unknown): Promise<A>;
  /** Resolves once the server accepted the watch. */
  watch<T extends KubeObject>(type: Resource<T>, options: WatchOptions): Promise<Watch<T>>;
  /** Reads any path, for discovery. `accept` may request another form of the document. */
  read<A>(path: string, form?: { readonly accept: string }): Promise<A>;
}

export interface GetOptions {
  /** The oldest acceptable version. '0' accepts any, without messages between servers; absent: the newest. */
  readonly resourceVersion?: string;
}

export interface ListOptions {
  /** '' or absent: all namespaces. */
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly limit?: number;
  readonly continue?: string;
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: 'NotOlderThan' | 'Exact';
  /** Reads objects with their metadata only. */
  readonly metadataOnly?: boolean;
}

export interface WatchOptions extends Omit<ListOptions, 'limit' | 'continue'> {
  readonly allowWatchBookmarks?: boolean;
  readonly sendInitialEvents?: boolean;
  readonly timeoutSeconds?: number;
}

export type WatchEvent<T> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: T }
  | { readonly type: 'BOOKMARK'; readonly object: KubeObject }
  | { readonly type: 'ERROR'; readonly object: unknown };

/** Ends when the server ends it; throws when the connection breaks. Leaving the loop closes the watch. */
export interface Watch<T> extends AsyncIterable<WatchEvent<T>> {
  close(): void;
}

export type PatchType =
  | 'application/merge-patch+json'
  | 'application/strategic-merge-patch+json'
  | 'application/json-patch+json'
  | 'application/apply-patch+yaml';

export interface Patch {
  readonly type: PatchType;
  readonly body: unknown;
  readonly apply?: ApplyOptions;
}

export interface ApplyOptions {
  /** The owner of the applied fields. */
  readonly fieldManager: string;
  /** Takes fields from other owners; otherwise that is a conflict. */
  readonly force: boolean;
}

export const mergePatch = (body: unknown): Patch => ({ type: 'application/merge-patch+json', body });
/** Server-side apply: `fieldManager` then owns the fields of `body`, and no others. */
export const applyPatch = (body: unknown, apply: ApplyOptions): Patch => ({ type: 'application/apply-patch+yaml', body, apply });
export const strategicPatch = (body: unknown): Patch => ({ type: 'application/strategic-merge-patch+json', body });

export type PropagationPolicy = 'Background' | 'Foreground' | 'Orphan';

export interface DeleteOptions {
  readonly propagationPolicy?: PropagationPolicy;
  readonly gracePeriodSeconds?: number;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
}
