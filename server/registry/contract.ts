import type { BodyForm } from './admission.js';
import type { ApiObject } from '../../api/object.js';
import type { Consistency, ListRequest, ListResult, StoredObject, Watch, WatchRequest, WatchSink } from '../storage/contract.js';
import type { DeleteOptions } from './deletion.js';
import type { ServedResource } from './resources.js';
import type { Target } from './target.js';
import type { WriteRequest, WriteSource } from './writeRequest.js';

/** What a write is asked for with. */
export type WriteOptions = Omit<WriteRequest, keyof WriteSource>;

/** A question to admission about something that is not stored as an object of the resource. */
export interface AdmissionQuestion {
  readonly operation: 'CREATE' | 'CONNECT';
  /** Empty for the resource itself. */
  readonly subresource: string;
  /** What `object` is. */
  readonly form: BodyForm;
  /** Steps of admission may change it. */
  readonly object: ApiObject;
  /** It asks who may do what. Such a question is answered whether or not there is the namespace, of which the asker may know nothing. */
  readonly asksAboutRights?: boolean;
}

/**
 * Whether the writer may create what it wanted to change: the right to update or patch does not include that. Asked of every dry run as well,
 * when the object is valid and before validating admission, as in the reference. Rejects with 403, or with 500 when nobody could decide.
 */
export type CreationCheck = () => Promise<void> | void;

/** How an update makes the new object out of the current one. */
export interface Change {
  /**
   * Gives the new object in the served version. `current` is the object in that version, or null when it does not exist; it belongs to the
   * callee. Called again when the object changed meanwhile, so it must not keep state. Throws StatusError.
   */
  readonly apply: (current: ApiObject | null) => ApiObject | Promise<ApiObject>;
  /** Name of the subresource through which the write comes, empty for the object itself. */
  readonly subresource: string;
  /** The object must have this uid; null for any. */
  readonly uid: string | null;
  /** Asked before an absent object is created, which only some kinds allow; null where nothing is ever created. */
  readonly mayCreate: CreationCheck | null;
  /** Server-side apply: `apply` has recorded who owns what, and an absent object is created whatever its kind. */
  readonly applies?: boolean;
  /** What the body is, where the subresource shows the object in another form. */
  readonly form?: BodyForm | undefined;
  /** Admission has been asked already, about what led to this change. */
  readonly admitted?: boolean;
  /** `apply` does not look at the current object, which then is not decoded for it; it gets one with nothing in it. */
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

/** What admission is to know of a deletion. */
export interface DeletionTerms {
  /** Admission has been asked already, about what led to it. */
  readonly admitted?: boolean;
  /** The object goes with its collection; the request does not name it. */
  readonly unnamed?: boolean;
}

/** The generic life cycle of objects of every type. All methods throw StatusError for what a client is to see. */
export interface Registry {
  get(target: Target, consistency: Consistency): Promise<StoredObject>;
  /** `expiredMessage` is what an unavailable version is reported as. */
  list(resource: ServedResource, query: ListQuery, expiredMessage?: string): Promise<ListPage>;
  watch(resource: ServedResource, query: WatchQuery, sink: WatchSink): Watch;
  /** Creates an object; the target's name is empty unless the path names one (a PUT that creates). The object is in the served version. */
  create(target: Target, object: ApiObject, options: WriteOptions): Promise<StoredObject>;
  update(target: Target, change: Change, options: WriteOptions): Promise<Written>;
  delete(target: Target, deleteOptions: DeleteOptions, options: WriteOptions, terms?: DeletionTerms): Promise<Deleted>;
  /** Removes an object whose stored value cannot be read, whatever finalizers it may have had; refuses (422) one that can be read. */
  deleteUnreadable(target: Target, options: WriteOptions): Promise<void>;
  /** Asks admission about something that is not stored, such as a token, a review or a connection. Rejects with its refusal. */
  admit(target: Target, question: AdmissionQuestion, options: WriteOptions): Promise<void>;
  /** Deletes what the query selects and answers with the list as it was before. */
  deleteCollection(resource: ServedResource, query: ListQuery, deleteOptions: DeleteOptions, options: WriteOptions): Promise<ListPage>;
}
