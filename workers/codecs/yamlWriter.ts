import { isMembers } from './value.js';
import { resolvePlain } from './yamlScalars.js';

/** Writes the reference's style: block style, members in natural order, lists not indented, text quoted only where needed. */
export const writeYaml = (value: unknown): string => {
  const parts: string[] = [];
  if (isEmptyOrScalar(value)) parts.push(scalar(value, { indent: 0, column: 0 }), '\n');
  else block(parts, value, 0);
  return parts.join('');
};

const indentWidth = 2;
/** Text beyond this column continues on the next line, at a single space. */
const width = 80;

/** The indentation of a scalar's further lines, and its starting column. */
interface Place {
  readonly indent: number;
  readonly column: number;
}

/** The value is not empty; the cursor is at its first line. */
const block = (parts: string[], value: unknown, indent: number): void => {
  const padding = ' '.repeat(indent);
  if (Array.isArray(value)) {
    value.forEach((item, index) => listItem(parts, item, index === 0 ? '' : padding, indent));
  } else {
    const members = Object.entries(value as object)
      .filter(([, member]) => member !== undefined)
      .sort(byName);
    members.forEach(([name, member], index) => mapMember(parts, [name, member], index === 0 ? '' : padding, indent));
  }
};

const listItem = (parts: string[], item: unknown, padding: string, indent: number): void => {
  parts.push(padding, '- ');
  if (isEmptyOrScalar(item)) parts.push(scalar(item, { indent: indent + indentWidth, column: indent + indentWidth }), '\n');
  else block(parts, item, indent + indentWidth);
};

const mapMember = (parts: string[], [name, member]: readonly [string, unknown], padding: string, indent: number): void => {
  const label = key(name);
  parts.push(padding, label, ':');
  if (isEmptyOrScalar(member)) {
    parts.push(' ', scalar(member, { indent: indent + indentWidth, column: indent + label.length + 2 }), '\n');
  } else {
    const inner = Array.isArray(member) ? indent : indent + indentWidth;
    parts.push('\n', ' '.repeat(inner));
    block(parts, member, inner);
  }
};

const isEmptyOrScalar = (value: unknown): boolean => {
  if (Array.isArray(value)) return value.length === 0;
  return !isMembers(value) || Object.values(value).every((member) => member === undefined);
};

const scalar = (value: unknown, place: Place): string => {
  if (typeof value === 'string') return text(value, place);
  if (Array.isArray(value)) return '[]';
  if (typeof value === 'object' && value !== null) return '{}';
  if (typeof value === 'number' && !Number.isInteger(value)) return String(value).replace(/e\+?(-?)(\d)$/, 'e$10$2');
  return value === undefined ? 'null' : String(value);
};

const timestamp = /^\d{4}-\d{1,2}-\d{1,2}(?:[Tt ]\d{1,2}:\d{1,2}:\d{1,2}(?:\.\d*)?(?:Z|[-+]\d{2}:\d{2})?)?$/;
const base60 = /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/;
const isAmbiguous = (value: string): boolean =>
  typeof resolvePlain(value) !== 'string' || value === '<<' || timestamp.test(value) || base60.test(value);
/** Matches text that cannot be plain: leading indicators, `: ` and ` #` inside, spaces at the ends, document marks. */
const needsQuotes = /^[#,[\]{}&*!|>'"%@`]|^[-?:](?:\s|$)|:(?:\s|$)|\s#|^\s|\s$|^---|^\.\.\./;
/** Only double quotes can carry these; line breaks are handled separately. */
const special = /[^\n\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\u{10000}-\u{10ffff}]/u;

const text = (value: string, place: Place | undefined): string => {
  if (value.includes('\n')) return place !== undefined && isLiteral(value) ? literal(value, place.indent) : doubleQuoted(value, place);
  if (isAmbiguous(value) || special.test(value)) return doubleQuoted(value, place);
  return needsQuotes.test(value) ? `'${folded(value.replaceAll("'", "''"), place, 1)}'` : folded(value, place, 0);
};

const key = (name: string): string => text(name, undefined);

/** Continues long text on further lines: a single space beyond the width becomes a line break. */
const folded = (value: string, place: Place | undefined, quote: 0 | 1): string => {
  if (place === undefined || place.column + value.length <= width) return value;
  let column = place.column + quote;
  let result = '';
  for (let index = 0; index < value.length; index++) {
    const breaks =
      value[index] === ' ' &&
      column > width &&
      index > 0 &&
      index < value.length - 1 &&
      value[index - 1] !== ' ' &&
      value[index + 1] !== ' ';
    result += breaks ? `\n${' '.repeat(place.indent)}` : value[index];
    column = breaks ? place.indent : column + 1;
  }
  return result;
};

const isLiteral = (value: string): boolean => !special.test(value) && !/ \n/.test(value) && !value.endsWith(' ');

/** Writes `|` with a mark for leading space, and for a missing or repeated final line break. */
const literal = (value: string, indent: number): string => {
  const hint = /^[ \n]/.test(value) ? String(indentWidth) : '';
  const chomping = !value.endsWith('\n') ? '-' : value.endsWith('\n\n') || value === '\n' ? '+' : '';
  const lines = (value.endsWith('\n') ? value.slice(0, -1) : value)
    .split('\n')
    .map((line) => (line === '' ? '' : ' '.repeat(Math.max(indent, indentWidth)) + line));
  return `|${hint}${chomping}\n${lines.join('\n')}`;
};

const escapes: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\n': '\\n',
  '\t': '\\t',
  '\r': '\\r',
  '\b': '\\b',
  '\f': '\\f',
  '\v': '\\v',
  '\0': '\\0',
  '\x07': '\\a',
  '\x1b': '\\e',
  '\u2028': '\\L',
  '\u2029': '\\P',
  '\x85': '\\N',
  '\xa0': '\\_',
};

const doubleQuoted = (value: string, place: Place | undefined): string => {
  const escaped = value.replace(
    /["\\]|[^\x20-\x7e\xa1-\ud7ff\ue000-\ufefe\uff00-\ufffd\u{10000}-\u{10ffff}]/gu,
    (character) => escapes[character] ?? numericEscape(character.codePointAt(0) ?? 0),
  );
  return `"${folded(escaped, place, 1)}"`;
};

const numericEscape = (code: number): string => {
  if (code <= 0xff) return `\\x${code.toString(16).toUpperCase().padStart(2, '0')}`;
  return code <= 0xffff
    ? `\\u${code.toString(16).toUpperCase().padStart(4, '0')}`
    : `\\U${code.toString(16).toUpperCase().padStart(8, '0')}`;
};

/** Natural order: letters follow other characters, and runs of digits compare as numbers. */
const byName = (a: readonly [string, unknown], b: readonly [string, unknown]): number => {
  const [left, right] = [[...a[0]], [...b[0]]];
  const at = left.findIndex((character, index) => character !== right[index]);
  if (at < 0 || right[at] === undefined) return left.length - right.length;
  const [x, y] = [left[at] as string, right[at] as string];
  const [xLetter, yLetter] = [letter.test(x), letter.test(y)];
  if (xLetter && yLetter) return x < y ? -1 : 1;
  if (xLetter || yLetter) return yLetter ? -1 : 1;
  return compareDigits(left, right, at) || (x < y ? -1 : 1);
};

const letter = /^\p{L}$/u;
const digit = /^\p{Nd}$/u;

const compareDigits = (left: readonly string[], right: readonly string[], at: number): number => {
  const lead =
    (left[at] === '0' || right[at] === '0') &&
    left
      .slice(0, at)
      .reverse()
      .find((character) => character !== '0') !== undefined &&
    digit.test(left[at - 1] ?? '')
      ? '1'
      : '';
  const [x, y] = [digitsAt(left, at), digitsAt(right, at)];
  const difference = BigInt(`${lead}${x}` || '0') - BigInt(`${lead}${y}` || '0');
  return difference !== 0n ? (difference < 0n ? -1 : 1) : x.length - y.length;
};

const digitsAt = (characters: readonly string[], at: number): string => {
  let digits = '';
  for (let index = at; /^[0-9]$/.test(characters[index] ?? ''); index++) digits += characters[index];
  return digits;
};
