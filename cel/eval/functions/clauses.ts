/** A clause in the text of a `format`, such as `%s` or `%.2f`. */

export interface Clause {
  readonly before: string;
  readonly letter: string;
  readonly precision: number | null;
  /** An unknown letter is not checked here. */
  readonly wrong: string | null;
}

const intMax = 2n ** 63n - 1n;
const clause = /%(?:(\.)(\d*))?(.?)/suy;
const unparsed = 'could not parse formatting clause';
export const unrecognized = (letter: string): string => `${unparsed}: unrecognized formatting clause "${letter}"`;

/** The last item has no letter, only the remaining text. */
export function* clausesOf(text: string): Generator<Clause> {
  let before = '';
  let at = 0;
  for (let next = text.indexOf('%'); next >= 0; next = text.indexOf('%', at)) {
    before += text.slice(at, next);
    clause.lastIndex = next;
    const [whole = '%', point, digits = '', letter = ''] = clause.exec(text) ?? [];
    at = next + whole.length;
    if (whole === '%%') {
      before += '%';
      continue;
    }
    const wrong = letter === '' && point === undefined ? 'unexpected end of string' : wrongPrecision(point, digits, letter);
    yield { before, letter, precision: point === undefined ? null : Number(digits), wrong };
    before = '';
  }
  yield { before: before + text.slice(at), letter: '', precision: null, wrong: null };
}

function wrongPrecision(point: string | undefined, digits: string, letter: string): string | null {
  if (point === undefined) return null;
  const precision = `${unparsed}: error while parsing precision`;
  if (letter === '') return `${precision}: could not find end of precision specifier`;
  if (digits === '') return `${precision}: error while converting precision to integer: strconv.Atoi: parsing "": invalid syntax`;
  return BigInt(digits) > intMax
    ? `${precision}: error while converting precision to integer: strconv.Atoi: parsing ${JSON.stringify(digits)}: value out of range`
    : null;
}

/** The types that each clause prints, as messages list them. */
export const printable = {
  s: 'string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps',
  d: 'decimal clause can only be used on integers',
  f: 'fixed-point clause can only be used on doubles',
  e: 'scientific clause can only be used on doubles',
  b: 'only integers and bools can be formatted as binary',
  o: 'octal clause can only be used on integers',
  x: 'only integers, byte buffers, and strings can be formatted as hex',
} as const;

export const unprintable = (what: string, type: string): string => `error during formatting: ${what}, was given ${type}`;
