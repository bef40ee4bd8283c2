import type { JsonObject } from '../../../api/object.js';
import type { StatusCause } from '../../../api/status.js';
import type { RuleTimes } from './times.js';

/** What the rules of a schema (`x-kubernetes-validations`) say of an object. */
export interface RulesVerdict {
  /** Why the object is refused, as clients see it in `details.causes` of a 422; empty when nothing speaks against it. */
  readonly causes: readonly StatusCause[];
  /**
   * Texts for `Warning` headers: rules that fail for a value that an update leaves as it was do not refuse the update, they warn.
   * To be sent whatever else becomes of the request.
   */
  readonly warnings: readonly string[];
}

/**
 * The rules of one version of a custom resource, compiled. Made once for each version of the definition, and used for every write of it. Never throws: expressions that
 * cannot be compiled and those that fail are causes. All rules of one object share a budget.
 */
export interface SchemaRules {
  /** Whether there are no rules at all: a verdict needs not be asked for. */
  readonly isEmpty: boolean;
  /**
   * `object` and `old` are whole objects in the version of the schema, after pruning and defaults; `old` is null on create. Both are only read, and
   * `object` must have passed the checks of the schema (see `blocksRules`). Nearly always the verdict is there at once; where rules cost much, others get their
   * turn in between, and it is a promise, which never rejects.
   */
  verdict(object: JsonObject, old: JsonObject | null): RulesVerdict | Promise<RulesVerdict>;
}

/** Compiles the rules of a structural schema (`openAPIV3Schema` as stored). Fast for schemas without rules. */
export type CompileRules = (schema: JsonObject, times?: RuleTimes) => SchemaRules;

/** Findings of the schema that keep rules from being asked, since rules rely on types and bounds. */
const blocking: ReadonlySet<string | undefined> = new Set([
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
]);

/** Whether findings of the schema leave the rules unasked; then `rulesUnchecked` joins the causes (if there are rules). */
export const blocksRules = (causes: readonly StatusCause[]): boolean => causes.some(({ reason }) => blocking.has(reason));

/** Said after the findings that kept the rules from being asked. */
export const rulesUnchecked: StatusCause = {
  reason: 'FieldValueInvalid',
  field: '<nil>',
  message:
    'Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
};
