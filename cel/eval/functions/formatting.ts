import type { Run } from '../run.js';
import {
  Duration,
  Failure,
  ListValue,
  MapValue,
  Opaque,
  Optional,
  Timestamp,
  typeNameOf,
  TypeValue,
  UInt,
  weightOf,
  type Value,
} from '../values.js';
import { durationText, timestampText } from '../clock.js';
import { doubleText } from '../doubles.js';
import { compareTexts } from '../equality.js';
import { clausesOf, printable, unprintable, unrecognized } from './clauses.js';
import { fixedText, goQuoted, grouped, scientificText } from './numerals.js';

const textMax = 8 * 1024 * 1024;
const depthMax = 50;

/** `ext.Strings` of version 2, as in the reference's environments, with English number formats. */
export function formatted(text: string, list: ListValue, run: Run): Value {
  let made = '';
  let used = 0;
  for (const { before, letter, precision, wrong } of clausesOf(text)) {
    made += before;
    if (made.length > textMax) return new Failure(`text grows beyond ${textMax} characters`);
    if (letter === '' && wrong === null) break;
    if (used >= list.length) return new Failure(`index ${used} out of range`);
    if (wrong !== null) return new Failure(wrong);
    const piece = pieceOf(letter, list.at(used++), precision, run);
    if (piece instanceof Failure) return piece;
    made += piece;
  }
  return made.length > textMax ? new Failure(`text grows beyond ${textMax} characters`) : made;
}

type Printer = (value: Value, precision: number | null, run: Run) => string | Failure;

const refused = (what: string, value: Value): Failure => new Failure(unprintable(what, typeNameOf(value)));

const wholeOf = (value: Value): bigint | null => (typeof value === 'bigint' ? value : value instanceof UInt ? value.value : null);

const inBase =
  (base: 8 | 16, what: string, rest: (value: Value) => string | null): Printer =>
  (value) => {
    const whole = wholeOf(value);
    return whole === null ? (rest(value) ?? refused(what, value)) : whole.toString(base);
  };

const hex: Printer = inBase(16, printable.x, (value) =>
  typeof value === 'string' || value instanceof Uint8Array ? Buffer.from(value as string).toString('hex') : null,
);

/** Doubles, and the names of those without a literal. */
const fractionOf = (value: Value): number | null =>
  typeof value === 'number' ? value : typeof value === 'string' && ['NaN', 'Infinity', '-Infinity'].includes(value) ? Number(value) : null;

const precisionDefault = 6;
/** More digits are not computed. */
const precisionMax = 10_000;

const fraction =
  (what: string, print: (value: number, precision: number) => string): Printer =>
  (value, precision, run) => {
    const number = fractionOf(value);
    if (number === null) return refused(what, value);
    if ((precision ?? 0) > precisionMax) return new Failure(`precision ${precision} is too large`);
    run.meter.step(precision ?? 0);
    if (Number.isNaN(number)) return 'NaN';
    return Number.isFinite(number) ? print(number, precision ?? precisionDefault) : number > 0 ? '∞' : '-∞';
  };

const clauses: Readonly<Record<string, Printer>> = {
  s: (value, _, run) => plainText(value, run),
  d: (value) => wholeOf(value)?.toString() ?? refused(printable.d, value),
  f: fraction(printable.f, (value, precision) => grouped(fixedText(value, precision))),
  e: fraction(printable.e, scientificText),
  b: (value) => (typeof value === 'boolean' ? String(Number(value)) : (wholeOf(value)?.toString(2) ?? refused(printable.b, value))),
  o: inBase(8, printable.o, () => null),
  x: hex,
  X: (value, precision, run) => {
    const text = hex(value, precision, run);
    return text instanceof Failure ? text : text.toUpperCase();
  },
};

function pieceOf(letter: string, value: Value, precision: number | null, run: Run): string | Failure {
  if (value instanceof Failure) return value;
  const clause = Object.hasOwn(clauses, letter) ? clauses[letter] : undefined;
  return clause === undefined ? new Failure(unrecognized(letter)) : clause(value, precision, run);
}

function plainText(value: Value, run: Run): string | Failure {
  run.meter.traverse(weightOf(value));
  if (typeof value === 'string') return value;
  if (value === null || typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  if (typeof value === 'number') return doubleText(value);
  if (value instanceof UInt) return String(value.value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString();
  if (value instanceof Timestamp) return timestampText(value);
  if (value instanceof Duration) return durationText(value);
  if (value instanceof TypeValue) return value.name;
  return value instanceof ListValue || isPlainMap(value) ? literalText(value, run, 0) : refused(printable.s, value);
}

const isPlainMap = (value: Value): value is MapValue => value instanceof MapValue && value.typeName === 'map';

function literalText(value: Value, run: Run, depth: number): string | Failure {
  run.meter.step(1);
  if (depth > depthMax) return new Failure('values nest too deeply');
  if (value instanceof ListValue) return enclosed('[', ']', elements(value, run, depth + 1));
  if (isPlainMap(value)) return enclosed('{', '}', entries(value, run, depth + 1));
  if (typeof value === 'number') return Number.isFinite(value) ? fixedText(value, precisionDefault) : `"${doubleText(value)}"`;
  if (value instanceof MapValue || value instanceof Optional || value instanceof Opaque)
    return new Failure(`error during formatting: no formatting function for ${typeNameOf(value)}`);
  const text = plainText(value, run);
  if (text instanceof Failure) return text;
  if (typeof value === 'string') return goQuoted(text);
  if (value instanceof Uint8Array) return `b${goQuoted(text)}`;
  if (value instanceof Timestamp) return `timestamp("${text}")`;
  return value instanceof Duration ? `duration("${text}")` : text;
}

function elements(list: ListValue, run: Run, depth: number): (string | Failure)[] {
  const made: (string | Failure)[] = [];
  for (let i = 0; i < list.length; i++) made.push(literalText(list.at(i), run, depth));
  return made;
}

const keyTypes: ReadonlySet<string> = new Set(['bool', 'int', 'string', 'uint']);

function entries(map: MapValue, run: Run, depth: number): (string | Failure)[] {
  const made: (readonly [string, string])[] = [];
  for (const key of map.keys()) {
    const type = typeNameOf(key);
    if (!keyTypes.has(type)) return [new Failure(`error during formatting: no formatting function for map key of type ${type}`)];
    const [name, value] = [literalText(key, run, depth), literalText(map.get(key) ?? null, run, depth)];
    if (name instanceof Failure) return [name];
    if (value instanceof Failure) return [value];
    made.push([name, value]);
  }
  return made.sort(([one], [other]) => compareTexts(one, other)).map(([key, value]) => `${key}:${value}`);
}

function enclosed(open: string, close: string, parts: readonly (string | Failure)[]): string | Failure {
  return parts.find((part): part is Failure => part instanceof Failure) ?? `${open}${parts.join(', ')}${close}`;
}
