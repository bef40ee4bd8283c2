import { compileRegexp } from '../../../workers/regexp/regexp.js';
import { parseDuration, parseTimestamp } from '../eval/clock.js';
import { literalValue } from '../eval/literals.js';
import { Failure } from '../eval/values.js';
import type { Call, Expression } from './parser.js';
import type { Problem } from './tokens.js';

/** Arguments that stand in the text of an expression and can never be right: the functions would fail whenever they are called. */

const isWrong = (value: unknown): boolean => value === null || value instanceof Failure;

/** By function: what is wrong with a text. Patterns are the last argument. */
const checks: Readonly<Record<string, (text: string) => boolean>> = {
  matches: text => !compileRegexp(text).ok, duration: text => isWrong(parseDuration(text)), timestamp: text => isWrong(parseTimestamp(text)),
};

export function literalProblems(expressions: Iterable<Expression>): Problem[] {
  return [...expressions].filter((one): one is Call => one.kind === 'call').flatMap(({ name, target, args }) => {
    const wrong = Object.hasOwn(checks, name) && (name === 'matches' || target === null) ? checks[name] : undefined;
    const argument = args.at(-1);
    if (wrong === undefined || argument?.kind !== 'literal' || argument.type !== 'string') return [];
    const text = literalValue(argument);
    return typeof text === 'string' && wrong(text) ? [{ at: argument.at, message: `invalid ${name} argument` }] : [];
  }).sort((a, b) => a.at - b.at);
}
