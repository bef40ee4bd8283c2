import { clausesOf, printable, unprintable, unrecognized } from '../eval/functions/clauses.js';
import { literalValue } from '../eval/literals.js';
import type { Call, Expression } from './parser.js';
import type { Problem } from './tokens.js';
import { isOpen, type Type } from './types.js';

/** Checks calls of `format` with literal text and arguments when they are stored (`stringFormatValidator` of cel-go). */

type Letter = keyof typeof printable;
const [time, span] = ['google.protobuf.Timestamp', 'google.protobuf.Duration'];
const types: Readonly<Record<Letter, ReadonlySet<string>>> = {
  s: new Set(['list', 'map', 'int', 'uint', 'double', 'bool', 'string', 'bytes', 'type', 'null', time, span]),
  d: new Set(['int', 'uint']),
  f: new Set(['double', 'string']),
  e: new Set(['double', 'string']),
  b: new Set(['int', 'uint', 'bool']),
  o: new Set(['int', 'uint']),
  x: new Set(['int', 'uint', 'string', 'bytes']),
};

type Types = ReadonlyMap<Expression, Type>;

export const formatProblems = (calls: readonly Call[], known: Types): Problem[] =>
  calls.flatMap((call) => {
    const { name, target, args } = call;
    const [list] = args;
    if (name !== 'format' || target?.kind !== 'literal' || target.type !== 'string' || list?.kind !== 'list' || args.length !== 1)
      return [];
    const text = literalValue(target);
    const problem = typeof text === 'string' ? problemOf(text, list.items, known) : null;
    return problem === null ? [] : [{ at: problem.at ?? call.at, message: problem.message }];
  });

/** Absent for the position of the call. */
interface Found {
  readonly at?: number;
  readonly message: string;
}

function problemOf(text: string, items: readonly Expression[], known: Types): Found | null {
  let used = 0;
  for (const { letter, wrong } of clausesOf(text)) {
    if (letter === '' && wrong === null) break;
    if (wrong === 'unexpected end of string') return { message: wrong };
    const item = items[used++];
    if (item === undefined) return { message: `index ${used - 1} out of range` };
    const found = wrong === null ? unprintableIn(letter, item, known) : { message: wrong };
    if (found !== null) return found;
  }
  return items.length > used ? { message: `too many arguments supplied to string.format (expected ${used}, got ${items.length})` } : null;
}

function unprintableIn(letter: string, item: Expression, known: Types): Found | null {
  const kind = letter === 'X' ? 'x' : letter;
  if (!isLetter(kind)) return { message: unrecognized(letter) };
  const wrong = firstUnprintable(kind, item, known);
  const type = wrong === null ? null : (known.get(wrong) ?? null);
  if (wrong === null || type === null) return null;
  return { at: wrong.at, message: unprintable(printable[kind], type.name === 'null' ? 'null_type' : type.name) };
}

const isLetter = (letter: string): letter is Letter => Object.hasOwn(types, letter);

/** Returns the item, or part of it, that the clause cannot print. Unknown types pass. */
function firstUnprintable(letter: Letter, member: Expression, known: Types): Expression | null {
  const item = member.kind === 'maybe' ? member.of : member;
  const type = known.get(item);
  if (type !== undefined && !isOpen(type) && !types[letter].has(type.name)) return item;
  if (letter !== 's') return null;
  const within = item.kind === 'list' ? item.items : item.kind === 'map' ? item.entries.flatMap(({ key, value }) => [key, value]) : [];
  for (const part of within) {
    const wrong = firstUnprintable(letter, part, known);
    if (wrong !== null) return wrong;
  }
  return null;
}
