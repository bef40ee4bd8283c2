import { Automaton, PatternBudgetError, type StepBudget } from './automaton.js';
import { findMatch } from './finder.js';
import { parsePattern } from './parser.js';
import { compileProgram } from './program.js';
import { PatternError } from './syntax.js';

/** Linear time, since patterns come from clients. `test` and `find` throw `PatternBudgetError` where a long text and a large pattern would block other work. */
export interface Regexp {
  readonly pattern: string;
  readonly groups: readonly (string | null)[];
  /** Takes its steps from the budget, or from its own. */
  test(text: string, budget?: StepBudget): boolean;
  find(text: string, from?: number, budget?: StepBudget): readonly number[] | null;
}

export type RegexpResult =
  | { readonly ok: true; readonly regexp: Regexp }
  /** Go's words: ``error parsing regexp: missing closing ): `(a` ``. */
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
