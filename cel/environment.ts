import type { JsonValue } from '../api/object.js';
import { check, unwanted } from './check/checker.js';
import type { Expression } from './check/parser.js';
import { object, typeOf, type Type } from './check/types.js';
import { claimsView, plainView, toJson, type View } from './eval/json.js';
import { compileProgram, type CelProgram } from './eval/program.js';
import { Failure } from './eval/values.js';

/** A CEL type (`string`, `map<string, dyn>`), or the fields of an object. */
export type VariableType = string | { readonly [field: string]: VariableType };

export interface Scope {
  /** Compiles an expression that certainly has one of the types `wanted`; null defers the type check to run time. */
  compile(expression: string, wanted: readonly string[] | null): Compiled;
}

export type Compiled = { readonly ok: true; readonly program: Program } | { readonly ok: false; readonly message: string };

export interface Program {
  readonly expression: string;
  /** Members of variables that it selects, such as `claims.email`. */
  readonly selects: ReadonlySet<string>;
  /** Evaluates over plain JSON, within one expression's budget. Errors, such as a missing key, are values. */
  evaluate(variables: Readonly<Record<string, JsonValue>>): Evaluation;
}

export type Evaluation = { readonly ok: true; readonly value: JsonValue } | { readonly ok: false; readonly message: string };

/** Limit for expressions in administrators' files, below that for stored ones. */
const expressionCharactersMax = 10 * 1024;

/** Ways in which values of variables look to expressions. */
const views = { plain: plainView, claims: claimsView } as const;

export function createScope(variables: Readonly<Record<string, VariableType>>, values: keyof typeof views = 'plain'): Scope {
  const types = Object.fromEntries(Object.entries(variables).map(([name, type]): [string, Type] => [name, declared(name, type)]));
  const names = new Set(Object.keys(variables));
  return { compile: (expression, wanted) => compile(expression, wanted, { types, names, view: views[values] }) };
}

const declared = (name: string, type: VariableType): Type =>
  typeof type === 'string'
    ? typeOf(type)
    : object(name, Object.fromEntries(Object.entries(type).map(([field, inner]): [string, Type] => [field, declared(field, inner)])));

interface Variables {
  readonly types: Readonly<Record<string, Type>>;
  readonly names: ReadonlySet<string>;
  readonly view: View;
}

function compile(expression: string, wanted: readonly string[] | null, { types: variables, names, view }: Variables): Compiled {
  if (expression.length > expressionCharactersMax)
    return { ok: false, message: `must not be longer than ${expressionCharactersMax} characters` };
  const checked = check(expression, { variables });
  if (!checked.ok) return { ok: false, message: `${checked.stage} failed: ${firstLine(checked.message)}` };
  if (wanted !== null && unwanted(checked.type, wanted.map(typeOf)) !== null)
    return { ok: false, message: `must evaluate to ${wanted.join(' or ')}` };
  const program = compileProgram(expression, names, checked);
  return {
    ok: true,
    program: { expression, selects: selectionsOf(checked.types.keys()), evaluate: (values) => evaluate(program, values, view) },
  };
}

const firstLine = (message: string): string => message.split('\n')[0] ?? '';

const selectionsOf = (parts: Iterable<Expression>): ReadonlySet<string> =>
  new Set([...parts].flatMap((part) => (part.kind === 'select' && part.of.kind === 'name' ? [`${part.of.name}.${part.field}`] : [])));

function evaluate(program: CelProgram, values: Readonly<Record<string, JsonValue>>, view: View): Evaluation {
  const { value } = program.evaluate((name) => (Object.hasOwn(values, name) ? view(values[name] ?? null) : undefined));
  if (value instanceof Failure) return { ok: false, message: value.message };
  try {
    return { ok: true, value: toJson(value) };
  } catch (error) {
    return { ok: false, message: (error as Error).message };
  }
}
