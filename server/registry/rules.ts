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

/** The parts of the request that a strategy sees. Every nondeterministic value is passed in, so that rules stay pure functions. */
export interface WriteContext extends Pick<WriteRequest, 'now' | 'user' | 'manager' | 'owners' | 'dryRun' | 'enabled' | 'dropGated'> {
  /** Labels of the object's namespace, if its rules requested them (`readsNamespace`). */
  readonly namespaceLabels?: Readonly<Record<string, string>> | undefined;
  /** Ends the work when no caller waits for the outcome any more. Default: never. */
  readonly ended?: Ended | undefined;
  /** A `Warning` header is sent whether or not the write is refused. */
  readonly warn: (text: string) => void;
}

/** The type as the client names it: some rules depend on the version, or even the group, of the request. */
export interface ServedAs {
  readonly apiVersion: string;
  readonly namespaceLabels?: Readonly<Record<string, string>>;
}

/** Generic metadata findings, for strategies that repeat them among their own. */
export interface MetadataFindings {
  readonly object: () => Stepwise<FieldError[]>;
  readonly update: () => Stepwise<FieldError[]>;
}

/**
 * The declaration of one resource. Every member may be absent: `wholeStrategy` supplies the common behaviour and the order of calls. Members called before
 * `validate`, and `canonicalize`, may change `object`, but never `old`; the others change nothing.
 */
export interface Rules<T extends object = ApiObject> {
  readonly metadata?: MetadataRules<T>;
  readonly gated?: readonly Gated<T>[];
  /** Fills absent members as the served API version defines them. Runs on every decoded body, so it must be idempotent. */
  defaults?(object: T): Stepwise<void>;
  /** Precomputes the slow parts of `validate` and `update.review` for a large object, yielding to other requests. It affects nothing but time. */
  ahead?(object: T): Steps<void>;
  /** Returns all findings about a new object, in the reference's order. Generic metadata is validated elsewhere. */
  validate?(object: T, servedAs: ServedAs): Stepwise<FieldError[]>;
  /** Clears what clients may not set, on create (`old` is null) and update, before the fields of disabled features are dropped. */
  prepare?(object: T, old: T | null, context: WriteContext): void;
  /** Brings an acceptable object into its stored form. */
  canonicalize?(object: T): void;
  /**
   * Returns the last findings, given the earlier ones (`old` is null on create). Only these may yield to other requests: a promise, which never rejects. `warn`
   * warns even if the object is refused.
   */
  lastFindings?(object: T, old: T | null, found: readonly FieldError[], warn: (text: string) => void): FieldError[] | Promise<FieldError[]>;
  /** `old` is null on create. */
  warnings?(object: T, old: T | null): string[];
  readonly create?: CreateRules<T>;
  readonly update?: UpdateRules<T>;
  readonly subresources?: Readonly<Record<string, SubresourceRules<T>>>;
  readonly delete?: DeleteRules<T>;
  readonly fields?: FieldRules<T>;
}

export interface MetadataRules<T extends object = ApiObject> {
  /** Checks `metadata.name` of `object` (also `generateName` with an open suffix); returns messages. Default: a DNS-1123 subdomain. */
  name?(name: string, prefix: boolean, object: T, enabled: EnabledFeatures): string[];
  /** Finalizers need no domain. The reference checks the kinds that extend the API by the general rules instead of those of the core group. */
  readonly anyFinalizers?: boolean;
  /** Members whose changes `metadata.generation` counts; absent for kinds without it. */
  readonly generationOf?: readonly MemberOf<T>[];
  /** A new object's generation is 1. Default: for kinds that count changes. */
  readonly countsCreation?: boolean;
  /** An empty list or map in place of none counts as a change, although the stored object will have none again. Default false. */
  readonly tellsEmptyFromNone?: boolean;
}

export interface CreateRules<T extends object = ApiObject> {
  /** The initial status; `sent` keeps the client's. Default: empty where the status is a subresource, else `sent`. */
  readonly status?: 'sent' | StatusOf<T>;
  /** Clears what clients may not set, after `prepare` of the rules. */
  prepare?(object: T, context: WriteContext): void;
  /** Fills in what depends on the name and uid of a new object. Called with a fresh copy for every name that is tried. */
  named?(object: T): void;
  /** Replaces `validate` for kinds whose own findings do not follow those of metadata. */
  review?(object: T, ofMetadata: () => Stepwise<FieldError[]>, servedAs: ServedAs): Stepwise<FieldError[]>;
}

export interface Review {
  readonly metadata: MetadataFindings;
  readonly context: WriteContext;
  readonly servedAs: ServedAs;
}
export type ChangeFindings<T extends object = ApiObject> = {
  find(object: T, old: T, review: Review): Stepwise<FieldError[]>;
}['find'];

/** The findings come in the common order (`validate`) or in the kind's own (`review`), never both. */
export type ChangeRules<T extends object = ApiObject> = ChangePreparation<T> & (OrdinaryFindings<T> | OrderedFindings<T>);

interface ChangePreparation<T extends object> {
  /** Carries over what this update may not change, beyond the status (for an object) or everything else (for a status). */
  prepare?(object: T, old: T, context: WriteContext): void;
  /**
   * Fields that this write resets whatever the client sends, so that no manager owns them: the reference's `GetResetFields`, not always all that `prepare`
   * resets. Default: the status where it is a subresource; through `status` the spec, with `keepsMetadata` also the metadata; through other subresources none.
   */
  readonly resets?: readonly string[];
}

interface OrdinaryFindings<T extends object> {
  /** Follows the findings of metadata: about the change, then about the object itself. */
  readonly validate?: ChangeFindings<T>;
  readonly review?: undefined;
}

interface OrderedFindings<T extends object> {
  readonly validate?: undefined;
  /** The checks in the kind's own order: `objectMeta` stands for the metadata of the object itself, `objectMetaUpdate` for its change. */
  readonly review: readonly ('objectMeta' | 'objectMetaUpdate' | ChangeFindings<T>)[];
}

type StatusOf<T> = T extends { status?: infer Status } ? NonNullable<Status> : never;

export type UpdateRules<T extends object = ApiObject> = ChangeRules<T> & {
  /** PUT on an absent object creates it. Default false. */
  readonly creates?: boolean;
  /** PUT without resource version is allowed. Default true. */
  readonly unconditional?: boolean;
  /** An empty list or map differs from none. */
  readonly keepsEmpty?: boolean;
};

/** None of the rules for the whole object apply here. */
export type SubresourceRules<T extends object = ApiObject> = ChangeRules<T> &
  Pick<Rules<T>, 'lastFindings' | 'warnings'> & {
    /** A write changes only the status, not even metadata. */
    readonly keepsMetadata?: boolean;
    /** Reports whether `review` needs the namespace's labels. Called before `prepare`; changes nothing. */
    readsNamespace?(object: T, old: T): boolean;
  };

export interface DeleteRules<T extends object = ApiObject> {
  /** The response of a completed DELETE. Default "status". */
  readonly answers?: 'object' | 'status';
  /** The propagation policy when the client names none; "none" where no policy has an effect, because such objects own nothing. Default "background". */
  readonly propagation?: 'background' | 'orphan' | 'none';
  protectedBy?(name: string): string | null;
  /** Returns the seconds between the delete request and the removal; absent for kinds that are removed at once. */
  graceSeconds?(object: T, requested: number | null): number;
  /** Reports whether something other than finalizers holds an object that is being deleted. Default: nothing does. */
  heldBy?(object: T): boolean;
  /** Marks an object whose deletion is accepted but that stays for now. Default: `deletionTimestamp` and the grace period. */
  mark?(object: T, now: string): void;
  /** A deletion first marks the object even when nothing holds it; a second request removes it. */
  readonly alwaysMarks?: boolean;
  warnings?(propagationPolicy: string | null): string[];
}

/** Reads a field of an object, in the form that selectors use. */
export type FieldValue<T extends object = ApiObject> = { value(object: T): string }['value'];

export interface FieldRules<T extends object = ApiObject> {
  readonly values: Readonly<Record<string, FieldValue<T>>>;
  /** The current names of fields by their older ones. */
  readonly aliases?: Readonly<Record<string, ShortPathIn<T>>>;
  /** The reference has three wordings. */
  unsupported?(field: string, apiVersion: string): string;
}
