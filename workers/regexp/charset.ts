/** Tests membership beyond ASCII by a native class on one character, in constant time. */

/** The text within the brackets of a class with the flag `u`. */
export interface ClassItem {
  readonly source: string;
  readonly negated: boolean;
}

const ascii = 128;
const yes = 1;
const no = 2;

export class CharSet {
  readonly #negated: boolean;

  readonly #ascii = new Uint8Array(ascii);
  readonly #tests: readonly { readonly test: RegExp; readonly negated: boolean }[];

  constructor(items: readonly ClassItem[], negated: boolean, foldCase: boolean) {
    this.#negated = negated;
    this.#tests = items.map(({ source, negated: without }) => ({
      test: new RegExp(`^[${source}]$`, foldCase ? 'iu' : 'u'),
      negated: without,
    }));
  }

  has(code: number): boolean {
    if (code >= ascii) return this.#compute(code);
    return (this.#ascii[code] ||= this.#compute(code) ? yes : no) === yes;
  }

  #compute(code: number): boolean {
    const character = String.fromCodePoint(code);
    return this.#negated !== this.#tests.some(({ test, negated }) => negated !== test.test(character));
  }
}

const hex = (code: number): string => `\\u{${code.toString(16)}}`;
/** An escape of a surrogate would join the next. */
const rangeSource = (low: number, high: number): string => (low === high ? hex(low) : `${hex(low)}-${hex(high)}`);

export const range = (low: number, high: number): ClassItem => ({ source: rangeSource(low, high), negated: false });

/** `\d` and its like are ASCII, whatever Unicode says. */
export const perlClasses: Readonly<Record<string, string>> = { d: '0-9', s: '\\t\\n\\f\\r ', w: '0-9A-Za-z_' };

export const posix: Readonly<Record<string, string>> = {
  alnum: '0-9A-Za-z',
  alpha: 'A-Za-z',
  ascii: '\\u{0}-\\u{7f}',
  blank: '\\t ',
  cntrl: '\\u{0}-\\u{1f}\\u{7f}',
  digit: '0-9',
  graph: '!-~',
  lower: 'a-z',
  print: ' -~',
  punct: '!-\\/:-@\\[-`\\{-~',
  space: '\\t\\n\\v\\f\\r ',
  upper: 'A-Z',
  word: '0-9A-Za-z_',
  xdigit: '0-9A-Fa-f',
};

/** Null if no category or script has the name. */
export function propertySource(name: string): string | null {
  if (!/^[A-Za-z_]+$/.test(name)) return null;
  if (name === 'Any') return '\\u{0}-\\u{10ffff}';
  for (const source of [`\\p{gc=${name}}`, `\\p{sc=${name}}`]) {
    try {
      new RegExp(source, 'u');
      return source;
    } catch {}
  }
  return null;
}
