import { typesOfAdmission } from './check/admission.js';
import { AdmissionEvaluation, admissionNames } from './admission.js';
import type { AdmissionValues } from './admissionValues.js';
import { conditionsCostMax } from './eval/budget.js';
import { compileProgram, type CelProgram } from './eval/program.js';
import { Failure } from './eval/values.js';

export interface MatchCondition {
  readonly name: string;
  readonly expression: string;
}

export type MatchVerdict =
  | { readonly outcome: 'match' }
  /** One condition is false, which decides whatever the others are. */
  | { readonly outcome: 'noMatch'; readonly condition: string }
  /** No condition is false, but some failed. The failure policy decides. `message` joins the errors for clients. */
  | { readonly outcome: 'error'; readonly message: string };

export interface MatchConditions {
  readonly isEmpty: boolean;
  /** Never rejects. The conditions share a budget. */
  evaluate(values: AdmissionValues): Promise<MatchVerdict>;
}

/** An expression that does not compile fails at each evaluation; only another server can have stored it. */
export type Compiled =
  | { readonly expression: string; readonly program: CelProgram }
  | { readonly expression: string; readonly program: null; readonly message: string };

export function compileAdmission(expression: string): Compiled {
  try {
    return { expression, program: compileProgram(expression.trim(), admissionNames, typesOfAdmission(expression.trim())) };
  } catch (error) {
    return { expression, program: null, message: (error as Error).message };
  }
}

export function compileMatchConditions(conditions: readonly MatchCondition[]): MatchConditions {
  const compiled = conditions.map(({ name, expression }) => ({ name, ...compileAdmission(expression) }));
  return { isEmpty: conditions.length === 0, evaluate: (values) => evaluate(compiled, values) };
}

const match: MatchVerdict = { outcome: 'match' };
export const outOfBudget = 'validation failed due to running out of cost budget, no further validation rules will be run';

async function evaluate(conditions: readonly ({ readonly name: string } & Compiled)[], values: AdmissionValues): Promise<MatchVerdict> {
  if (conditions.length === 0) return match;
  // Conditions declare the namespace, and never have it.
  const evaluation = new AdmissionEvaluation({ ...values, namespaceObject: null }, conditionsCostMax);
  const errors = new Set<string>();
  for (const condition of conditions) {
    if (condition.program === null) {
      errors.add(`compilation error: ${condition.message}`);
      continue;
    }
    const result = await evaluation.evaluate(condition.program);
    if (evaluation.exhausted) return { outcome: 'error', message: outOfBudget };
    if (result === false) return { outcome: 'noMatch', condition: condition.name };
    if (result !== true)
      errors.add(
        `expression '${condition.expression}' resulted in error: ${result instanceof Failure ? result.message : 'no such overload'}`,
      );
  }
  const all = [...errors];
  return all.length === 0 ? match : { outcome: 'error', message: all.length === 1 ? all.join('') : `[${all.join(', ')}]` };
}
