import type { Steps } from '../../api/steps.js';
import type { ApiObject, ObjectMeta } from '../../api/object.js';
import type { EnabledFeatures, GatedFields } from '../../program/features/fieldGates.js';
import type { FieldSet } from '../patch/apply/fieldset.js';
import type { Review, ServedAs, WriteContext } from './rules.js';
import type { Stepwise } from './stepwise.js';
import type { FieldError } from './validation/field.js';

/**
 * The rules of one resource as the generic life cycle calls them (`registry/creator.ts`, `updater.ts`, `deleter.ts`): a few groups, each of them whole.
 * `wholeStrategy` makes one of what a declaration says; generic code never asks whether there is a rule. The members of a group stand in the order in which
 * they are called.
 */
export interface Strategy {
  readonly metadata: MetadataSteps;
  readonly read: ReadSteps;
  readonly create: CreateSteps;
  readonly update: UpdateSteps;
  /** A write through a subresource. One without rules of its own, such as `scale`, follows those of the object; `status` never does. */
  readonly through: (subresource: string) => ChangeSteps;
  readonly delete: DeleteSteps;
  /** Fields that belong to features, which `prepare` drops. */
  readonly gated: GatedFields;
}

export interface MetadataSteps {
  /** What is wrong with `metadata.name` of an object, or its `generateName` with the suffix left open (`prefix`). */
  name(name: string, prefix: boolean, object: ApiObject, enabled: EnabledFeatures): string[];
  /** What is wrong with finalizers. */
  finalizers(metadata: ObjectMeta): Stepwise<FieldError[]>;
}

export interface ReadSteps {
  /** Of every decoded body, as the API version served defines them. Idempotent. */
  defaults(object: ApiObject): Stepwise<void>;
  readonly fields: FieldSteps;
}

/** Field selectors beyond metadata.name. */
export interface FieldSteps {
  /** Names of fields by what selectors call them. */
  readonly aliases: Readonly<Record<string, string>>;
  /** Whether objects are selected by a field of this name. */
  supports(field: string): boolean;
  /** What a selector on any other field is told. */
  unsupported(field: string): string;
}

/** What happens to every object that is written, once others have had their say. */
interface WriteSteps {
  /** Works out what takes `review` long about a large object, in steps between which others have their turn. Changes nothing but the time that it takes. */
  ahead(object: ApiObject): Steps<void>;
  /** Brings an acceptable object into the form in which it is kept. */
  canonicalize(object: ApiObject): void;
}

export interface CreateSteps extends WriteSteps {
  /** Clears what clients may not set, and fields of features that are off. */
  prepare(object: ApiObject, context: WriteContext): void;
  /** Fills in what depends on the name and uid, in a fresh copy for every name that is tried; null where nothing does. */
  readonly named: ((object: ApiObject) => void) | null;
  /** All findings about the object and its metadata, in order of the reference. */
  review(object: ApiObject, ofMetadata: () => Stepwise<FieldError[]>, servedAs: ServedAs): Steps<FieldError[]>;
  /** Findings that may let others have their turn in between: a promise, which never rejects. */
  lastFindings(object: ApiObject, found: readonly FieldError[]): FieldError[] | Promise<FieldError[]>;
  warnings(object: ApiObject): readonly string[];
}

/** A change, through whatever it comes. */
export interface ChangeSteps extends WriteSteps {
  /** What nobody owns for having sent it this way; on create, what holds for a change of the object itself. */
  readonly resets: FieldSet;
  /** Whether `review` has to know the labels of the namespace. */
  readsNamespace(object: ApiObject, old: ApiObject): boolean;
  /** Carries over what this change may not touch, drops fields of features that are off, and counts the generation. */
  prepare(object: ApiObject, old: ApiObject, context: WriteContext): void;
  /** All findings beyond the generic ones about metadata. */
  review(object: ApiObject, old: ApiObject, review: Review): Steps<FieldError[]>;
  /** As on create. `warn` takes what the client is told whether or not the change is acceptable. */
  lastFindings(
    object: ApiObject,
    old: ApiObject,
    found: readonly FieldError[],
    warn: (text: string) => void,
  ): FieldError[] | Promise<FieldError[]>;
  warnings(object: ApiObject, old: ApiObject): readonly string[];
}

export interface UpdateSteps extends ChangeSteps {
  /** PUT on an absent object creates it. */
  readonly creates: boolean;
  /** PUT without resource version is allowed. */
  readonly unconditional: boolean;
  /** Whether nothing has changed. */
  isSame(form: ApiObject, before: ApiObject): boolean;
}

export interface DeleteSteps {
  /** What a completed DELETE answers. */
  readonly answers: 'object' | 'status';
  /** Propagation policy when the client names none. */
  readonly propagation: 'background' | 'orphan';
  /** Why an object may not be deleted by its name, or null. */
  protectedBy(name: string): string | null;
  /** Seconds between the request to delete and the removal; null for kinds that are removed at once. */
  readonly graceSeconds: ((object: ApiObject, requested: number | null) => number) | null;
  /** Keeps an object that is being deleted although it has no finalizers in its metadata. */
  heldBy(object: ApiObject): boolean;
  /** A deletion first marks the object even when nothing holds it; a second request removes it. */
  readonly alwaysMarks: boolean;
  /** What an accepted deletion changes in an object that stays for now. */
  mark(object: ApiObject, now: string, graceSeconds: number): void;
  warnings(propagationPolicy: string | null): readonly string[];
}
