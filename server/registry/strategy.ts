import type { Steps } from '../../api/steps.js';
import type { ApiObject, ObjectMeta } from '../../api/object.js';
import type { EnabledFeatures, GatedFields } from '../../program/features/gates.js';
import type { FieldSet } from '../patch/apply/fieldSet.js';
import type { Creates, Review, ServedAs, WriteContext } from './rules.js';
import type { Stepwise } from './stepwise.js';
import type { FieldError } from './validation/field.js';

/**
 * The rules as the life cycle calls them, in groups whose members stand in calling order. `wholeStrategy` builds one from a declaration, so generic code never
 * checks whether a rule exists.
 */
export interface Strategy {
  readonly metadata: MetadataSteps;
  readonly read: ReadSteps;
  readonly create: CreateSteps;
  readonly update: UpdateSteps;
  /** One without rules of its own, such as `scale`, follows those of the object; `status` never does. */
  readonly through: (subresource: string) => ChangeSteps;
  readonly createsThrough: (subresource: string) => Creates;
  readonly delete: DeleteSteps;
  readonly gated: GatedFields;
}

export interface MetadataSteps {
  name(name: string, prefix: boolean, object: ApiObject, enabled: EnabledFeatures): string[];
  finalizers(metadata: ObjectMeta): Stepwise<FieldError[]>;
}

export interface ReadSteps {
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
  ahead(object: ApiObject): Steps<void>;
  canonicalize(object: ApiObject, unstored?: boolean): void;
}

export interface CreateSteps extends WriteSteps {
  prepare(object: ApiObject, context: WriteContext): void;
  /** See `named` of the rules; null where nothing depends on name and uid. */
  readonly named: ((object: ApiObject) => void) | null;
  review(object: ApiObject, ofMetadata: () => Stepwise<FieldError[]>, servedAs: ServedAs): Steps<FieldError[]>;
  lastFindings(object: ApiObject, found: readonly FieldError[]): FieldError[] | Promise<FieldError[]>;
  warnings(object: ApiObject): readonly string[];
}

export interface ChangeSteps extends WriteSteps {
  /** The fields that a sender does not come to own; on create, those of a change of the object itself. */
  readonly resets: FieldSet;
  readsNamespace(object: ApiObject, old: ApiObject): boolean;
  /** Drops fields of disabled features, and counts the generation. */
  prepare(object: ApiObject, old: ApiObject, context: WriteContext): void;
  review(object: ApiObject, old: ApiObject, review: Review): Steps<FieldError[]>;
  lastFindings(
    object: ApiObject,
    old: ApiObject,
    found: readonly FieldError[],
    warn: (text: string) => void,
  ): FieldError[] | Promise<FieldError[]>;
  warnings(object: ApiObject, old: ApiObject): readonly string[];
}

export interface UpdateSteps extends ChangeSteps {
  /** PUT without resource version is allowed. */
  readonly unconditional: boolean;
  isSame(form: ApiObject, before: ApiObject): boolean;
}

export interface DeleteSteps {
  readonly answers: 'object' | 'status';
  readonly propagation: 'background' | 'orphan' | 'none';
  protectedBy(name: string): string | null;
  readonly graceSeconds: ((object: ApiObject, requested: number | null) => number) | null;
  heldBy(object: ApiObject): boolean;
  readonly alwaysMarks: boolean;
  mark(object: ApiObject, now: string, graceSeconds: number): void;
  warnings(propagationPolicy: string | null): readonly string[];
}
