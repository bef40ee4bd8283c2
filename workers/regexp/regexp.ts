import { Automaton, PatternBudgetError, type StepBudget } from './automaton.js';
import { findMatch } from './finder.js';
import { parsePattern } from './parser.js';
import { compileProgram } from './program.js';
import { PatternError } from './syntax.js';

/**
 * RE2 syntax, matched in linear time: patterns and texts come from clients, and native expressions could run for ever. A bad pattern never throws; `test` and
 * `find` throw `PatternBudgetError` if checking a long text against a large pattern would block other work.
 */
export interface Regexp {
  readonly pattern: string;
  /** Group names by number; null for unnamed groups and the whole match. */
  readonly groups: readonly (string | null)[];
  /** Finds a match anywhere. Takes its steps from the budget, or from its own. */
  test(text: string, budget?: StepBudget): boolean;
  /** Returns starts and ends of the first match and its groups, -1 for groups that did not participate. */
  find(text: string, from?: number, budget?: StepBudget): readonly number[] | null;
}

export type RegexpResult =
  | { readonly ok: true; readonly regexp: Regexp }
  /** Worded as in the Go library: ``error parsing regexp: missing closing ): `(a` ``. */
  | { readonly ok: false; readonly message: string };

export { PatternBudgetError };
export type { StepBudget };

export function compileRegexp(pattern: string): RegexpResult {
  try {
    const parsed = parsePattern(pattern);
    const program = compileProgram(parsed);
    let automaton: Automaton | undefined;
    return {
      ok: true,
      regexp: {
        pattern,
        groups: parsed.groups,
        test: (text, budget) => (automaton ??= new Automaton(program)).test(text, budget),
        find: (text, from = 0, budget = undefined) => findMatch(program, text, from, budget),
      },
    };
  } catch (error) {
    if (error instanceof PatternError) return { ok: false, message: `error parsing regexp: ${error.message}` };
    throw error;
  }
}
