import { BoundedMap } from '../../../api/boundedMap.js';
import { compileRegexp, PatternBudgetError, type Regexp } from '../../../workers/regexp/regexp.js';
import { OverBudget } from '../budget.js';
import type { Run } from '../run.js';
import { ArrayList, Failure, lengthOf, ListValue, noOverload, type Value } from '../values.js';
import { formatted } from './formatting.js';
import type { Implementation, Library } from './library.js';
import { firstPosition, lastPosition, pieces } from './search.js';

/** Texts. Positions count code points. */

const textMax = 8 * 1024 * 1024;

const bounded = (text: string): Value => (text.length > textMax ? new Failure(`text grows beyond ${textMax} characters`) : text);
const outOfRange = (at: bigint): Failure => new Failure(`index out of range: ${at}`);
const surrogates = /[\ud800-\udfff]/;
/** Converts a unit position to characters, which are equal in nearly all texts. */
const position = (text: string, unit: number): bigint => BigInt(unit <= 0 || !surrogates.test(text) ? unit : lengthOf(text.slice(0, unit)));

/** Returns a character's unit position; the end if beyond it. */
function unitOf(text: string, characters: number): number {
  if (!surrogates.test(text)) return Math.min(characters, text.length);
  let unit = 0;
  for (let left = characters; left > 0 && unit < text.length; left--) unit += (text.codePointAt(unit) ?? 0) > 0xffff ? 2 : 1;
  return unit;
}

const withTexts =
  (of: (text: string, other: string) => Value): Implementation =>
  ([text, other]) =>
    typeof text === 'string' && typeof other === 'string' ? of(text, other) : noOverload;
const withText =
  (of: (text: string) => Value): Implementation =>
  ([text]) =>
    typeof text === 'string' ? of(text) : noOverload;

function charAt([text, at]: readonly Value[]): Value {
  if (typeof text !== 'string' || typeof at !== 'bigint') return noOverload;
  if (at < 0n || at > BigInt(lengthOf(text))) return outOfRange(at);
  const code = text.codePointAt(unitOf(text, Number(at)));
  return code === undefined ? '' : String.fromCodePoint(code);
}

function indexOf([text, part, from = 0n]: readonly Value[]): Value {
  if (typeof text !== 'string' || typeof part !== 'string' || typeof from !== 'bigint') return noOverload;
  if (part === '') return from;
  if (from < 0n) return outOfRange(from);
  return from >= BigInt(lengthOf(text)) ? -1n : position(text, firstPosition(text, part, unitOf(text, Number(from))));
}

function lastIndexOf([text, part, from]: readonly Value[]): Value {
  if (typeof text !== 'string' || typeof part !== 'string' || (from !== undefined && typeof from !== 'bigint')) return noOverload;
  const length = lengthOf(text);
  if (part === '') return from ?? BigInt(length);
  if (from === undefined) return position(text, lastPosition(text, part));
  if (from < 0n) return outOfRange(from);
  return from >= BigInt(length) ? -1n : position(text, lastPosition(text, part, unitOf(text, Number(from))));
}

function substring([text, from, to]: readonly Value[]): Value {
  if (typeof text !== 'string' || typeof from !== 'bigint' || (to !== undefined && typeof to !== 'bigint')) return noOverload;
  const length = BigInt(lengthOf(text));
  const end = to ?? length;
  if (to !== undefined && from > end) return new Failure(`invalid substring range. start: ${from}, end: ${end}`);
  if (from < 0n || from > length) return outOfRange(from);
  return end < 0n || end > length ? outOfRange(end) : text.slice(unitOf(text, Number(from)), unitOf(text, Number(end)));
}

/** A negative limit means none. */
function split([text, by, limit = -1n]: readonly Value[]): Value {
  if (typeof text !== 'string' || typeof by !== 'string' || typeof limit !== 'bigint') return noOverload;
  if (limit === 0n) return new ArrayList([]);
  const parts = by === '' ? [...text] : pieces(text, by);
  if (limit < 0n || BigInt(parts.length) <= limit) return new ArrayList(parts);
  const kept = Number(limit) - 1;
  return new ArrayList([...parts.slice(0, kept), parts.slice(kept).join(by)]);
}

function replace([text, from, to, times = -1n]: readonly Value[]): Value {
  if (typeof text !== 'string' || typeof from !== 'string' || typeof to !== 'string' || typeof times !== 'bigint') return noOverload;
  // An empty text matches before each character, and at the end.
  const parts = from === '' ? ['', ...text, ''] : pieces(text, from);
  const places = parts.length - 1;
  const changed = times < 0n || times > BigInt(places) ? places : Number(times);
  if (text.length + changed * to.length > textMax) return new Failure(`text grows beyond ${textMax} characters`);
  if (from === '')
    return (
      parts
        .slice(1, -1)
        .map((part, i) => (i < changed ? to : '') + part)
        .join('') + (changed === places ? to : '')
    );
  return (
    parts.slice(0, changed + 1).join(to) +
    parts
      .slice(changed + 1)
      .map((part) => from + part)
      .join('')
  );
}

function join([list, by = '']: readonly Value[], { meter }: Run): Value {
  if (!(list instanceof ListValue) || typeof by !== 'string') return noOverload;
  const parts: string[] = [];
  let length = 0;
  for (let i = 0; i < list.length; i++) {
    meter.step(1);
    const part = list.at(i);
    if (typeof part !== 'string') return part instanceof Failure ? part : noOverload;
    length += part.length + by.length;
    if (length > textMax) return new Failure(`text grows beyond ${textMax} characters`);
    parts.push(part);
  }
  return parts.join(by);
}

const escapes: Readonly<Record<string, string>> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
  '"': '\\"',
};
const quoted = (text: string): string => `"${text.replace(/[\x07\b\f\n\r\t\v\\"]/g, (one) => escapes[one] ?? one)}"`;

/** White space in Unicode, which excludes the byte order mark. */
const space = /[^\S\ufeff]|\x85/u;

/** Trims by position, as a pattern would restart at each inner space. */
function trimmed(text: string): string {
  let [from, to] = [0, text.length];
  while (from < to && space.test(text[from]!)) from += 1;
  while (to > from && space.test(text[to - 1]!)) to -= 1;
  return text.slice(from, to);
}

const ascii = (text: string, letters: RegExp, change: (letter: string) => string): string => text.replace(letters, change);

const patternCharactersMax = 1_000;
/** Patterns repeat. */
const patterns = new BoundedMap<string, Regexp | Failure>(500);

const patternOf = (source: string): Regexp | Failure =>
  source.length > patternCharactersMax ? compiled(source) : patterns.of(source, compiled);

function compiled(source: string): Regexp | Failure {
  const result = compileRegexp(source);
  return result.ok ? result.regexp : new Failure(result.message);
}

/** Takes time linear in text times pattern, with one bound for all searches of an evaluation. */
const withPattern =
  (use: (pattern: Regexp, text: string, others: readonly Value[], run: Run) => Value): Implementation =>
  ([text, source, ...others], run) => {
    if (typeof text !== 'string' || typeof source !== 'string') return noOverload;
    const pattern = patternOf(source);
    if (pattern instanceof Failure) return pattern;
    try {
      return use(pattern, text, others, run);
    } catch (error) {
      if (error instanceof PatternBudgetError) throw new OverBudget();
      throw error;
    }
  };

const matches = withPattern((pattern, text, _, { meter }) => pattern.test(text, meter.patternSteps));

const find = withPattern((pattern, text, _, { meter }) => {
  const found = pattern.find(text, 0, meter.patternSteps);
  return found === null ? '' : text.slice(found[0], found[1]);
});

const searchSteps = 24;

/** A negative limit means none. An empty match directly after another does not count. */
const findAll = withPattern((pattern, text, [limit = -1n], run) => {
  if (typeof limit !== 'bigint') return noOverload;
  const all: string[] = [];
  let before = -1;
  for (let at = 0; at <= text.length && (limit < 0n || BigInt(all.length) < limit);) {
    const [start = -1, end = -1] = pattern.find(text, at, run.meter.patternSteps) ?? [];
    if (start < 0) break;
    run.meter.step(searchSteps + end - at);
    if (end > start || start !== before) all.push(text.slice(start, end));
    before = end;
    at = end > start ? end : end + ((text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1);
  }
  return new ArrayList(all);
});

export const texts: Library = {
  '.contains/1': withTexts((text, part) => firstPosition(text, part) >= 0),
  '.startsWith/1': withTexts((text, part) => text.startsWith(part)),
  '.endsWith/1': withTexts((text, part) => text.endsWith(part)),
  '.matches/1': matches,
  'matches/2': matches,
  '.find/1': find,
  '.findAll/1': findAll,
  '.findAll/2': findAll,
  '.charAt/1': charAt,
  '.indexOf/1': indexOf,
  '.indexOf/2': indexOf,
  '.lastIndexOf/1': lastIndexOf,
  '.lastIndexOf/2': lastIndexOf,
  '.substring/1': substring,
  '.substring/2': substring,
  '.split/1': split,
  '.split/2': split,
  '.replace/2': replace,
  '.replace/3': replace,
  '.join/0': join,
  '.join/1': join,
  '.lowerAscii/0': withText((text) => ascii(text, /[A-Z]+/g, (letters) => letters.toLowerCase())),
  '.upperAscii/0': withText((text) => ascii(text, /[a-z]+/g, (letters) => letters.toUpperCase())),
  '.trim/0': withText(trimmed),
  '.reverse/0': withText((text) => [...text].reverse().join('')),
  'strings.quote/1': withText((text) => bounded(quoted(text))),
  '.format/1': ([text, list], run) => (typeof text === 'string' && list instanceof ListValue ? formatted(text, list, run) : noOverload),
  'base64.encode/1': ([bytes]) => (bytes instanceof Uint8Array ? Buffer.from(bytes).toString('base64') : noOverload),
  'base64.decode/1': withText((text) =>
    /^[A-Za-z0-9+/]*={0,2}$/.test(text) ? new Uint8Array(Buffer.from(text, 'base64')) : new Failure('illegal base64 data'),
  ),
  'jsonpatch.escapeKey/1': withText((text) => bounded(text.replaceAll('~', '~0').replaceAll('/', '~1'))),
};
