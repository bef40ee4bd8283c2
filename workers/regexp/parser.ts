import { CharSet, perlClasses, posix, propertySource, range, type ClassItem } from './charset.js';
import { PatternError, type Assertion, type Node, type ParsedPattern } from './syntax.js';

/** Reads RE2 syntax, with the refusals and messages of the Go library. */

const repeatMax = 1_000;
const depthMax = 1_000;
const escapedControl: Readonly<Record<string, number>> = { a: 7, f: 12, n: 10, r: 13, t: 9, v: 11 };
const outside: Readonly<Record<string, Assertion>> = { A: 'textStart', z: 'textEnd', b: 'wordBoundary', B: 'noWordBoundary' };
const unicodeMax = 0x10ffff;
const captureName = /^[\p{L}\p{Nd}_]+$/u;

interface Flags {
  readonly foldCase: boolean;
  readonly multiLine: boolean;
  readonly dotAll: boolean;
  readonly ungreedy: boolean;
}
type Letter = 'i' | 'm' | 's' | 'U';
const flag: Readonly<Record<Letter, keyof Flags>> = { i: 'foldCase', m: 'multiLine', s: 'dotAll', U: 'ungreedy' };
const noFlags: Flags = { foldCase: false, multiLine: false, dotAll: false, ungreedy: false };

export const parsePattern = (pattern: string): ParsedPattern => new Parser(pattern).pattern();

const fail = (what: string, excerpt: string): never => {
  throw new PatternError(`${what}: \`${excerpt}\``);
};

class Parser {
  readonly #source: string;
  readonly #text: readonly string[];
  #at = 0;
  #depth = 0;
  #flags = noFlags;
  readonly #groups: (string | null)[] = [null];

  constructor(source: string) {
    this.#source = source;
    this.#text = [...source];
  }

  pattern(): ParsedPattern {
    const root = this.#choice();
    if (this.#at < this.#text.length) fail('unexpected )', this.#source);
    return { root, groups: this.#groups };
  }

  #peek(offset = 0): string {
    return this.#text[this.#at + offset] ?? '';
  }
  #excerpt(from: number, to = this.#at): string {
    return this.#text.slice(from, to).join('');
  }

  #choice(): Node {
    if (++this.#depth > depthMax) fail('expression nests too deeply', this.#source);
    const outer = this.#flags;
    const parts = [this.#sequence()];
    while (this.#peek() === '|') {
      this.#at++;
      parts.push(this.#sequence());
    }
    this.#flags = outer;
    this.#depth--;
    return parts.length === 1 ? (parts[0] as Node) : { is: 'choice', parts };
  }

  #sequence(): Node {
    const parts: Node[] = [];
    let lastRepeat = -1;
    while (this.#at < this.#text.length && this.#peek() !== '|' && this.#peek() !== ')') {
      const from = this.#at;
      const count = this.#repeatCount();
      if (count === null) {
        this.#element(parts);
        lastRepeat = -1;
        continue;
      }
      const greedy = this.#greedy();
      if (parts.length === 0) fail('missing argument to repetition operator', this.#excerpt(from));
      if (lastRepeat >= 0) fail('invalid nested repetition operator', this.#excerpt(lastRepeat));
      const node: Node = { is: 'repeat', body: parts.pop() as Node, min: count[0], max: count[1], greedy };
      if (this.#text[from] === '{' && repeats(node) > repeatMax) fail('invalid repeat count', this.#excerpt(from));
      parts.push(node);
      lastRepeat = from;
    }
    return parts.length === 1 ? (parts[0] as Node) : parts.length === 0 ? { is: 'empty' } : { is: 'sequence', parts };
  }

  #greedy(): boolean {
    const lazy = this.#peek() === '?';
    if (lazy) this.#at++;
    return lazy === this.#flags.ungreedy;
  }

  /** A malformed one is plain text. */
  #repeatCount(): readonly [min: number, max: number] | null {
    const character = this.#peek();
    const simple =
      character === '*'
        ? ([0, Infinity] as const)
        : character === '+'
          ? ([1, Infinity] as const)
          : character === '?'
            ? ([0, 1] as const)
            : null;
    if (simple !== null) {
      this.#at++;
      return simple;
    }
    if (character !== '{') return null;
    const found = /^\{(0|[1-9]\d*)(,(0|[1-9]\d*)?)?\}/.exec(this.#text.slice(this.#at, this.#at + 32).join(''));
    if (found === null) return null;
    const from = this.#at;
    this.#at += found[0].length;
    const min = Number(found[1]);
    const max = found[2] === undefined ? min : found[3] === undefined ? Infinity : Number(found[3]);
    if (min > repeatMax || (max !== Infinity && (max > repeatMax || max < min))) fail('invalid repeat count', this.#excerpt(from));
    return [min, max];
  }

  #element(parts: Node[]): void {
    const character = this.#peek();
    if (character === '(') this.#group(parts);
    else if (character === '[') parts.push(this.#characterClass());
    else if (character === '\\') this.#escape(parts);
    else {
      this.#at++;
      parts.push(this.#single(character));
    }
  }

  #single(character: string): Node {
    if (character === '^') return { is: 'assert', what: this.#flags.multiLine ? 'lineStart' : 'textStart' };
    if (character === '$') return { is: 'assert', what: this.#flags.multiLine ? 'lineEnd' : 'textEnd' };
    if (character === '.') return this.#set(this.#flags.dotAll ? [] : [range(10, 10)], true);
    return this.#literal(character.codePointAt(0) ?? 0);
  }

  #set(items: readonly ClassItem[], negated = false): Node {
    return { is: 'set', set: new CharSet(items, negated, this.#flags.foldCase) };
  }

  #literal(code: number): Node {
    return this.#set([range(code, code)]);
  }

  #group(parts: Node[]): void {
    if (this.#peek(1) === '?') return this.#specialGroup(parts);
    this.#at++;
    parts.push(this.#capture(null));
  }

  #capture(name: string | null): Node {
    const group = this.#groups.push(name) - 1;
    return { is: 'group', group, body: this.#body() };
  }

  #body(): Node {
    const body = this.#choice();
    if (this.#peek() !== ')') fail('missing closing )', this.#source);
    this.#at++;
    return body;
  }

  #specialGroup(parts: Node[]): void {
    const from = this.#at;
    const named =
      this.#peek(2) === 'P' && this.#peek(3) === '<' ? 4 : this.#peek(2) === '<' && this.#peek(3) !== '=' && this.#peek(3) !== '!' ? 3 : 0;
    if (named === 0) return this.#flagGroup(parts);
    const end = this.#text.indexOf('>', from);
    if (end < 0) fail('invalid named capture', this.#excerpt(from, this.#text.length));
    const name = this.#excerpt(from + named, end);
    this.#at = end + 1;
    if (!captureName.test(name)) fail('invalid named capture', this.#excerpt(from));
    if (this.#groups.includes(name)) fail('duplicate capture group name', name);
    parts.push(this.#capture(name));
  }

  /** `(?i)` holds until its enclosing group ends, `(?i:...)` for its own group. */
  #flagGroup(parts: Node[]): void {
    const from = this.#at;
    const outer = this.#flags;
    let [value, given] = [true, false];
    for (this.#at += 2; ; this.#at++) {
      const letter = this.#peek();
      if (letter in flag) {
        this.#flags = { ...this.#flags, [flag[letter as Letter]]: value };
        given = true;
      } else if (letter === '-' && value) [value, given] = [false, false];
      else if ((letter === ':' || letter === ')') && (value || given)) break;
      else if (letter === '') fail('missing closing )', this.#source);
      else fail('invalid or unsupported Perl syntax', this.#excerpt(from, this.#at + (letter === '<' ? 2 : 1)));
    }
    const isGroup = this.#peek() === ':';
    this.#at++;
    if (!isGroup) return;
    parts.push(this.#body());
    this.#flags = outer;
  }

  #escape(parts: Node[]): void {
    const letter = this.#peek(1);
    const assertion = outside[letter];
    if (letter === 'Q') return this.#quoted(parts);
    if (assertion !== undefined) {
      this.#at += 2;
      parts.push({ is: 'assert', what: assertion });
      return;
    }
    const item = this.#classEscape();
    parts.push(item === null ? this.#literal(this.#escapedCode()) : this.#set([item]));
  }

  #quoted(parts: Node[]): void {
    for (this.#at += 2; this.#at < this.#text.length; this.#at++) {
      if (this.#peek() === '\\' && this.#peek(1) === 'E') {
        this.#at += 2;
        return;
      }
      parts.push(this.#literal(this.#peek().codePointAt(0) ?? 0));
    }
  }

  #classEscape(): ClassItem | null {
    const letter = this.#peek(1);
    const perl = Object.hasOwn(perlClasses, letter.toLowerCase()) ? perlClasses[letter.toLowerCase()] : undefined;
    if (perl !== undefined) {
      this.#at += 2;
      return { source: perl, negated: letter !== letter.toLowerCase() };
    }
    return letter === 'p' || letter === 'P' ? this.#property(letter === 'P') : null;
  }

  #property(opposite: boolean): ClassItem {
    const from = this.#at;
    const braced = this.#peek(2) === '{';
    const end = braced ? this.#text.indexOf('}', this.#at) : this.#at + 2;
    if (end < 0 || end >= this.#text.length) fail('invalid character class range', this.#excerpt(from, this.#text.length));
    const name = this.#excerpt(braced ? from + 3 : from + 2, braced ? end : end + 1);
    this.#at = end + 1;
    const caret = name.startsWith('^');
    const source = propertySource(caret ? name.slice(1) : name);
    return source === null ? fail('invalid character class range', this.#excerpt(from)) : { source, negated: opposite !== caret };
  }

  #escapedCode(): number {
    const from = this.#at;
    const letter = this.#peek(1);
    this.#at += 2;
    if (letter === '') fail('trailing backslash at end of expression', '');
    if (letter >= '0' && letter <= '7') return this.#octal(letter, from);
    if (letter === 'x') return this.#hexadecimal(from);
    const control = escapedControl[letter];
    if (control !== undefined) return control;
    const code = letter.codePointAt(0) ?? 0;
    return code < 128 && !/[0-9A-Za-z]/.test(letter) ? code : fail('invalid escape sequence', this.#excerpt(from));
  }

  /** A single nonzero digit would be a back reference. */
  #octal(first: string, from: number): number {
    const isOctal = (character: string): boolean => character >= '0' && character <= '7' && character.length === 1;
    if (first !== '0' && !isOctal(this.#peek())) fail('invalid escape sequence', this.#excerpt(from));
    let value = Number(first);
    for (let digits = 1; digits < 3 && isOctal(this.#peek()); digits++) value = value * 8 + Number(this.#text[this.#at++]);
    return value;
  }

  #hexadecimal(from: number): number {
    const found = /^(?:\{([0-9A-Fa-f]+)\}|([0-9A-Fa-f]{2}))/.exec(this.#text.slice(this.#at, this.#at + 16).join(''));
    if (found === null) return fail('invalid escape sequence', this.#excerpt(from, Math.min(this.#at + 1, this.#text.length)));
    this.#at += found[0].length;
    const value = Number.parseInt(found[1] ?? found[2] ?? '', 16);
    return value <= unicodeMax ? value : fail('invalid escape sequence', this.#excerpt(from));
  }

  #characterClass(): Node {
    const from = this.#at++;
    const negated = this.#peek() === '^';
    if (negated) this.#at++;
    const items: ClassItem[] = [];
    for (let first = true; this.#peek() !== ']' || first; first = false) {
      if (this.#at >= this.#text.length) fail('missing closing ]', this.#excerpt(from));
      items.push(this.#posix() ?? (this.#peek() === '\\' ? this.#classEscape() : null) ?? this.#classRange(from));
    }
    this.#at++;
    return this.#set(items, negated);
  }

  #posix(): ClassItem | null {
    if (this.#peek() !== '[' || this.#peek(1) !== ':') return null;
    const found = /^\[:(\^?)([^:\]]*):\]/.exec(this.#text.slice(this.#at, this.#at + 32).join(''));
    if (found === null) return null;
    const source = Object.hasOwn(posix, found[2] ?? '') ? posix[found[2] ?? ''] : undefined;
    if (source === undefined) return fail('invalid character class range', found[0]);
    this.#at += found[0].length;
    return { source, negated: found[1] === '^' };
  }

  #classRange(classFrom: number): ClassItem {
    const from = this.#at;
    const low = this.#classCharacter(classFrom);
    if (this.#peek() !== '-' || this.#peek(1) === ']' || this.#peek(1) === '') return range(low, low);
    this.#at++;
    const high = this.#classCharacter(classFrom);
    return high < low ? fail('invalid character class range', this.#excerpt(from)) : range(low, high);
  }

  #classCharacter(classFrom: number): number {
    if (this.#at >= this.#text.length) fail('missing closing ]', this.#excerpt(classFrom));
    return this.#peek() === '\\' ? this.#escapedCode() : (this.#text[this.#at++]?.codePointAt(0) ?? 0);
  }
}

/** The product of nested counts; unbounded ones count by their minimum. */
function repeats(node: Node): number {
  switch (node.is) {
    case 'group':
      return repeats(node.body);
    case 'sequence':
    case 'choice':
      return Math.max(1, ...node.parts.map(repeats));
    case 'repeat': {
      const count = node.max === Infinity ? node.min : node.max;
      return Math.max(1, count) * repeats(node.body);
    }
    default:
      return 1;
  }
}
