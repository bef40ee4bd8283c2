import { isMembers, NumberLiteral, type Json, type JsonMembers } from './value.js';

/**
 * Reads JSON member by member, several times slower than JSON.parse, where that loses duplicates, 64-bit integers, spellings of numbers, or place and reason
 * of an error (in the reference's words).
 */
export interface ReaderOptions {
  readonly depthMax: number;
  /** Keeps numbers with a different JavaScript spelling (`1.0`, `1e3`) as NumberLiteral. */
  readonly keepLiterals: boolean;
}

export type MemberOrder = ReadonlyMap<JsonMembers, readonly (readonly string[])[]>;

export type ReaderResult =
  | { readonly ok: true; readonly value: Json; readonly order: MemberOrder }
  | { readonly ok: false; readonly message: string };

class SyntaxFailure extends Error {}

/** No 64-bit integer is longer. */
const integerCharactersMax = 20;
const int64Min = -(2n ** 63n);
const uint64Max = 2n ** 64n - 1n;
const escapes: Readonly<Record<string, string>> = { '"': '"', '\\': '\\', '/': '/', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };
const literals: Readonly<Record<string, readonly [string, Json]>> = { t: ['true', true], f: ['false', false], n: ['null', null] };
const loneSurrogate = /\p{Surrogate}/u;
const whole = /^-?(?:0|[1-9][0-9]*)$/;

export const readJson = (text: string, options: ReaderOptions): ReaderResult => {
  const reader = new Reader(text, options);
  try {
    return { ok: true, value: reader.document(), order: reader.order };
  } catch (error) {
    if (error instanceof SyntaxFailure) return { ok: false, message: error.message };
    throw error;
  }
};

class Reader {
  readonly #text: string;
  readonly #options: ReaderOptions;
  readonly order = new Map<JsonMembers, (readonly string[])[]>();
  #position = 0;
  #depth = 0;

  constructor(text: string, options: ReaderOptions) {
    this.#text = text;
    this.#options = options;
  }

  document(): Json {
    const value = this.#value();
    this.#skipSpace();
    if (this.#position < this.#text.length) this.#fail('after top-level value');
    return value;
  }

  #value(): Json {
    this.#skipSpace();
    const character = this.#text[this.#position];
    if (character === '{') return this.#nested(() => this.#object());
    if (character === '[') return this.#nested(() => this.#array());
    if (character === '"') return this.#string();
    if (character !== undefined && (character === '-' || (character >= '0' && character <= '9'))) return this.#number();
    const literal = literals[character ?? ''];
    return literal === undefined ? this.#fail('looking for beginning of value') : this.#literal(...literal);
  }

  #nested<T>(read: () => T): T {
    this.#depth++;
    if (this.#depth > this.#options.depthMax) throw new SyntaxFailure('exceeded max depth');
    const value = read();
    this.#depth--;
    return value;
  }

  #object(): JsonMembers {
    const members: JsonMembers = {};
    const names: string[] = [];
    let repeated = false;
    this.#position++;
    for (let first = true; ; first = false) {
      this.#skipSpace();
      if (this.#text[this.#position] === '}' && first) break;
      if (this.#text[this.#position] !== '"') this.#fail('looking for beginning of object key string');
      const name = this.#string();
      this.#skipSpace();
      if (this.#text[this.#position] !== ':') this.#fail('after object key');
      this.#position++;
      const isAgain = Object.hasOwn(members, name);
      repeated ||= isAgain;
      names.push(name);
      const value = this.#value();
      setMember(members, name, isAgain ? this.#merged(members[name] as Json, value) : value);
      if (this.#endsAfterElement('}', 'after object key:value pair')) break;
    }
    this.#position++;
    if (repeated) this.order.set(members, [names]);
    return members;
  }

  /** A repeated object is decoded into the previous one, whose other members stay, as in Go. */
  #merged(before: Json, after: Json): Json {
    if (!isMembers(before) || !isMembers(after)) return after;
    const texts = this.order.get(before) ?? [Object.keys(before)];
    texts.push(...(this.order.get(after) ?? [Object.keys(after)]));
    this.order.set(before, texts);
    for (const [name, value] of Object.entries(after))
      setMember(before, name, Object.hasOwn(before, name) ? this.#merged(before[name] as Json, value) : value);
    return before;
  }

  #array(): Json[] {
    const items: Json[] = [];
    this.#position++;
    this.#skipSpace();
    if (this.#text[this.#position] === ']') {
      this.#position++;
      return items;
    }
    do items.push(this.#value());
    while (!this.#endsAfterElement(']', 'after array element'));
    this.#position++;
    return items;
  }

  /** Returns true at the closing character (not consumed), false after a comma (consumed). */
  #endsAfterElement(closing: ']' | '}', context: string): boolean {
    this.#skipSpace();
    const character = this.#text[this.#position];
    if (character === closing) return true;
    if (character !== ',') this.#fail(context);
    this.#position++;
    return false;
  }

  #literal(word: string, value: Json): Json {
    for (let index = 1; index < word.length; index++) {
      this.#position++;
      if (this.#text[this.#position] !== word[index]) this.#fail(`in literal ${word} (expecting ${quoteCharacter(word[index] ?? '')})`);
    }
    this.#position++;
    return value;
  }

  #string(): string {
    const start = ++this.#position;
    let parts = '';
    let from = start;
    for (;;) {
      const code = this.#text.charCodeAt(this.#position);
      if (code === 0x22) break;
      if (Number.isNaN(code) || code < 0x20) this.#fail('in string literal');
      if (code === 0x5c) {
        parts += this.#text.slice(from, this.#position) + this.#escape();
        from = this.#position;
      } else {
        this.#position++;
      }
    }
    const value = parts + this.#text.slice(from, this.#position++);
    return loneSurrogate.test(value) ? Buffer.from(value, 'utf8').toString('utf8') : value;
  }

  #escape(): string {
    const character = this.#text[++this.#position];
    if (character === 'u') return this.#unicodeEscape();
    const value = character === undefined ? undefined : escapes[character];
    if (value === undefined) return this.#fail('in string escape code');
    this.#position++;
    return value;
  }

  #unicodeEscape(): string {
    let code = 0;
    for (let digit = 0; digit < 4; digit++) {
      const character = this.#text[++this.#position] ?? '';
      if (!/^[0-9a-fA-F]$/.test(character)) this.#fail('in \\u hexadecimal character escape');
      code = code * 16 + Number.parseInt(character, 16);
    }
    this.#position++;
    return String.fromCharCode(code);
  }

  #number(): Json {
    const start = this.#position;
    if (this.#text[this.#position] === '-') this.#position++;
    if (this.#text[this.#position] === '0') this.#position++;
    else this.#digits('in numeric literal');
    if (this.#text[this.#position] === '.') {
      this.#position++;
      this.#digits('after decimal point in numeric literal');
    }
    if (this.#text[this.#position] === 'e' || this.#text[this.#position] === 'E') {
      this.#position++;
      if (this.#text[this.#position] === '+' || this.#text[this.#position] === '-') this.#position++;
      this.#digits('in exponent of numeric literal');
    }
    return this.#numberOf(this.#text.slice(start, this.#position));
  }

  #digits(context: string): void {
    const start = this.#position;
    for (let code = this.#text.charCodeAt(start); code >= 0x30 && code <= 0x39; code = this.#text.charCodeAt(this.#position))
      this.#position++;
    if (this.#position === start) this.#fail(context);
  }

  #numberOf(literal: string): Json {
    const value = Number(literal);
    if (String(value) === literal && (Number.isSafeInteger(value) || !Number.isInteger(value))) return value;
    if (literal.length <= integerCharactersMax && whole.test(literal) && literal !== '-0') return wholeNumber(literal, value);
    if (this.#options.keepLiterals) return new NumberLiteral(literal);
    if (!Number.isFinite(value)) throw new SyntaxFailure(`json: cannot unmarshal number ${literal} into Go value of type float64`);
    return value;
  }

  #skipSpace(): void {
    for (;;) {
      const code = this.#text.charCodeAt(this.#position);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
      this.#position++;
    }
  }

  #fail(context: string): never {
    const character = this.#text[this.#position];
    throw new SyntaxFailure(
      character === undefined ? 'unexpected end of JSON input' : `invalid character ${quoteCharacter(character)} ${context}`,
    );
  }
}

const wholeNumber = (literal: string, value: number): number | bigint => {
  if (Number.isSafeInteger(value)) return value;
  const whole = BigInt(literal);
  return whole >= int64Min && whole <= uint64Max ? whole : value;
};

/** Plain assignment to `__proto__` would set the prototype. */
const setMember = (members: JsonMembers, name: string, value: Json): void => {
  if (name === '__proto__') Object.defineProperty(members, name, { value, writable: true, enumerable: true, configurable: true });
  else members[name] = value;
};

/** The reference quotes the first byte of the offending character. */
const quoteCharacter = (character: string): string => {
  if (character === "'") return "'\\''";
  if (character === '"') return "'\"'";
  const byte = Buffer.from(character, 'utf8')[0] ?? 0;
  const escaped: Readonly<Record<number, string>> = {
    7: '\\a',
    8: '\\b',
    9: '\\t',
    10: '\\n',
    11: '\\v',
    12: '\\f',
    13: '\\r',
    92: '\\\\',
  };
  if (escaped[byte] !== undefined) return `'${escaped[byte]}'`;
  if (byte < 0x20 || byte === 0x7f) return `'\\x${byte.toString(16).padStart(2, '0')}'`;
  return byte >= 0x80 && byte < 0xa1 ? `'\\u00${byte.toString(16)}'` : `'${String.fromCharCode(byte)}'`;
};
