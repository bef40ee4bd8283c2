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
  /** The request is an access review, which is answered even without the namespace, of which the client may not be allowed to know. */
  readonly asksAboutRights?: boolean;
}

/**
 * Checks the right to create, which the right to update or patch does not include. Dry runs are checked as well, after validation and before validating
 * admission, as in the reference. Rejects with 403, or with 500 when no authorizer could decide.
 */
export type CreationCheck = () => Promise<void> | void;

export interface Change {
  /**
   * Returns the new object in the served version. `current` is in that version, null when absent, and belongs to the callee. Called again when the object
   * changed meanwhile, so it must not keep state. Throws StatusError.
   */
  readonly apply: (current: ApiObject | null) => ApiObject | Promise<ApiObject>;
  readonly subresource: string;
  /** The required uid; null for any. */
  readonly uid: string | null;
  /** Called before an absent object is created, which only some kinds allow; null where creation is not possible. */
  readonly mayCreate: CreationCheck | null;
  /** Server-side apply: `apply` has recorded the owners, and an absent object is created for every kind. */
  readonly applies?: boolean;
  readonly form?: BodyForm | undefined;
  /** Admission has already approved what led to this change. */
  readonly admitted?: boolean;
  /** `apply` ignores the current object, which is then not decoded; it receives an empty one. */
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
}

/** The generic life cycle of objects of every type. All methods throw StatusError for client errors. */
export interface Registry {
  get(target: Target, consistency: Consistency): Promise<StoredObject>;
  /** `expiredMessage` is the message for a version that is no longer available. */
  list(resource: ServedResource, query: ListQuery, expiredMessage?: string): Promise<ListPage>;
  watch(resource: ServedResource, query: WatchQuery, sink: WatchSink): Watch;
  /** Creates an object in the served version. The target's name is empty unless the path names one (a PUT that creates). */
  create(target: Target, object: ApiObject, options: WriteOptions): Promise<StoredObject>;
  update(target: Target, change: Change, options: WriteOptions): Promise<Written>;
  delete(target: Target, deleteOptions: DeleteOptions, options: WriteOptions, terms?: DeletionTerms): Promise<Deleted>;
  /** Removes an object whose stored value cannot be read, ignoring its finalizers; refuses (422) one that can be read. */
  deleteUnreadable(target: Target, options: WriteOptions): Promise<void>;
  /** Runs admission for something that is not stored, such as a token, a review or a connection. */
  admit(target: Target, question: AdmissionQuestion, options: WriteOptions): Promise<void>;
  /** Deletes the selected objects and returns the list as it was before. */
  deleteCollection(
    resource: ServedResource,
    query: ListQuery & { readonly expiredMessage?: string },
    deleteOptions: DeleteOptions,
    options: WriteOptions,
  ): Promise<ListPage>;
}
