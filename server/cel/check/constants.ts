import { convert } from '../eval/functions/conversions.js';
import { literalValue, negatedLiteral } from '../eval/literals.js';
import { Failure, type Value } from '../eval/values.js';
import type { Expression } from './parser.js';

/** Conversions of what stands in the text of an expression, such as `int("12")`, are done when it is made into a program. One that fails keeps it from being one. */
export function failedConversion(expressions: Iterable<Expression>): Failure | null {
  for (const expression of expressions) {
    const value = expression.kind === 'call' ? constantOf(expression) : undefined;
    if (value instanceof Failure) return value;
  }
  return null;
}

/** Undefined for what is no constant. */
function constantOf(expression: Expression): Value | undefined {
  if (expression.kind === 'literal') return literalValue(expression);
  if (expression.kind !== 'call' || expression.target !== null || expression.args.length !== 1) return undefined;
  const [argument] = expression.args;
  if (argument === undefined) return undefined;
  if (expression.name === '-_') return argument.kind === 'literal' ? (negatedLiteral(argument) ?? undefined) : undefined;
  const value = constantOf(argument);
  return value === undefined || value instanceof Failure ? value : convert(expression.name, value);
}
