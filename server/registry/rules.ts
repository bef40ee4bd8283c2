import type { Ended } from '../../workers/turns/turns.js';
import type { Steps } from '../../api/steps.js';
import type { ApiObject } from '../../api/object.js';
import type { EnabledFeatures } from '../../program/features/fieldGates.js';
import type { Gated } from './gatedFields.js';
import type { ShortPathIn } from './memberPath.js';
import type { MemberOf } from '../../api/json/members.js';
import type { Stepwise } from './stepwise.js';
import type { FieldError } from './validation/field.js';
import type { WriteRequest } from './writeRequest.js';

/** What a strategy may know of the request: everything nondeterministic is handed in, so that rules stay pure functions. */
export interface WriteContext extends Pick<WriteRequest, 'now' | 'user' | 'manager' | 'owners' | 'dryRun' | 'enabled' | 'dropGated'> {
  /** Of the namespace of an object whose rules have asked for them (`readsNamespace`). */
  readonly namespaceLabels?: Readonly<Record<string, string>> | undefined;
  /** When nobody waits for the outcome any more. Default: never. */
  readonly ended?: Ended | undefined;
  /** Receives texts for `Warning` headers that are sent whether or not the write is refused. */
  readonly warn: (text: string) => void;
}

/** How the client names the type: some kinds have rules that depend on the version, or even the group, of the request. */
export interface ServedAs {
  readonly apiVersion: string;
  /** Of the namespace into which an object is created. */
  readonly namespaceLabels?: Readonly<Record<string, string>>;
}

/** What the generic checks of metadata find, for strategies that list it once more among their own findings. */
export interface MetadataFindings {
  /** Of the object by itself, as on create. */
  readonly object: () => Stepwise<FieldError[]>;
  /** Of what the update changes. */
  readonly update: () => Stepwise<FieldError[]>;
}

/**
 * What a declaration says of one resource. All of it may be absent, and then the resource does as all others: `wholeStrategy` fills that in, and says in which
 * order the rest is asked. What is called before `validate` may change `object`, and so may `canonicalize`, but never `old`; the others change nothing.
 */
export interface Rules<T extends object = ApiObject> {
  readonly metadata?: MetadataRules<T>;
  /** Fields that belong to features. */
  readonly gated?: readonly Gated<T>[];
  /** Fills absent members as the API version served defines them. Runs on every decoded body, so it must be idempotent. */
  defaults?(object: T): Stepwise<void>;
  /**
   * Works out beforehand what takes `validate` and `update.review` long about a large object, in steps between which others have their turn. It changes
   * nothing but the time that they take.
   */
  ahead?(object: T): Steps<void>;
  /** All findings about a new object, in order of the reference; empty when it is acceptable. Generic metadata is validated elsewhere. */
  validate?(object: T, servedAs: ServedAs): Stepwise<FieldError[]>;
  /** What is done to an object that is created (`old` is null) or updated, before its fields of features that are off go: what clients may not set. */
  prepare?(object: T, old: T | null, context: WriteContext): void;
  /** Brings an acceptable object into the form in which it is kept. */
  canonicalize?(object: T): void;
  /**
   * Findings that are looked for last, with those that there are already (`old` is null on create), and the only ones that may let others have their turn in
   * between: a promise, which never rejects. `warn` takes what the client is told whether or not the object is acceptable.
   */
  lastFindings?(object: T, old: T | null, found: readonly FieldError[], warn: (text: string) => void): FieldError[] | Promise<FieldError[]>;
  /** Texts for `Warning` headers; `old` is null on create. */
  warnings?(object: T, old: T | null): string[];
  readonly create?: CreateRules<T>;
  readonly update?: UpdateRules<T>;
  /** A write through a subresource such as `status`: which part it may change and how that is validated. */
  readonly subresources?: Readonly<Record<string, SubresourceRules<T>>>;
  readonly delete?: DeleteRules<T>;
  readonly fields?: FieldRules<T>;
}

export interface MetadataRules<T extends object = ApiObject> {
  /** Checks `metadata.name` (also of `generateName` with the suffix left open) of `object`; returns complaints. Default: a DNS-1123 subdomain. */
  name?(name: string, prefix: boolean, object: T, enabled: EnabledFeatures): string[];
  /**
   * Finalizers need no domain in their names: so it is for what extends the API (the reference checks it with the general rules, not with those of the core
   * group).
   */
  readonly anyFinalizers?: boolean;
  /** `metadata.generation` counts changes of these members; absent for kinds that do not manage it. */
  readonly generationOf?: readonly MemberOf<T>[];
  /** A new object's generation is 1. Default: for kinds that count changes. */
  readonly countsCreation?: boolean;
  /** Counts that an empty list or map has come in place of none, too, although the stored object will have none again. Default false. */
  readonly tellsEmptyFromNone?: boolean;
}

export interface CreateRules<T extends object = ApiObject> {
  /** With what status an object begins, or `sent`: with what the client says. Default: an empty one, where it is written by itself; otherwise what is sent. */
  readonly status?: 'sent' | StatusOf<T>;
  /** Clears what clients may not set, after `prepare` of the rules. */
  prepare?(object: T, context: WriteContext): void;
  /** Fills in what depends on the name and uid of a new object. Called with a fresh copy for every name that is tried. */
  named?(object: T): void;
  /** Instead of `validate`, for kinds whose own findings do not follow those of metadata. */
  review?(object: T, ofMetadata: () => Stepwise<FieldError[]>, servedAs: ServedAs): Stepwise<FieldError[]>;
}

/** What findings of a change may depend on beside the object and what it was. */
export interface Review {
  readonly metadata: MetadataFindings;
  readonly context: WriteContext;
  readonly servedAs: ServedAs;
}
export type ChangeFindings<T extends object = ApiObject> = {
  find(object: T, old: T, review: Review): Stepwise<FieldError[]>;
}['find'];

/**
 * What is done with a change, through whatever it comes: `prepare`, then the findings, which are told in the order of all kinds (`validate`) or in one of the
 * kind's own (`review`), never both.
 */
export type ChangeRules<T extends object = ApiObject> = ChangePreparation<T> & (OrdinaryFindings<T> | OrderedFindings<T>);

interface ChangePreparation<T extends object> {
  /** Carries over what this update may not change, beyond the status of an object, or all else of a status. */
  prepare?(object: T, old: T, context: WriteContext): void;
  /**
   * What this write takes back whatever the client says of it, so that nobody comes to own it: what the reference's strategies name (`GetResetFields`), which
   * is
   * not always all that `prepare` takes back. Default: the status, where it is written by itself; through `status` the spec, with `keepsMetadata` also the
   * metadata; through other subresources nothing.
   */
  readonly resets?: readonly string[];
}

interface OrdinaryFindings<T extends object> {
  /** Findings beyond those of metadata, which come first: of the change, then of the object by itself. */
  readonly validate?: ChangeFindings<T>;
  readonly review?: undefined;
}

interface OrderedFindings<T extends object> {
  readonly validate?: undefined;
  /**
   * What to look for in an order of the kind's own: the checks of metadata are `objectMeta` for the object by itself, and `objectMetaUpdate` for the change.
   */
  readonly review: readonly ('objectMeta' | 'objectMetaUpdate' | ChangeFindings<T>)[];
}

type StatusOf<T> = T extends { status?: infer Status } ? NonNullable<Status> : never;

/** How an object itself is changed. */
export type UpdateRules<T extends object = ApiObject> = ChangeRules<T> & {
  /** PUT on an absent object creates it. Default false. */
  readonly creates?: boolean;
  /** PUT without resource version is allowed. Default true. */
  readonly unconditional?: boolean;
  /** An empty list or map is something else than none. */
  readonly keepsEmpty?: boolean;
};

/** How a part of it is changed. Nothing of what holds for the whole object holds here. */
export type SubresourceRules<T extends object = ApiObject> = ChangeRules<T> &
  Pick<Rules<T>, 'lastFindings' | 'warnings'> & {
    /** A write changes nothing but the status, not even what describes the object. */
    readonly keepsMetadata?: boolean;
    /** Whether `review` has to know the labels of the namespace. Asked before `prepare`; changes nothing. */
    readsNamespace?(object: T, old: T): boolean;
  };

export interface DeleteRules<T extends object = ApiObject> {
  /** What a completed DELETE answers. Default "status". */
  readonly answers?: 'object' | 'status';
  /** Propagation policy when the client names none. Default "background". */
  readonly propagation?: 'background' | 'orphan';
  /** Why an object may not be deleted by its name, or null. */
  protectedBy?(name: string): string | null;
  /** Seconds between the request to delete and the removal; absent for kinds that are removed at once. */
  graceSeconds?(object: T, requested: number | null): number;
  /** Keeps an object that is being deleted although it has no finalizers in its metadata. Default: nothing does. */
  heldBy?(object: T): boolean;
  /** What an accepted deletion changes in an object that stays for now. Default: `deletionTimestamp` and the grace period. */
  mark?(object: T, now: string): void;
  /** A deletion first marks the object even when nothing holds it; a second request removes it. */
  readonly alwaysMarks?: boolean;
  /** Texts for `Warning` headers of a deletion. */
  warnings?(propagationPolicy: string | null): string[];
}

/** What a field has in an object, as selectors spell it. */
export type FieldValue<T extends object = ApiObject> = { value(object: T): string }['value'];

/** Field selectors beyond metadata.name and metadata.namespace. */
export interface FieldRules<T extends object = ApiObject> {
  /** The fields by name, and what each has in an object. */
  readonly values: Readonly<Record<string, FieldValue<T>>>;
  /** Older names of fields, and the names they stand for. */
  readonly aliases?: Readonly<Record<string, ShortPathIn<T>>>;
  /** What a selector on an unknown field is told; the reference has three wordings. */
  unsupported?(field: string): string;
}
