import { entryOf } from '../../api/json/members.js';
import { compileRegexp } from '../../workers/regexp/regexp.js';
import { convert } from '../eval/functions/conversions.js';
import { literalValue } from '../eval/literals.js';
import { Failure, type Value } from '../eval/values.js';
import { formatProblems } from './formats.js';
import type { Call, Expression } from './parser.js';
import type { Problem } from './tokens.js';
import { dyn, printed, sameType, type Type } from './types.js';

/** Checks beyond types: literal arguments with which functions always fail, and mixed lists and maps. */

/** Tests by function whether it fails with this literal argument (`newFormatValidator` of cel-go). */
const fails: Readonly<Record<string, (value: Value) => boolean>> = {
  matches: (value) => typeof value === 'string' && !compileRegexp(value).ok,
  duration: (value) => convert('duration', value) instanceof Failure,
  timestamp: (value) => convert('timestamp', value) instanceof Failure,
};

export function literalProblems(tree: Expression, types: ReadonlyMap<Expression, Type>): Problem[] {
  const calls = [...types.keys()].filter((one): one is Call => one.kind === 'call');
  return [...argumentProblems(calls), ...mixedProblems(tree, types), ...formatProblems(calls, types)].sort((a, b) => a.at - b.at);
}

/** The receiver of a method is none of its arguments. */
const argumentProblems = (calls: readonly Call[]): Problem[] =>
  calls.flatMap(({ name, args: [first] }) => {
    const failsWith = entryOf(fails, name);
    if (failsWith === undefined || first?.kind !== 'literal' || !failsWith(literalValue(first))) return [];
    return [{ at: first.at, message: `invalid ${name} argument` }];
  });

/**
 * The elements of a list literal have one type, as have a map literal's keys and values, except below a call of `format`
 * (`homogeneousAggregateLiteralValidator` of cel-go).
 */
function mixedProblems(expression: Expression, types: ReadonlyMap<Expression, Type>): Problem[] {
  if (expression.kind === 'call' && expression.name === 'format') return [];
  const typed = (part: Expression): Part => ({ at: part.at, type: types.get(part) ?? dyn });
  const below = partsOf(expression).flatMap((part) => mixedProblems(part, types));
  if (expression.kind === 'list') return [...mixed(expression.items.map(typed)).slice(0, 1), ...below];
  if (expression.kind !== 'map') return below;
  const { entries } = expression;
  return [...mixed(entries.map(({ key }) => typed(key))), ...mixed(entries.map(({ value }) => typed(value))), ...below];
}

interface Part {
  readonly at: number;
  readonly type: Type;
}

const mixed = ([first, ...others]: readonly Part[]): Problem[] =>
  others
    .filter(({ type }) => first !== undefined && !sameType(first.type, type, false))
    .map(({ at, type }) => ({ at, message: `expected type '${printed(first?.type ?? dyn)}' but found '${printed(type)}'` }));

/** Returns the parts of an expression in the reference's order: the receiver precedes the arguments. */
export function partsOf(expression: Expression): readonly Expression[] {
  switch (expression.kind) {
    case 'literal':
    case 'name':
      return [];
    case 'select':
    case 'maybe':
      return [expression.of];
    case 'index':
      return [expression.of, expression.key];
    case 'call':
      return expression.target === null ? expression.args : [expression.target, ...expression.args];
    case 'list':
      return expression.items;
    case 'map':
      return expression.entries.flatMap(({ key, value }) => [key, value]);
    case 'message':
      return expression.fields.map(({ value }) => value);
  }
}
