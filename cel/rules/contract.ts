import type { JsonObject } from '../../api/object.js';
import type { StatusCause } from '../../api/status.js';
import type { RuleTimes } from './times.js';

export interface RulesVerdict {
  /** The causes of a 422 (`details.causes`); empty when the object is accepted. */
  readonly causes: readonly StatusCause[];
  /** Texts for `Warning` headers: a rule that fails for a value unchanged by the update only warns. */
  readonly warnings: readonly string[];
}

/**
 * The compiled rules of a custom resource's version, made once per version of the definition. Never throws: expressions that fail or do not compile are
 * causes. All rules share a budget per object.
 */
export interface SchemaRules {
  readonly isEmpty: boolean;
  /**
   * `object` and `old` are whole, pruned and defaulted objects in the schema's version; `old` is null on create. Both are read-only, and `object` must have
   * passed the schema's checks (see `blocksRules`). Returns a promise, which never rejects, only for expensive rules, between which other requests run.
   */
  verdict(object: JsonObject, old: JsonObject | null): RulesVerdict | Promise<RulesVerdict>;
}

/** Compiles the rules of a structural schema (stored `openAPIV3Schema`). Fast without rules. */
export type CompileRules = (schema: JsonObject, times?: RuleTimes) => SchemaRules;

/** Schema findings that suppress rules, which rely on types and bounds. */
const blocking: ReadonlySet<string | undefined> = new Set([
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
]);

/** Returns whether findings suppress the rules; `rulesUnchecked` then joins the causes (if there are rules). */
export const blocksRules = (causes: readonly StatusCause[]): boolean => causes.some(({ reason }) => blocking.has(reason));

/** Follows the findings that suppressed the rules. */
export const rulesUnchecked: StatusCause = {
  reason: 'FieldValueInvalid',
  field: '<nil>',
  message:
    'Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
};
