import { compileRegexp } from '../../../workers/regexp/regexp.js';
import { parseDuration, parseTimestamp } from '../eval/clock.js';
import { literalValue, negatedLiteral } from '../eval/literals.js';
import { Failure } from '../eval/values.js';
import { formatProblems } from './formats.js';
import type { Call, Expression } from './parser.js';
import type { Problem } from './tokens.js';
import { printed, type Type } from './types.js';

/** Checks that types cannot express: literal arguments with which functions always fail, and mixed lists and maps. */

const isWrong = (value: unknown): boolean => value === null || value instanceof Failure;

/** Checks of literal texts, by function. A pattern is the last argument. */
const checks: Readonly<Record<string, (text: string) => boolean>> = {
  matches: (text) => !compileRegexp(text).ok,
  duration: (text) => isWrong(parseDuration(text)),
  timestamp: (text) => isWrong(parseTimestamp(text)),
};

export function literalProblems(types: ReadonlyMap<Expression, Type>): Problem[] {
  const all = [...types.keys()];
  const calls = all.filter((one): one is Call => one.kind === 'call');
  return [...argumentProblems(all), ...numberProblems(all), ...mixedProblems(all, types), ...formatProblems(calls, types)].sort(
    (a, b) => a.at - b.at,
  );
}

function argumentProblems(expressions: readonly Expression[]): Problem[] {
  return expressions
    .filter((one): one is Call => one.kind === 'call')
    .flatMap(({ name, target, args }) => {
      const wrong = Object.hasOwn(checks, name) && (name === 'matches' || target === null) ? checks[name] : undefined;
      const argument = args.at(-1);
      if (wrong === undefined || argument?.kind !== 'literal' || argument.type !== 'string') return [];
      const text = literalValue(argument);
      return typeof text === 'string' && wrong(text) ? [{ at: argument.at, message: `invalid ${name} argument` }] : [];
    });
}

/** Integers beyond 64 bits. The smallest one is the negative of a number that is too large by itself. */
function numberProblems(expressions: readonly Expression[]): Problem[] {
  const negated = new Set(expressions.filter((one): one is Call => one.kind === 'call' && one.name === '-_').flatMap(({ args }) => args));
  return expressions.flatMap((one) => {
    if (one.kind !== 'literal' || (one.type !== 'int' && one.type !== 'uint')) return [];
    const value = negated.has(one) ? negatedLiteral(one) : literalValue(one);
    return value instanceof Failure ? [{ at: one.at, message: `invalid ${one.type} literal` }] : [];
  });
}

const scalars: ReadonlySet<string> = new Set([
  'bool',
  'int',
  'uint',
  'double',
  'string',
  'bytes',
  'google.protobuf.Timestamp',
  'google.protobuf.Duration',
  // Errors reported elsewhere, which count as none.
  '!',
]);

/** Elements of a list literal, and keys and values of a map literal, have one type. Arguments of `format` may have any. */
function mixedProblems(expressions: readonly Expression[], types: ReadonlyMap<Expression, Type>): Problem[] {
  const exempt = new Set(
    expressions.filter((one): one is Call => one.kind === 'call' && one.name === 'format').flatMap(({ args }) => args),
  );
  return expressions
    .filter((one) => !exempt.has(one))
    .flatMap((one) => {
      if (one.kind === 'list') return firstMixed(one.items, types);
      return one.kind === 'map'
        ? [
            ...firstMixed(
              one.entries.map(({ key }) => key),
              types,
            ),
            ...firstMixed(
              one.entries.map(({ value }) => value),
              types,
            ),
          ]
        : [];
    });
}

function firstMixed(parts: readonly Expression[], types: ReadonlyMap<Expression, Type>): Problem[] {
  const known = parts.flatMap((part) => (scalars.has(types.get(part)?.name ?? '') ? [{ part, type: types.get(part)! }] : []));
  const [first] = known;
  const other = known.find(({ type }) => type.name !== first?.type.name);
  return first === undefined || other === undefined
    ? []
    : [{ at: other.part.at, message: `expected type '${printed(first.type)}' but found '${printed(other.type)}'` }];
}
