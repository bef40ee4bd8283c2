import type { Run } from '../run.js';
import { Duration, Failure, ListValue, MapValue, Timestamp, typeNameOf, TypeValue, UInt, weightOf, type Value } from '../values.js';
import { durationText, timestampText } from '../clock.js';
import { doubleText } from '../doubles.js';
import { compareTexts } from '../equality.js';

/** `'%s has %d'.format([...])`. */

const textMax = 8 * 1024 * 1024;
const precisionMax = 100;
const depthMax = 50;
const clause = /%(?:(\.)(\d*))?([a-zA-Z%]?)/gy;

export function formatted(text: string, list: ListValue, run: Run): Value {
  let made = '';
  let used = 0;
  for (let at = 0; at < text.length;) {
    const next = text.indexOf('%', at);
    made += text.slice(at, next < 0 ? text.length : next);
    if (next < 0) break;
    clause.lastIndex = next;
    const [whole = '%', point, digits = '', letter = ''] = clause.exec(text) ?? [];
    at = next + whole.length;
    if (whole === '%%') {
      made += '%';
      continue;
    }
    const precision = point === undefined ? null : Number(digits === '' ? '0' : digits);
    if (letter === '') return new Failure('could not parse formatting clause: unexpected end of string');
    if (precision !== null && precision > precisionMax)
      return new Failure(`could not parse formatting clause: precision ${precision} is too large`);
    if (used >= list.length) return new Failure(`index ${used} out of range`);
    const piece = pieceOf(letter, list.at(used++), precision, run);
    if (piece instanceof Failure) return piece;
    made += piece;
    if (made.length > textMax) return new Failure(`text grows beyond ${textMax} characters`);
  }
  return made;
}

type Clause = (value: Value, precision: number | null, run: Run) => string | Failure;

const refused = (what: string, value: Value): Failure => new Failure(`error during formatting: ${what}, was given ${typeNameOf(value)}`);

/** Whole numbers as such; null for what is none. */
const wholeOf = (value: Value): bigint | null => (typeof value === 'bigint' ? value : value instanceof UInt ? value.value : null);

const inBase =
  (base: 8 | 16, what: string, rest: (value: Value) => string | null): Clause =>
  (value) => {
    const whole = wholeOf(value);
    return whole === null ? (rest(value) ?? refused(what, value)) : whole.toString(base);
  };

const hex: Clause = inBase(16, 'only integers, byte buffers, and strings can be formatted as hex', (value) =>
  typeof value === 'string' || value instanceof Uint8Array ? Buffer.from(value as string).toString('hex') : null,
);

const fractionOf = (value: Value): number | null =>
  typeof value === 'number' ? value : wholeOf(value) === null ? null : Number(wholeOf(value));

const fraction =
  (what: string, print: (value: number, precision: number) => string): Clause =>
  (value, precision) => {
    const number = fractionOf(value);
    if (number === null) return refused(what, value);
    return Number.isFinite(number) ? print(number, precision ?? 6) : doubleText(number);
  };

const clauses: Readonly<Record<string, Clause>> = {
  s: (value, _, run) => plainText(value, run, 0),
  d: (value) => {
    const whole = wholeOf(value);
    if (whole !== null) return whole.toString();
    return typeof value === 'number' && !Number.isFinite(value)
      ? doubleText(value)
      : refused('decimal clause can only be used on integers', value);
  },
  f: fraction('fixed-point clause can only be used on doubles', (value, precision) => value.toFixed(precision)),
  e: fraction('scientific clause can only be used on doubles', (value, precision) =>
    value.toExponential(precision).replace(/e([+-])(\d)$/, 'e$10$2'),
  ),
  b: (value) =>
    typeof value === 'boolean'
      ? String(Number(value))
      : (wholeOf(value)?.toString(2) ?? refused('only integers and bools can be formatted as binary', value)),
  o: inBase(8, 'octal clause can only be used on integers', () => null),
  x: hex,
  X: (value, precision, run) => {
    const text = hex(value, precision, run);
    return text instanceof Failure ? text : text.toUpperCase();
  },
};

function pieceOf(letter: string, value: Value, precision: number | null, run: Run): string | Failure {
  if (value instanceof Failure) return value;
  const clause = Object.hasOwn(clauses, letter) ? clauses[letter] : undefined;
  return clause === undefined
    ? new Failure(`could not parse formatting clause: unrecognized formatting clause "${letter}"`)
    : clause(value, precision, run);
}

/** Any value as text, lists and maps with what they hold. */
function plainText(value: Value, run: Run, depth: number): string | Failure {
  run.meter.step(1);
  run.meter.traverse(weightOf(value));
  if (depth > depthMax) return new Failure('values nest too deeply');
  if (typeof value === 'string') return value;
  if (value === null || typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  if (typeof value === 'number') return doubleText(value);
  if (value instanceof UInt) return String(value.value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString();
  if (value instanceof Timestamp) return timestampText(value);
  if (value instanceof Duration) return durationText(value);
  if (value instanceof TypeValue) return value.name;
  if (value instanceof ListValue) return joined(texts(value, run, depth + 1), '[', { close: ']' });
  if (!(value instanceof MapValue))
    return new Failure(
      `error during formatting: string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps, was given ${typeNameOf(value)}`,
    );
  const entries = [...value.keys()].map(
    (key) => [plainText(key, run, depth + 1), plainText(value.get(key) ?? null, run, depth + 1)] as const,
  );
  return joined(
    entries
      .sort(([a], [b]) => (typeof a === 'string' && typeof b === 'string' ? compareTexts(a, b) : 0))
      .map(([key, one]) => (key instanceof Failure ? key : one instanceof Failure ? one : `${key}: ${one}`)),
    '{',
    { close: '}' },
  );
}

function texts(list: ListValue, run: Run, depth: number): (string | Failure)[] {
  const made: (string | Failure)[] = [];
  for (let i = 0; i < list.length; i++) made.push(plainText(list.at(i), run, depth));
  return made;
}

function joined(parts: readonly (string | Failure)[], open: string, { close }: { readonly close: string }): string | Failure {
  return parts.find((part): part is Failure => part instanceof Failure) ?? `${open}${parts.join(', ')}${close}`;
}
