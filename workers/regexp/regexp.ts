import { Automaton, PatternBudgetError, type StepBudget } from './automaton.js';
import { findMatch } from './finder.js';
import { parsePattern } from './parser.js';
import { compileProgram } from './program.js';
import { PatternError } from './syntax.js';

/**
 * Regular expressions in the syntax of RE2, matched in linear time: patterns and texts come from clients, and ours could be made to run for ever. Never throws
 * for a pattern; `test` and `find` throw `PatternBudgetError` where a large pattern meets a text so long that checking it would hold up everybody else.
 */
export interface Regexp {
  readonly pattern: string;
  /** Names of groups by number; null for those without, and for the whole match. */
  readonly groups: readonly (string | null)[];
  /** Whether there is a match anywhere in the text. Takes its steps from the budget, or from one of its own. */
  test(text: string, budget?: StepBudget): boolean;
  /** The first match from a position on: starts and ends of it and of its groups, -1 where a group had no part in it. */
  find(text: string, from?: number, budget?: StepBudget): readonly number[] | null;
}

export type RegexpResult =
  | { readonly ok: true; readonly regexp: Regexp }
  /** As the Go library says it: ``error parsing regexp: missing closing ): `(a` ``. */
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
