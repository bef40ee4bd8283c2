import { completedLike, like, type Completing, type Completion } from './completion.js';
import { nonZero, optional, structure, type Rule } from './table.js';

/** `objectRules(table).defaults` sets the values of absent members, in the order of the table. */

/** A function reads the siblings, or makes an object; undefined sets nothing. */
type Default<V, O> = Extract<V, string | number | boolean> | ((owner: O) => V | undefined);

/** A pointer has a default. */
export const byDefault = <V, O = unknown, F = unknown>(
  value: NoInfer<Default<V, O>>,
  ...rules: readonly Rule<V, O, F>[]
): Rule<V | null | undefined, O, F> => after({ is: 'default', insteadOfZero: false, value }, optional(...rules));

/** The default also replaces the zero value. */
export const insteadOfZero = <V, O = unknown, F = unknown>(
  value: NoInfer<Default<V, O>>,
  ...rules: readonly Rule<V, O, F>[]
): Rule<V | null | undefined, O, F> => after({ is: 'default', insteadOfZero: true, value }, nonZero(...rules));

/** An absent object is created. */
export const created = <V extends object, O = unknown, F = unknown>(...rules: readonly Rule<V, O, F>[]): Rule<V | null | undefined, O, F> =>
  after({ is: 'created' }, structure(...rules));

/** A function relates members. */
export const completed = <V extends object, O = unknown>(complete: (object: V) => void): Rule<V | null | undefined, O> =>
  like(() => [], { completes: [{ is: 'completed', complete }], checksNothing: true });

const after = <R extends Completing>(step: Completion[number], rule: R): R =>
  completedLike(rule, { completes: [step, ...(rule.completes ?? [])] });
