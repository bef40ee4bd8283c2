import type { Steps } from '../../api/steps.js';
import type { ApiObject, ObjectMeta } from '../../api/object.js';
import type { EnabledFeatures, GatedFields } from '../../program/features/fieldGates.js';
import type { FieldSet } from '../patch/apply/fieldset.js';
import type { Review, ServedAs, WriteContext } from './rules.js';
import type { Stepwise } from './stepwise.js';
import type { FieldError } from './validation/field.js';

/**
 * The rules of one resource as the life cycle calls them (`registry/creator.ts`, `updater.ts`, `deleter.ts`), in groups whose members stand in calling order.
 * `wholeStrategy` builds one from a declaration, so generic code never checks whether a rule exists.
 */
export interface Strategy {
  readonly metadata: MetadataSteps;
  readonly read: ReadSteps;
  readonly create: CreateSteps;
  readonly update: UpdateSteps;
  /** Writes through a subresource. One without rules of its own, such as `scale`, follows those of the object; `status` never does. */
  readonly through: (subresource: string) => ChangeSteps;
  readonly delete: DeleteSteps;
  readonly gated: GatedFields;
}

export interface MetadataSteps {
  /** Returns the errors of `metadata.name`, or of `generateName` with an open suffix (`prefix`). */
  name(name: string, prefix: boolean, object: ApiObject, enabled: EnabledFeatures): string[];
  finalizers(metadata: ObjectMeta): Stepwise<FieldError[]>;
}

export interface ReadSteps {
  /** Sets the defaults of the served API version on every decoded body. Idempotent. */
  defaults(object: ApiObject): Stepwise<void>;
  readonly fields: FieldSteps;
}

export interface FieldSteps {
  /** Field names by their names in selectors. */
  readonly aliases: Readonly<Record<string, string>>;
  supports(field: string): boolean;
  unsupported(field: string, apiVersion: string): string;
}

interface WriteSteps {
  /** Precomputes the slow parts of `review` for a large object, yielding to other requests. It affects nothing but time. */
  ahead(object: ApiObject): Steps<void>;
  /** Brings an acceptable object into its stored form. */
  canonicalize(object: ApiObject): void;
}

export interface CreateSteps extends WriteSteps {
  /** Clears what clients may not set, and fields of disabled features. */
  prepare(object: ApiObject, context: WriteContext): void;
  /** Fills in what depends on the name and uid, in a fresh copy for every name that is tried; null where nothing does. */
  readonly named: ((object: ApiObject) => void) | null;
  /** Returns all findings about the object and its metadata, in the reference's order. */
  review(object: ApiObject, ofMetadata: () => Stepwise<FieldError[]>, servedAs: ServedAs): Steps<FieldError[]>;
  /** Returns findings that may yield to other requests: a promise, which never rejects. */
  lastFindings(object: ApiObject, found: readonly FieldError[]): FieldError[] | Promise<FieldError[]>;
  warnings(object: ApiObject): readonly string[];
}

export interface ChangeSteps extends WriteSteps {
  /** The fields that a sender does not come to own; on create, those of a change of the object itself. */
  readonly resets: FieldSet;
  /** Reports whether `review` needs the namespace's labels. */
  readsNamespace(object: ApiObject, old: ApiObject): boolean;
  /** Carries over what this change may not touch, drops fields of disabled features, and counts the generation. */
  prepare(object: ApiObject, old: ApiObject, context: WriteContext): void;
  /** Returns all findings beyond the generic ones about metadata. */
  review(object: ApiObject, old: ApiObject, review: Review): Steps<FieldError[]>;
  /** `warn` warns even if the change is refused. */
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
  isSame(form: ApiObject, before: ApiObject): boolean;
}

export interface DeleteSteps {
  readonly answers: 'object' | 'status';
  readonly propagation: 'background' | 'orphan' | 'none';
  protectedBy(name: string): string | null;
  /** Null for kinds that are removed at once. */
  readonly graceSeconds: ((object: ApiObject, requested: number | null) => number) | null;
  /** Reports whether something other than finalizers holds an object that is being deleted. */
  heldBy(object: ApiObject): boolean;
  /** A deletion first marks the object even when nothing holds it; a second request removes it. */
  readonly alwaysMarks: boolean;
  /** Marks an object whose deletion is accepted but that stays for now. */
  mark(object: ApiObject, now: string, graceSeconds: number): void;
  warnings(propagationPolicy: string | null): readonly string[];
}
