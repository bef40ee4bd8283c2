import type { ApiObject, JsonObject } from '../api/object.js';
import type { User } from '../api/user.js';
import type { FieldError } from './validation/field.js';

/** What a strategy may know of the request: everything nondeterministic is handed in, so that rules stay pure functions. */
export interface WriteContext {
  /** Now, RFC 3339 with seconds. */
  readonly now: string;
  readonly user: User;
  /** Under which name the writer's fields are recorded. */
  readonly manager: string;
  /** `managedFields` as the write has worked them out itself; absent when the registry does. */
  readonly owners?: JsonObject[] | undefined;
  readonly dryRun: boolean;
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
  readonly object: () => FieldError[];
  /** Of what the update changes. */
  readonly update: () => FieldError[];
}

/**
 * The rules of one resource. The generic life cycle (`registry/store.ts`) calls the hooks; a resource without rules of its own uses none.
 *
 * Order on create: setDefaults, prepareForCreate, (generic metadata), validate, canonicalize, write.
 * Order on update: setDefaults, prepareForUpdate, (generic metadata), validate + validateUpdate, canonicalize, write.
 * The hooks up to `prepare*` and `canonicalize` may change `object`, never `old`; the others change nothing.
 */
export interface Strategy {
  /** Fills absent members as the API version served defines them. Runs on every decoded body, so it must be idempotent. */
  readonly setDefaults?: (object: ApiObject) => void;
  /** Clears what clients may not set (status on create), sets initial generation where the kind manages one. */
  readonly prepareForCreate?: (object: ApiObject, context: WriteContext) => void;
  /** Fills in what depends on the name and uid of a new object. Called with a fresh copy for every name that is tried, before `validate`. */
  readonly named?: (object: ApiObject) => void;
  /** Carries over what this update may not change (status), raises the generation when the spec changed. */
  readonly prepareForUpdate?: (object: ApiObject, old: ApiObject, context: WriteContext) => void;
  /** All findings, in order of the reference; empty when the object is acceptable. Generic metadata is validated elsewhere. */
  readonly validate?: (object: ApiObject, servedAs: ServedAs) => FieldError[];
  readonly validateUpdate?: (object: ApiObject, old: ApiObject, servedAs: ServedAs) => FieldError[];
  /**
   * Instead of `validateUpdate`, for kinds that repeat the checks of metadata in an order of their own. Without it both are repeated once, before
   * what `validateUpdate` finds.
   */
  readonly reviewUpdate?: (object: ApiObject, old: ApiObject, metadata: MetadataFindings) => FieldError[];
  /**
   * Findings that are looked for last, with those that there are already (`old` is null on create), and the only ones that may let others have their turn in between:
   * a promise, which never rejects.
   */
  readonly lastFindings?: (object: ApiObject, old: ApiObject | null, found: readonly FieldError[]) => FieldError[] | Promise<FieldError[]>;
  /** An empty list or map is something else than none. */
  readonly keepsEmpty?: boolean;
  /** Finalizers need no domain in their names: so it is for what extends the API (the reference checks it with the general rules, not with those of the core group). */
  readonly anyFinalizers?: boolean;
  /** Texts for `Warning` headers. */
  readonly warnings?: (object: ApiObject, old: ApiObject | null) => string[];
  readonly canonicalize?: (object: ApiObject) => void;
  /** Checks `metadata.name` (also of `generateName` with the suffix left open) of `object`; returns complaints. Default: a DNS-1123 subdomain. */
  readonly validateName?: (name: string, prefix: boolean, object: ApiObject) => string[];
  /** PUT on an absent object creates it. Default false. */
  readonly createsOnUpdate?: boolean;
  /** PUT without resource version is allowed. Default true. */
  readonly unconditionalUpdate?: boolean;
  /** What a completed DELETE answers. Default "status". */
  readonly deleteAnswers?: 'object' | 'status';
  /** Propagation policy when the client names none. Default "background". */
  readonly defaultPropagation?: 'background' | 'orphan';
  /** Field selectors beyond metadata.name and metadata.namespace, with their values for an object. */
  readonly selectableFields?: (object: ApiObject) => Record<string, string>;
  /** Names accepted in field selectors; must cover the members of selectableFields. */
  readonly selectableFieldNames?: readonly string[];
  /** What a selector on an unknown field is told; the reference has three wordings. */
  readonly unsupportedField?: (field: string) => string;
  /** Older names of selectable fields, and the names they stand for. */
  readonly fieldAliases?: Readonly<Record<string, string>>;
  /** `metadata.generation` counts changes of these members; absent for kinds that do not manage it. */
  readonly generationOf?: readonly string[];
  /** Seconds between the request to delete and the removal; absent for kinds that are removed at once. */
  readonly graceSeconds?: (object: ApiObject, requested: number | null) => number;
  /** Keeps an object that is being deleted although it has no finalizers in its metadata. Default: nothing does. */
  readonly heldBy?: (object: ApiObject) => boolean;
  /** What an accepted deletion changes in an object that stays for now. Default: `deletionTimestamp` and the grace period. */
  readonly markDeleted?: (object: ApiObject, now: string) => void;
  /** A deletion first marks the object even when nothing holds it; a second request removes it. */
  readonly alwaysMarks?: boolean;
  /** Texts for `Warning` headers of a deletion. */
  readonly deleteWarnings?: (propagationPolicy: string | null) => string[];
  /** Why an object may not be deleted at all, or null. */
  readonly protectedBy?: (name: string) => string | null;
  /** Rules of a write through a subresource such as `status`: which part it may change and how that is validated. */
  readonly subresources?: Readonly<
    Record<string, Pick<Strategy, 'prepareForUpdate' | 'validateUpdate' | 'reviewUpdate' | 'lastFindings' | 'warnings'>>
  >;
}
