import type { ValuePath } from '../../api/json/valuePath.js';
import type { BodyForm } from './admission.js';
import type { ApiObject } from '../../api/object.js';
import type { Consistency, ListRequest, ListResult, StoredObject, Watch, WatchRequest, WatchSink } from '../storage/contract.js';
import type { DeleteOptions } from './deletion.js';
import type { ServedResource } from './resources.js';
import type { Target } from './target.js';
import type { WriteRequest, WriteSource } from './writeRequest.js';

export type WriteOptions = Omit<WriteRequest, keyof WriteSource>;

/** An admission request without a stored object of the resource. */
export interface AdmissionQuestion {
  readonly operation: 'CREATE' | 'CONNECT';
  readonly subresource: string;
  readonly form: BodyForm;
  readonly object: ApiObject;
  /** Access reviews are answered even without the namespace, of which the client may not be allowed to know. */
  readonly asksAboutRights?: boolean;
}

/**
 * The right to update or patch does not include that to create. Dry runs are checked as well, before validating admission. Rejects with 403, or with 500 when
 * no authorizer could decide.
 */
export type CreationCheck = () => Promise<void> | void;

export interface Change {
  /**
   * `current` is in the served version, null when absent, and belongs to the callee. Called again when the object changed, so it must not keep state. Throws
   * StatusError.
   */
  readonly apply: (current: ApiObject | null) => ApiObject | Promise<ApiObject>;
  readonly subresource: string;
  /** The required uid; null for any. */
  readonly uid: string | null;
  /** Null where creation is not possible. */
  readonly mayCreate: CreationCheck | null;
  /** See `respelledFields`. */
  readonly respelled?: () => readonly ValuePath[];
  /** Server-side apply: an absent object is created for every kind. */
  readonly applies?: boolean;
  readonly form?: BodyForm | undefined;
  readonly admitted?: boolean;
  /** `apply` receives an empty current object, which is not decoded. */
  readonly replaces?: boolean;
}

export interface Written {
  readonly object: StoredObject;
  readonly created: boolean;
}
export interface Deleted {
  readonly object: StoredObject;
  /** False while finalizers or a grace period hold the object. */ readonly gone: boolean;
}

export type ListPage = Extract<ListResult, { outcome: 'found' }>;
export type ListQuery = Omit<ListRequest, 'resource'>;
export type WatchQuery = Omit<WatchRequest, 'resource'>;

export interface DeletionTerms {
  readonly admitted?: boolean;
  /** The request names only the collection. */
  readonly unnamed?: boolean;
  /** Called when the store has a write and has not committed it. */
  readonly committing?: () => void;
}

/** All methods throw StatusError for client errors. */
export interface Registry {
  get(target: Target, consistency: Consistency): Promise<StoredObject>;
  list(resource: ServedResource, query: ListQuery, expiredMessage?: string): Promise<ListPage>;
  watch(resource: ServedResource, query: WatchQuery, sink: WatchSink): Watch;
  /** The target's name is empty unless the path names one (a PUT that creates). */
  create(target: Target, object: ApiObject, options: WriteOptions): Promise<StoredObject>;
  update(target: Target, change: Change, options: WriteOptions): Promise<Written>;
  delete(target: Target, deleteOptions: DeleteOptions, options: WriteOptions, terms?: DeletionTerms): Promise<Deleted>;
  /** Ignores finalizers; refuses (422) an object that can be read. */
  deleteUnreadable(target: Target, options: WriteOptions): Promise<void>;
  admit(target: Target, question: AdmissionQuestion, options: WriteOptions): Promise<void>;
  deleteCollection(
    resource: ServedResource,
    query: ListQuery & { readonly expiredMessage?: string },
    deleteOptions: DeleteOptions,
    options: WriteOptions,
  ): Promise<ListPage>;
}
