import { compileRegexp } from '../../../workers/regexp/regexp.js';
import { convert } from '../eval/functions/conversions.js';
import { literalValue } from '../eval/literals.js';
import { Failure, type Value } from '../eval/values.js';
import { unregisteredTypes } from './functions.js';
import type { Expression } from './parser.js';
import type { Type } from './types.js';

/** Conversions and patterns of literals, such as `int("12")`, are evaluated when a program is made of an expression, where a failure is an error. */
export function failedConstant(types: ReadonlyMap<Expression, Type>): Failure | null {
  for (const [expression, type] of types) {
    const failure =
      expression.kind === 'call'
        ? failedCall(expression)
        : expression.kind === 'name' && type.name === 'type'
          ? failedType(expression.name)
          : null;
    if (failure !== null) return failure;
  }
  return null;
}

function failedCall(call: Extract<Expression, { kind: 'call' }>): Failure | null {
  const value = constantOf(call);
  if (value instanceof Failure) return value;
  const argument = patternOf(call);
  const pattern = argument === undefined ? undefined : constantOf(argument);
  const compiled = typeof pattern === 'string' ? compileRegexp(pattern) : null;
  return compiled === null || compiled.ok ? null : new Failure(compiled.message);
}

/** Types that the checker knows and the evaluator does not. */
const failedType = (name: string): Failure | null =>
  unregisteredTypes.has(name) ? new Failure(`reference to undefined type: ${name}`) : null;

const patterns: ReadonlySet<string> = new Set(['matches', 'find', 'findAll']);

const patternOf = ({ name, target, args }: Extract<Expression, { kind: 'call' }>): Expression | undefined =>
  patterns.has(name) ? args[target === null ? 1 : 0] : undefined;

function constantOf(expression: Expression): Value | undefined {
  if (expression.kind === 'literal') return literalValue(expression);
  if (expression.kind !== 'call' || expression.target !== null || expression.args.length !== 1) return undefined;
  const [argument] = expression.args;
  if (argument === undefined) return undefined;
  const value = constantOf(argument);
  return value === undefined || value instanceof Failure ? value : convert(expression.name, value);
}
