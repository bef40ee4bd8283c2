import { Environment, type ASTNode } from '@marcbachmann/cel-js';
import type { JsonValue } from '../api/object.js';
import { toCel, toJson } from './values.js';
import { addStringFunctions } from './strings.js';

/** A type in CEL's words (`string`, `map<string, dyn>`), or the fields of an object. */
export type VariableType = string | { readonly [field: string]: VariableType };

export interface Scope {
  /** Compiles an expression that must yield one of the types `wanted`; `dyn` is decided when it runs. */
  compile(expression: string, wanted: readonly string[]): Compiled;
}

export type Compiled = { readonly ok: true; readonly program: Program } | { readonly ok: false; /** One line. */ readonly message: string };

export interface Program {
  readonly expression: string;
  /** Members of variables that it names, such as `claims.email`. */
  readonly selects: ReadonlySet<string>;
  /** Runs it over plain JSON. Errors are values: a missing key is as ordinary as a false. */
  evaluate(variables: Readonly<Record<string, JsonValue>>): Evaluation;
}

export type Evaluation = { readonly ok: true; readonly value: JsonValue } | { readonly ok: false; readonly message: string };

const expressionCharactersMax = 10 * 1024;
const limits = { maxAstNodes: 10_000, maxDepth: 100, maxListElements: 1_000, maxMapEntries: 1_000, maxCallArguments: 32 };

/** Expressions over these variables. Making one is slow, compiling and running is not. */
export function createScope(variables: Readonly<Record<string, VariableType>>): Scope {
  const environment = addStringFunctions(new Environment({ enableOptionalTypes: true, homogeneousAggregateLiterals: false, limits }));
  for (const [name, type] of Object.entries(variables)) {
    if (typeof type === 'string') environment.registerVariable(name, type);
    else environment.registerVariable({ name, schema: type });
  }
  return { compile: (expression, wanted) => compile(environment, expression, wanted) };
}

function compile(environment: Environment, expression: string, wanted: readonly string[]): Compiled {
  if (expression.length > expressionCharactersMax) return { ok: false, message: `must not be longer than ${expressionCharactersMax} characters` };
  const { valid, type = 'dyn', error } = environment.check(expression);
  if (!valid) return { ok: false, message: `compilation failed: ${error?.summary ?? 'not an expression'}` };
  if (type !== 'dyn' && !wanted.some((one) => sameType(one, type))) return { ok: false, message: `must evaluate to ${wanted.join(' or ')}` };
  const run = environment.parse(expression);
  return { ok: true, program: { expression, selects: selectionsOf(run.ast), evaluate: (values) => evaluate(run, values) } };
}

function selectionsOf(root: ASTNode): ReadonlySet<string> {
  const found = new Set<string>();
  const waiting: unknown[] = [root];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (Array.isArray(next)) waiting.push(...(next as unknown[]));
    if (!isNode(next)) continue;
    if ((next.op === '.' || next.op === '.?') && next.args[0].op === 'id') found.add(`${next.args[0].args}.${String(next.args[1])}`);
    waiting.push(next.args);
  }
  return found;
}

const isNode = (value: unknown): value is ASTNode => typeof value === 'object' && value !== null && 'op' in value && 'args' in value;

/** A list or map of unknown elements may turn out to be the one that is wanted. */
const sameType = (wanted: string, actual: string): boolean => wanted === actual || actual === wanted.replace(/<.*>$/, '') || actual === wanted.replace(/<.*>$/, '<dyn>');

function evaluate(run: (context: Record<string, unknown>) => unknown, values: Readonly<Record<string, JsonValue>>): Evaluation {
  try {
    return { ok: true, value: toJson(run(Object.fromEntries(Object.entries(values).map(([name, value]) => [name, toCel(value)])))) };
  } catch (error) {
    return { ok: false, message: error instanceof Error && 'summary' in error ? String(error.summary) : (error as Error).message };
  }
}
