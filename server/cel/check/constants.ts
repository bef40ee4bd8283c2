import { convert } from '../eval/functions/conversions.js';
import { literalValue, negatedLiteral } from '../eval/literals.js';
import { Failure, type Value } from '../eval/values.js';
import type { Expression } from './parser.js';

/** Conversions of literals, such as `int("12")`, are evaluated at compile time, where a failure is an error. */
export function failedConversion(expressions: Iterable<Expression>): Failure | null {
  for (const expression of expressions) {
    const value = expression.kind === 'call' ? constantOf(expression) : undefined;
    if (value instanceof Failure) return value;
  }
  return null;
}

function constantOf(expression: Expression): Value | undefined {
  if (expression.kind === 'literal') return literalValue(expression);
  if (expression.kind !== 'call' || expression.target !== null || expression.args.length !== 1) return undefined;
  const [argument] = expression.args;
  if (argument === undefined) return undefined;
  if (expression.name === '-_') return argument.kind === 'literal' ? (negatedLiteral(argument) ?? undefined) : undefined;
  const value = constantOf(argument);
  return value === undefined || value instanceof Failure ? value : convert(expression.name, value);
}
