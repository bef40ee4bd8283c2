import { reservedWords } from '../reserved.js';
import { ParseProblems, SyntaxProblem, tokensOf, type Problem, type Token } from './tokens.js';

/** Expressions as trees. Operators have positions and messages (`Object{...}`) are known, so that errors and their places are the reference's. */
export type Expression = { readonly at: number } & (
  | { readonly kind: 'literal'; readonly type: 'bool' | 'int' | 'uint' | 'double' | 'string' | 'bytes' | 'null'; readonly text: string }
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'select'; readonly of: Expression; readonly field: string; readonly optional: boolean }
  | { readonly kind: 'index'; readonly of: Expression; readonly key: Expression; readonly optional: boolean }
  /** Operators are calls under the reference's names. */
  | { readonly kind: 'call'; readonly name: string; readonly target: Expression | null; readonly args: readonly Expression[] }
  | { readonly kind: 'list'; readonly items: readonly Expression[] }
  | { readonly kind: 'map'; readonly entries: readonly { readonly key: Expression; readonly value: Expression }[] }
  | {
      readonly kind: 'message';
      readonly name: string;
      readonly fields: readonly { readonly name: string; readonly at: number; readonly value: Expression }[];
    }
  /** A member of a list, map or message, present only if the optional has a value. */
  | { readonly kind: 'maybe'; readonly of: Expression }
);

export type Call = Extract<Expression, { kind: 'call' }>;

/** The reference's limit. */
const charactersMax = 100_000;
const depthMax = 250;
const recoveriesMax = 30;
/** The maximum height of a tree, on which recursive walks rely. */
const heightMax = 1_000;

const logical = ['||', '&&'];
const levels: readonly (readonly string[])[] = [
  ['==', '!=', '<', '<=', '>', '>=', 'in'],
  ['+', '-'],
  ['*', '/', '%'],
];
const constants: ReadonlyMap<string, 'bool' | 'null'> = new Map([
  ['true', 'bool'],
  ['false', 'bool'],
  ['null', 'null'],
]);
const operators: readonly string[] = [...logical, ...levels.flat(), '?'];
const literals = "'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER";
const startsOfValues = `{'[', '{', '(', '.', '-', '!', ${literals}}`;
const startsOfKeys = `{'[', '{', '(', '.', '-', '!', '?', ${literals}}`;
const startsOfArguments = `{'[', '{', '(', ')', '.', '-', '!', ${literals}}`;

interface Bracket {
  readonly close: string;
  readonly starts: string;
  readonly named?: true;
}
const listBracket: Bracket = { close: ']', starts: `{'[', ']', '{', '(', '.', ',', '-', '!', '?', ${literals}}` };
const mapBracket: Bracket = { close: '}', starts: `{'[', '{', '}', '(', '.', ',', '-', '!', '?', ${literals}}` };
const messageBracket: Bracket = { close: '}', starts: "{'}', ',', '?', IDENTIFIER, ESC_IDENTIFIER}", named: true };

const isSign = ({ kind, text }: Token, ...signs: readonly string[]): boolean => kind === 'sign' && signs.includes(text);

export function parse(text: string): Expression {
  if (text.length > charactersMax)
    throw new SyntaxProblem(0, `expression code point size exceeds limit: size: ${text.length}, limit ${charactersMax}`);
  const { tokens, problems } = tokensOf(text);
  return new Parser(tokens, problems).whole();
}

/** Returns `a.b.c` as text; null for anything else. */
export function dottedName(expression: Expression): string | null {
  if (expression.kind === 'name') return expression.name;
  if (expression.kind !== 'select' || expression.optional) return null;
  const before = dottedName(expression.of);
  return before === null ? null : `${before}.${expression.field}`;
}

class Parser {
  readonly #tokens: readonly Token[];
  #position = 0;
  #depth = 0;
  #open = 0;
  #recoveries = 0;
  /** Signs of the innermost bracket. */
  #ends: readonly string[] = [];
  #starts = startsOfValues;
  #mismatch = 'mismatched';
  /** Problems that do not end parsing, such as reserved words as names. */
  readonly #refused: Problem[];
  readonly #heights = new WeakMap<Expression, number>();

  constructor(tokens: readonly Token[], problems: readonly Problem[]) {
    this.#tokens = tokens;
    this.#refused = [...problems];
  }

  whole(): Expression {
    try {
      const expression = this.#toEnd();
      if (this.#refused.length === 0) return expression;
    } catch (error) {
      if (!(error instanceof SyntaxProblem)) throw error;
      this.#refused.push(...error.problems);
    }
    throw new ParseProblems(this.#refused.toSorted((one, other) => one.at - other.at));
  }

  #toEnd(): Expression {
    const expression = this.#expression();
    if (this.#next.kind === 'end') return expression;
    // The grammar skips a token if the one after it is expected.
    if (this.#after.kind !== 'end') this.#fail(`mismatched input '${this.#next.text}' expecting <EOF>`);
    this.#leaveOut('<EOF>');
    return expression;
  }

  get #next(): Token {
    return this.#tokens[this.#position] ?? { kind: 'end', text: '<EOF>', at: 0 };
  }

  #fail(message: string): never {
    throw new SyntaxProblem(this.#next.at, message);
  }

  #refuse(message: string): void {
    this.#refused.push({ at: this.#next.at, message: `Syntax error: ${message}` });
  }

  #within<T>(ends: readonly string[], read: () => T): T {
    const outside = this.#ends;
    this.#ends = ends;
    this.#open += 1;
    const found = read();
    this.#ends = outside;
    return found;
  }

  #is(text: string): boolean {
    return this.#next.text === text && (this.#next.kind === 'sign' || this.#next.kind === 'name');
  }

  #take(): Token {
    const token = this.#next;
    if (token.kind !== 'end') this.#position += 1;
    return token;
  }

  #skip(text: string): boolean {
    const there = this.#is(text);
    if (there) this.#position += 1;
    return there;
  }

  get #after(): Token {
    return this.#tokens[this.#position + 1] ?? this.#next;
  }

  /** Skips a token if the one after it is expected, like the grammar. */
  #leaveOut(expected: string): void {
    const { at, text } = this.#take();
    this.#refused.push({ at, message: `Syntax error: extraneous input '${text}' expecting ${expected}` });
  }

  #expect(text: string): Token {
    if (!this.#is(text) && this.#after.text === text && this.#after.kind === 'sign') this.#leaveOut(`'${text}'`);
    if (this.#is(text)) return this.#take();
    if (text === ':' && this.#beginsValue(this.#next)) return this.#asIfColon();
    return this.#fail(`mismatched input '${this.#next.text}' expecting '${text}'`);
  }

  #asIfColon(): Token {
    const { at, text } = this.#next;
    this.#refused.push({ at, message: `Syntax error: missing ':' at '${text}'` });
    return { kind: 'sign', text: ':', at };
  }

  /** Reports a missing operand, and goes on like the grammar. */
  #recover(message: string): Expression {
    const { at } = this.#next;
    if (![...operators, ...this.#ends].some((sign) => this.#is(sign))) this.#fail(message);
    this.#refuse(message);
    if (++this.#recoveries > recoveriesMax) this.#fail(`error recovery attempt limit exceeded: ${recoveriesMax}`);
    return { kind: 'literal', type: 'null', text: 'null', at };
  }

  #settle(fits: (token: Token) => boolean, expected: string): void {
    if (fits(this.#next)) return;
    if (this.#next.kind === 'end' || !fits(this.#after)) this.#fail(`mismatched input '${this.#next.text}' expecting ${expected}`);
    this.#leaveOut(expected);
  }

  /** Closes a bracket. At the end of the text the grammar goes on as if it were closed, unless more are open. */
  #close(text: string): void {
    if (this.#next.kind === 'end' && this.#open === 1) this.#fail(`missing '${text}' at '<EOF>'`);
    this.#expect(text);
    this.#open -= 1;
  }

  /** Tracks the height of the tree. */
  #made(expression: Expression, parts: readonly Expression[]): Expression {
    const height = 1 + parts.reduce((most, part) => Math.max(most, this.#heights.get(part) ?? 0), 0);
    if (height > heightMax) throw new SyntaxProblem(expression.at, `expression recursion limit exceeded: ${heightMax}`);
    this.#heights.set(expression, height);
    return expression;
  }

  #operator(name: string, at: number, args: readonly Expression[]): Expression {
    return this.#made({ kind: 'call', name, target: null, args, at }, args);
  }

  #expression(): Expression {
    if (++this.#depth > depthMax) this.#fail(`expression recursion limit exceeded: ${depthMax}`);
    const condition = this.#logical(0);
    const at = this.#next.at;
    const whole = this.#skip('?') ? this.#choice(condition, at) : condition;
    this.#depth -= 1;
    return whole;
  }

  #choice(condition: Expression, at: number): Expression {
    const yes = this.#logical(0);
    this.#expect(':');
    return this.#operator('_?_:_', at, [condition, yes, this.#expression()]);
  }

  /** Chains of these are long in practice, and stay flat. */
  #logical(level: number): Expression {
    const sign = logical[level];
    if (sign === undefined) return this.#binary(0);
    const terms = [this.#logical(level + 1)];
    const { at } = this.#next;
    while (this.#skip(sign)) terms.push(this.#logical(level + 1));
    return terms.length === 1 && terms[0] !== undefined ? terms[0] : this.#operator(`_${sign}_`, at, terms);
  }

  #binary(level: number): Expression {
    const signs = levels[level];
    if (signs === undefined) return this.#unary();
    let left = this.#binary(level + 1);
    while (signs.some((sign) => this.#is(sign))) {
      const sign = this.#take();
      left = this.#operator(sign.text === 'in' ? '@in' : `_${sign.text}_`, sign.at, [left, this.#binary(level + 1)]);
    }
    return left;
  }

  #unary(): Expression {
    const { at } = this.#next;
    const sign = this.#isNegative() ? undefined : ['!', '-'].find((one) => this.#is(one));
    if (sign === undefined) return this.#postfix();
    let count = 0;
    let last = at;
    for (; this.#is(sign); count += 1) last = this.#take().at;
    if (sign === '!') this.#mismatch = 'extraneous';
    else if (!this.#beginsValue(this.#next)) this.#refuse(this.#noAlternative('-', last));
    const operand = this.#postfix();
    // Two in a row cancel out before any check.
    return count % 2 === 1 ? this.#operator(`${sign}_`, at, [operand]) : operand;
  }

  /** A sign before a number is part of it. */
  #isNegative(): boolean {
    const { kind } = this.#tokens[this.#position + 1] ?? this.#next;
    return this.#is('-') && (kind === 'int' || kind === 'double');
  }

  #postfix(): Expression {
    let expression = this.#primary();
    for (;;) {
      const { at } = this.#next;
      if (this.#skip('.')) expression = this.#member(expression, at);
      else if (this.#skip('[')) {
        const optional = this.#skip('?');
        if (!optional) this.#starts = startsOfKeys;
        const key = this.#within([']'], () => this.#expression());
        expression = this.#made({ kind: 'index', of: expression, optional, key, at }, [expression, key]);
        this.#close(']');
      } else if (this.#is('{') && dottedName(expression) !== null) expression = this.#message(dottedName(expression) ?? '', at);
      else return expression;
    }
  }

  #member(of: Expression, at: number): Expression {
    const optional = this.#skip('?');
    if (this.#next.kind !== 'name' || constants.has(this.#next.text) || this.#next.text === 'in') {
      this.#recover(
        constants.has(this.#next.text)
          ? `mismatched input '${this.#next.text}' expecting IDENTIFIER`
          : this.#noAlternative(optional ? '.?' : '.', at),
      );
      return of;
    }
    const { text: field, at: place } = this.#take();
    if (field.startsWith('`')) this.#refused.push({ at: place, message: "unsupported syntax: '`'" });
    const open = this.#next.at;
    if (!optional && this.#skip('(')) {
      const args = this.#arguments();
      return this.#made({ kind: 'call', name: field, target: of, args, at: open }, [of, ...args]);
    }
    return this.#made({ kind: 'select', of, field, optional, at }, [of]);
  }

  #noAlternative(sign: string, at: number): string {
    const { kind, text, at: end } = this.#next;
    return `no viable alternative at input '${sign}${kind === 'end' ? '' : ' '.repeat(end - at - sign.length) + text}'`;
  }

  #afterPoint(at: number): Expression {
    if (this.#is('in')) return this.#recover(this.#noAlternative('.', at));
    if (this.#next.kind !== 'name' || !this.#beginsValue(this.#next)) this.#fail(this.#noAlternative('.', at));
    if (constants.has(this.#next.text)) this.#fail(`mismatched input '${this.#next.text}' expecting IDENTIFIER`);
    return this.#named();
  }

  #primary(): Expression {
    const { at } = this.#next;
    const [starts, mismatch] = [this.#starts, this.#mismatch];
    [this.#starts, this.#mismatch] = [startsOfValues, 'mismatched'];
    if (this.#skip('(')) {
      const inner = this.#within([')'], () => this.#expression());
      this.#close(')');
      return inner;
    }
    if (this.#skip('[')) {
      const items = this.#until(listBracket, () => (this.#skip('?') ? this.#maybe(this.#expression()) : this.#expression()));
      return this.#made({ kind: 'list', items, at }, items);
    }
    if (this.#skip('{')) {
      const entries = this.#until(mapBracket, () => this.#entry());
      return this.#made(
        { kind: 'map', entries, at },
        entries.flatMap(({ key, value }) => [key, value]),
      );
    }
    if (this.#skip('.')) return this.#afterPoint(at);
    if (this.#next.kind === 'name' && this.#beginsValue(this.#next)) return this.#named();
    const sign = this.#isNegative() ? this.#take().text : '';
    if (['int', 'uint', 'double', 'string', 'bytes'].includes(this.#next.kind)) {
      const { kind, text: written } = this.#take();
      return { kind: 'literal', type: kind as 'int', text: sign + written, at };
    }
    if (!this.#beginsValue(this.#after) || this.#next.kind === 'end')
      return this.#recover(`${mismatch} input '${this.#next.text}' expecting ${starts}`);
    this.#leaveOut(starts);
    return this.#primary();
  }

  #named(): Expression {
    const { text, at } = this.#take();
    const constant = constants.get(text);
    if (constant !== undefined) return { kind: 'literal', type: constant, text, at };
    if (reservedWords.has(text)) this.#refused.push({ at, message: `reserved identifier: ${text}` });
    const open = this.#next.at;
    return this.#skip('(') ? this.#operator(text, open, this.#arguments()) : { kind: 'name', name: text, at };
  }

  #message(name: string, at: number): Expression {
    this.#expect('{');
    const fields = this.#until(messageBracket, () => {
      const optional = this.#skip('?');
      if (this.#next.kind !== 'name') this.#fail(`mismatched input '${this.#next.text}' expecting ${messageBracket.starts}`);
      const field = this.#take();
      const colon = this.#expect(':');
      const value = this.#expression();
      return { name: field.text.replaceAll('`', ''), at: colon.at, value: optional ? this.#maybe(value) : value };
    });
    return this.#made(
      { kind: 'message', name, fields, at },
      fields.map(({ value }) => value),
    );
  }

  #entry(): { key: Expression; value: Expression } {
    const optional = this.#skip('?');
    const key = this.#expression();
    this.#expect(':');
    const value = this.#expression();
    return { key, value: optional ? this.#maybe(value) : value };
  }

  #maybe(of: Expression): Expression {
    return this.#made({ kind: 'maybe', of, at: of.at }, [of]);
  }

  #beginsValue({ kind, text }: Token): boolean {
    if (kind === 'sign') return ['[', '{', '(', '.', '-', '!'].includes(text);
    return kind !== 'end' && (kind !== 'name' || (text !== 'in' && !text.startsWith('`')));
  }

  /** Arguments of a call, after which no comma stands. */
  #arguments(): Expression[] {
    const found = this.#within([',', ')'], () => {
      const args: Expression[] = [];
      this.#settle((token) => this.#beginsValue(token) || isSign(token, ')'), startsOfArguments);
      if (this.#is(')')) return args;
      do args.push(this.#expression());
      while (this.#skip(','));
      return args;
    });
    this.#close(')');
    return found;
  }

  /** Reads a list up to a closing sign. A comma may be last, or alone. */
  #until<T>({ close, starts, named }: Bracket, read: () => T): T[] {
    const begins = (token: Token): boolean => isSign(token, '?') || (named ? token.kind === 'name' : this.#beginsValue(token));
    const found = this.#within([',', close], () => {
      const members: T[] = [];
      this.#settle((token) => begins(token) || isSign(token, close, ','), starts);
      if (!begins(this.#next)) return members;
      do members.push(read());
      while (this.#is(',') && begins(this.#after) && this.#skip(','));
      this.#settle((token) => isSign(token, close, ','), `{'${close}', ','}`);
      return members;
    });
    this.#skip(',');
    this.#close(close);
    return found;
  }
}
