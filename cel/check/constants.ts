import { compileRegexp } from '../../workers/regexp/regexp.js';
import { convert } from '../eval/functions/conversions.js';
import { putEntry, type Entries } from '../eval/entries.js';
import { goNameOf } from '../eval/goNames.js';
import { literalValue } from '../eval/literals.js';
import { ArrayList, EntryMap, Failure, typeNameOf, type Value } from '../eval/values.js';
import { partsOf } from './arguments.js';
import { patternNames, unregisteredTypes } from './functions.js';
import type { Expression } from './parser.js';
import type { Type } from './types.js';

/**
 * Conversions and patterns of literals, such as `int("12")`, are evaluated at compile time and must not fail. Receivers precede arguments, and parts the
 * whole, so that the first failure is the reference's.
 */
export function failedConstant(expression: Expression, types: ReadonlyMap<Expression, Type>): Failure | null {
  for (const part of partsOf(expression)) {
    const failure = failedConstant(part, types);
    if (failure !== null) return failure;
  }
  switch (expression.kind) {
    case 'call':
      return failedCall(expression);
    case 'index':
      return failedKey(expression.key);
    case 'name':
      return types.get(expression)?.name === 'type' ? failedType(expression.name) : null;
    default:
      return null;
  }
}

function failedCall(call: Extract<Expression, { kind: 'call' }>): Failure | null {
  const value = constantOf(call);
  if (value instanceof Failure) return value;
  const argument = patternOf(call);
  const pattern = argument === undefined ? undefined : constantOf(argument);
  const compiled = typeof pattern === 'string' ? compileRegexp(pattern) : null;
  return compiled === null || compiled.ok ? null : new Failure(compiled.message);
}

/** Types of constants that are no keys. */
const noKeys: ReadonlySet<string> = new Set(['bytes', 'list', 'map', 'null_type', 'google.protobuf.Duration', 'google.protobuf.Timestamp']);

function failedKey(key: Expression): Failure | null {
  const value = constantOf(key);
  if (value === undefined || !noKeys.has(typeNameOf(value))) return null;
  return new Failure(`invalid qualifier type: ${goNameOf(value)}`);
}

/** Types that the checker knows and the evaluator does not. */
const failedType = (name: string): Failure | null =>
  unregisteredTypes.has(name) ? new Failure(`reference to undefined type: ${name}`) : null;

const patternOf = ({ name, target, args }: Extract<Expression, { kind: 'call' }>): Expression | undefined =>
  patternNames.has(name) ? args[target === null ? 1 : 0] : undefined;

function constantOf(expression: Expression): Value | undefined {
  if (expression.kind === 'literal') return literalValue(expression);
  if (expression.kind === 'list') return listOf(expression.items);
  if (expression.kind === 'map') return mapOf(expression.entries);
  if (expression.kind !== 'call' || expression.target !== null || expression.args.length !== 1) return undefined;
  const [argument] = expression.args;
  if (argument === undefined) return undefined;
  const value = constantOf(argument);
  return value === undefined || value instanceof Failure ? value : convert(expression.name, value);
}

function listOf(items: readonly Expression[]): Value | undefined {
  const values: Value[] = [];
  for (const item of items) {
    const value = constantOf(item);
    if (value === undefined || value instanceof Failure) return value;
    values.push(value);
  }
  return new ArrayList(values);
}

function mapOf(entries: Extract<Expression, { kind: 'map' }>['entries']): Value | undefined {
  const made: Entries = new Map();
  let failed: Failure | null = null;
  for (const entry of entries) {
    const [key, value] = [constantOf(entry.key), constantOf(entry.value)];
    if (key === undefined || value === undefined) return undefined;
    failed ??= putEntry(made, key, value, false);
  }
  return failed ?? new EntryMap(made);
}
