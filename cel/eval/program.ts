import { parse, type Expression } from '../check/parser.js';
import { expressionCostMax, Meter, OverBudget } from './budget.js';
import type { Types } from './calls.js';
import { Compiler, type Plan } from './compile.js';
import type { Activation, Code, Run } from './run.js';
import { Failure, type Value } from './values.js';

/** A compiled expression, evaluated many times without shared state. */
export interface CelProgram {
  readonly expression: string;
  readonly tree: Expression;
  readonly uses: ReadonlySet<string>;
  /** Throws only what the activation throws. `costMax` is its budget. */
  evaluate(activation: Activation, costMax?: number): CelResult;
}

/** `overBudget` ends all evaluation for the request. */
export interface CelResult {
  readonly value: Value;
  readonly cost: number;
  readonly overBudget: boolean;
}

export interface Checked {
  readonly tree: Expression;
  readonly types: Types;
}

/** Compiles a checked expression over these variables. Throws SyntaxProblem. */
export const compileProgram = (expression: string, variables: ReadonlySet<string>, checked: Checked | null = null): CelProgram =>
  programOf(expression, checked?.tree ?? parse(expression), { variables, types: checked?.types ?? null, folds: true });

export function programOf(expression: string, tree: Expression, plan: Plan): CelProgram {
  const uses = new Set<string>();
  const compiler = new Compiler(plan, uses);
  const code = compiler.code(tree, new Map());
  return {
    expression,
    tree,
    uses,
    evaluate: (activation, costMax = expressionCostMax) => evaluate(code, compiler.places, activation, costMax),
  };
}

function evaluate(code: Code, places: number, activation: Activation, costMax: number): CelResult {
  const meter = new Meter(Math.min(costMax, expressionCostMax));
  const run: Run = { meter, activation, names: new Array<Value | undefined>(places) };
  try {
    return { value: code(run), cost: meter.cost, overBudget: false };
  } catch (error) {
    if (error instanceof OverBudget) return { value: new Failure(error.message), cost: meter.cost, overBudget: true };
    if (error instanceof RangeError)
      return { value: new Failure(`expression cannot be evaluated: ${error.message}`), cost: meter.cost, overBudget: false };
    throw error;
  }
}
