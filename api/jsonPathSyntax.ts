/**
 * The syntax of JSONPath templates, as `kubectl -o jsonpath` reads them, and the reference's words for what is wrong. `parseJsonPath` reads the paths of
 * table columns, which are fewer.
 */
export const jsonPathProblem = (template: string): string | null => new Template(template).problem();

const dictionaryKey = /^'([^']*)'$/;
const slice = /^(-?\d*)(:-?\d*)?(:-?\d*)?$/;
const comparison = /^([^!<>=]+)([!<>=]+)(.+?)$/;
const number = /^[+-]?(?:\d+\.?\d*|\.\d+)$/;
const wordStart = /^[\p{L}\p{Nd}_]/u;
const escapes = /^(?:[^\\]|\\(?:[abfnrtv\\]|x[\da-f]{2}|[0-3][0-7]{2}|u[\da-f]{4}|U00(?:0[\da-f]|10)[\da-f]{4}|QUOTE))*$/i;

class Template {
  readonly #text: readonly string[];
  #at = 0;

  constructor(text: string) {
    this.#text = [...text];
  }

  problem(): string | null {
    for (;;) {
      const start = this.#text.indexOf('{', this.#at);
      if (start < 0) return null;
      this.#at = start + 1;
      const problem = this.#action();
      if (problem !== null) return problem;
    }
  }

  /** Reads what stands in braces. */
  #action(): string | null {
    let afterDescent = false;
    while (!this.#take('}')) {
      if (this.#take('..')) {
        if (afterDescent) return 'invalid multiple recursive descent';
        afterDescent = !wordStart.test(this.#text[this.#at] ?? '');
        if (!afterDescent) this.#word();
        continue;
      }
      const character = this.#text[this.#at++];
      if (character === undefined || character === '\n' || character === '\r') return 'unclosed action';
      if (' @$'.includes(character)) continue;
      const problem = this.#part(character);
      if (problem !== null) return problem;
      afterDescent = false;
    }
    return null;
  }

  /** Reads one part; returns what is wrong with it. */
  #part(character: string): string | null {
    if (character === '[') return this.#take('?(') ? this.#filter() : this.#array();
    if (character === '"' || character === "'") return this.#quoted(character);
    if (/[-+\d]/.test(character)) return this.#number(character);
    if (character === '.' || wordStart.test(character)) return this.#word(character === '.' ? undefined : '');
    return `unrecognized character in action: ${codePoint(character)}`;
  }

  #take(word: string): boolean {
    const is = [...word].every((character, position) => this.#text[this.#at + position] === character);
    if (is) this.#at += word.length;
    return is;
  }

  /** Up to the next character that ends a name. A backslash takes that meaning away, except in words of the language. */
  #word(escape = '\\'): null {
    while (this.#at < this.#text.length && !/[ \t\r\n.,[\]$@{}]/.test(this.#text[this.#at] ?? ''))
      this.#at += this.#text[this.#at] === escape ? 2 : 1;
    return null;
  }

  #number(first: string): string | null {
    const from = this.#at;
    while (/[.\d]/.test(this.#text[this.#at] ?? '')) this.#at++;
    const value = first + this.#text.slice(from, this.#at).join('');
    return number.test(value) ? null : `cannot parse number ${value}`;
  }

  #quoted(quote: string): string | null {
    const from = this.#at;
    for (; this.#text[this.#at] !== quote || this.#text[this.#at - 1] === '\\'; this.#at++)
      if (this.#at >= this.#text.length || this.#text[this.#at] === '\n') return 'unterminated quoted string';
    const content = this.#text.slice(from, this.#at++).join('');
    const allowed = new RegExp(escapes.source.replace('QUOTE', quote));
    return allowed.test(content) ? null : `unquote string ${quote}${content}${quote} error invalid syntax`;
  }

  #array(): string | null {
    const from = this.#at;
    while (this.#text[this.#at] !== ']') if (this.#at >= this.#text.length || this.#text[this.#at++] === '\n') return 'unterminated array';
    const content = this.#text.slice(from, this.#at++).join('');
    const parts = content.split(',');
    if (parts.length > 1) return firstProblem(parts.map((part) => `[${part.replace(/^ +| +$/g, '')}]`));
    const key = dictionaryKey.exec(content)?.[1];
    if (key !== undefined) return firstProblem([`.${key}`]);
    const bounds = slice.exec(content === '*' ? ':' : content);
    if (bounds === null) return `invalid array index ${content}`;
    const wrong = bounds
      .slice(1)
      .map((bound = '') => bound.replace(':', ''))
      .find((bound) => bound === '-' || !fitsInteger(bound));
    return wrong === undefined ? null : `array index ${wrong} is not a number`;
  }

  #filter(): string | null {
    const from = this.#at;
    let [quote, closed] = ['', false];
    for (; this.#text[this.#at] !== ')' || (quote !== '') !== closed; this.#at++) {
      const character = this.#text[this.#at];
      if (character === undefined || character === '\n') return 'unterminated filter';
      if (quote === '' && /["']/.test(character)) quote = character;
      else if (character === quote && this.#text[this.#at - 1] !== '\\') closed = true;
    }
    const content = this.#text.slice(from, this.#at++).join('');
    if (this.#text[this.#at++] !== ']') return 'unclosed array expect ]';
    const [, left = content, , right = ''] = comparison.exec(content) ?? [];
    return firstProblem(right === '' ? [left] : [left, right]);
  }
}

const firstProblem = (actions: readonly string[]): string | null => {
  for (const action of actions) {
    const problem = jsonPathProblem(`{${action}}`);
    if (problem !== null) return problem;
  }
  return null;
};

const fitsInteger = (text: string): boolean => text === '' || BigInt.asIntN(64, BigInt(text)) === BigInt(text);

/** Go's `%#U`: characters that do not print have their number alone. */
const codePoint = (character: string): string => {
  const code = `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
  return /^[\p{L}\p{M}\p{N}\p{P}\p{S}]$/u.test(character) ? `${code} '${character}'` : code;
};
