import type { Ended } from '../../workers/turns/turns.js';
import type { Steps } from '../../api/steps.js';
import type { ApiObject } from '../../api/object.js';
import type { EnabledFeatures } from '../../program/features/gates.js';
import type { Gated } from './gatedFields.js';
import type { ShortPathIn } from './memberPath.js';
import type { MemberOf } from '../../api/json/members.js';
import type { Stepwise } from './stepwise.js';
import type { FieldError } from './validation/field.js';
import type { WriteRequest } from './writeRequest.js';

/** Every nondeterministic value is passed in: rules stay pure functions. */
export interface WriteContext extends Pick<WriteRequest, 'now' | 'user' | 'manager' | 'owners' | 'dryRun' | 'enabled' | 'dropGated'> {
  /** Labels of the object's namespace, if its rules requested them (`readsNamespace`). */
  readonly namespaceLabels?: Readonly<Record<string, string>> | undefined;
  /** Names what an update creates the object through, if not the object itself. */
  readonly subresource?: string;
  /** Ends the work when no caller waits any more. */
  readonly ended?: Ended | undefined;
  /** A `Warning` header is sent whether or not the write is refused. */
  readonly warn: (text: string) => void;
}

/** Some rules depend on the version, or even the group, of the request. */
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
 * `wholeStrategy` supplies the common behaviour and the order of calls. Members called before `validate`, and `canonicalize`, may change `object`, but never
 * `old`; the others change nothing.
 */
export interface Rules<T extends object = ApiObject> {
  readonly metadata?: MetadataRules<T>;
  readonly gated?: readonly Gated<T>[];
  /** Runs on every decoded body, so it must be idempotent. */
  defaults?(object: T): Stepwise<void>;
  /** See `reviewAhead`. */
  ahead?(object: T): Steps<void>;
  /** Findings are in the reference's order. Generic metadata is validated elsewhere. */
  validate?(object: T, servedAs: ServedAs): Stepwise<FieldError[]>;
  /** Clears what clients may not set, before fields of disabled features are dropped. */
  prepare?(object: T, old: T | null, context: WriteContext): void;
  /** `unstored`: the object ends; its answer is not read from storage. */
  canonicalize?(object: T, unstored?: boolean): void;
  /** Only these may yield to other requests: a promise, which never rejects. `warn` warns even if the object is refused. */
  lastFindings?(object: T, old: T | null, found: readonly FieldError[], warn: (text: string) => void): FieldError[] | Promise<FieldError[]>;
  warnings?(object: T, old: T | null): string[];
  readonly create?: CreateRules<T>;
  readonly update?: UpdateRules<T>;
  readonly subresources?: Readonly<Record<string, SubresourceRules<T>>>;
  readonly delete?: DeleteRules<T>;
  readonly fields?: FieldRules<T>;
}

export interface MetadataRules<T extends object = ApiObject> {
  /** Also checks `generateName` with an open suffix. Default: a DNS-1123 subdomain. */
  name?(name: string, prefix: boolean, object: T, enabled: EnabledFeatures): string[];
  /** Finalizers need no domain: the reference checks kinds that extend the API by the general rules. */
  readonly anyFinalizers?: boolean;
  /** Members whose changes `metadata.generation` counts. */
  readonly generationOf?: readonly MemberOf<T>[];
  /** A new object's generation is 1. Default: for kinds that count changes. */
  readonly countsCreation?: boolean;
  /** An empty list or map in place of none counts as a change. Default false. */
  readonly tellsEmptyFromNone?: boolean;
}

export interface CreateRules<T extends object = ApiObject> {
  /** `sent` keeps the client's. Default: empty where the status is a subresource, else `sent`. */
  readonly status?: 'sent' | StatusOf<T>;
  prepare?(object: T, context: WriteContext): void;
  /** Called with a fresh copy for every name that is tried. */
  named?(object: T): void;
  /** Replaces `validate`. */
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

/** Either `validate` or `review`, the kind's own order. */
export type ChangeRules<T extends object = ApiObject> = ChangePreparation<T> & (OrdinaryFindings<T> | OrderedFindings<T>);

interface ChangePreparation<T extends object> {
  /** Carries over what this update may not change. */
  prepare?(object: T, old: T, context: WriteContext): void;
  /**
   * The reference's `GetResetFields`: no manager owns them. Default: the status where it is a subresource; through `status` the spec, with `keepsMetadata` also
   * the metadata; through other subresources none.
   */
  readonly resets?: readonly string[];
}

interface OrdinaryFindings<T extends object> {
  /** Follows the findings of metadata. */
  readonly validate?: ChangeFindings<T>;
  readonly review?: undefined;
}

interface OrderedFindings<T extends object> {
  readonly validate?: undefined;
  /** `objectMeta` stands for the metadata of the object itself, `objectMetaUpdate` for its change. */
  readonly review: readonly ('objectMeta' | 'objectMetaUpdate' | ChangeFindings<T>)[];
}

type StatusOf<T> = T extends { status?: infer Status } ? NonNullable<Status> : never;

export type UpdateRules<T extends object = ApiObject> = ChangeRules<T> & {
  /** PUT on an absent object creates it. Default false. */
  readonly creates?: boolean;
  /** Default true. */
  readonly unconditional?: boolean;
  /** An empty list or map differs from none. */
  readonly keepsEmpty?: boolean;
};

/** Says which updates create an absent object: none, server-side apply, or PUT as well. */
export type Creates = 'never' | 'apply' | 'always';

/** None of the rules for the whole object apply here. */
export type SubresourceRules<T extends object = ApiObject> = ChangeRules<T> &
  Pick<Rules<T>, 'lastFindings' | 'warnings'> & {
    /** A write changes only the status, not even metadata. */
    readonly keepsMetadata?: boolean;
    /** Default "never". */
    readonly creates?: Creates;
    /** Whether `review` needs the namespace's labels. */
    readsNamespace?(object: T, old: T): boolean;
  };

export interface DeleteRules<T extends object = ApiObject> {
  /** The response of a completed DELETE. Default "status". */
  readonly answers?: 'object' | 'status';
  /** "none" for objects that own nothing. Default "background". */
  readonly propagation?: 'background' | 'orphan' | 'none';
  protectedBy?(name: string): string | null;
  graceSeconds?(object: T, requested: number | null): number;
  /** Whether something other than finalizers holds a terminating object. */
  heldBy?(object: T): boolean;
  /** Default: `deletionTimestamp` and the grace period. */
  mark?(object: T, now: string): void;
  /** A second request removes the object. */
  readonly alwaysMarks?: boolean;
  warnings?(propagationPolicy: string | null): string[];
}

/** Reads a field of an object, in the form that selectors use. */
export type FieldValue<T extends object = ApiObject> = { value(object: T): string }['value'];

export interface FieldRules<T extends object = ApiObject> {
  readonly values: Readonly<Record<string, FieldValue<T>>>;
  readonly aliases?: Readonly<Record<string, ShortPathIn<T>>>;
  /** The reference has three wordings. */
  unsupported?(field: string, apiVersion: string): string;
}
