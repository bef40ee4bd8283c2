/** `at` counts UTF-16 units from the start. */
export interface Token {
  readonly kind: 'name' | 'int' | 'uint' | 'double' | 'string' | 'bytes' | 'sign' | 'end';
  readonly text: string;
  readonly at: number;
}

export interface Problem {
  readonly at: number;
  readonly message: string;
}

/** The reasons why a text is no expression, by place. */
export class ParseProblems extends Error {
  constructor(readonly problems: readonly Problem[]) {
    super(problems.map(({ message }) => message).join('\n'));
  }
}

/** The parser stops at the first. */
export class SyntaxProblem extends ParseProblems {
  constructor(
    readonly at: number,
    message: string,
  ) {
    super([{ at, message: `Syntax error: ${message}` }]);
  }
}

const escape = String.raw`\\(?:[abfnrtv"'\x60?\\]|[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-3][0-7]{2})`;
const cooked = ['"""', "'''"]
  .map((quote) => `${quote}(?:${escape}|[^\\\\])*?${quote}`)
  .concat(['"', "'"].map((quote) => `${quote}(?:${escape}|[^${quote}\\\\\\r\\n])*${quote}`))
  .join('|');
const raw = ['"""', "'''"]
  .map((quote) => `${quote}[^]*?${quote}`)
  .concat(['"', "'"].map((quote) => `${quote}[^${quote}\\r\\n]*${quote}`))
  .join('|');

/** Tried in this order. Patterns without a kind are separators. */
const patterns: readonly (readonly [Token['kind'] | null, RegExp])[] = (
  [
    [null, String.raw`(?:[\t\r\n\f ]|//[^\n]*)+`],
    ['bytes', `(?:[bB][rR]|[rR][bB])(?:${raw})`],
    ['string', `[rR](?:${raw})`],
    ['bytes', `[bB](?:${cooked})`],
    ['string', cooked],
    ['double', String.raw`\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\.\d+(?:[eE][+-]?\d+)?`],
    ['uint', '(?:0x[0-9a-fA-F]+|[0-9]+)[uU]'],
    ['int', '0x[0-9a-fA-F]+|[0-9]+'],
    ['name', String.raw`[_a-zA-Z][_a-zA-Z0-9]*|\x60[a-zA-Z0-9_./ -]+\x60`],
    ['sign', String.raw`==|!=|<=|>=|&&|\|\||[-+*/%!<>?:.,()[\]{}]`],
  ] as const
).map(([kind, source]) => [kind, new RegExp(source, 'y')]);

const halfEscape = String.raw`\\(?:[xX][0-9a-fA-F]?|u[0-9a-fA-F]{0,3}|U[0-9a-fA-F]{0,7}|[0-3][0-7]?)?`;
/** The longest beginnings of incomplete tokens, with the first wrong character; both are skipped. */
const unfinished = [
  ['"', "'"].map((quote) => `${quote}${quote}${quote}(?:${escape}|[^\\\\])*(?:${halfEscape})?`).join('|'),
  ['"', "'"].map((quote) => `${quote}(?:${escape}|[^${quote}\\\\\\r\\n])*(?:${halfEscape})?`).join('|'),
  String.raw`[=&|]|\x60[a-zA-Z0-9_./ -]*`,
]
  .map((source) => `(?:${source})[^]?`)
  .concat('[^]');
const broken = new RegExp(unfinished.join('|'), 'uy');

/** Returns the tokens, and problems for all other text. */
export function tokensOf(text: string): { readonly tokens: Token[]; readonly problems: Problem[] } {
  const tokens: Token[] = [];
  const problems: Problem[] = [];
  let at = 0;
  while (at < text.length) {
    const found = patterns.map(([kind, pattern]) => ({ kind, match: matchAt(pattern, text, at) })).find(({ match }) => match !== null);
    const match = found?.match ?? matchAt(broken, text, at) ?? '';
    if (found === undefined) problems.push({ at, message: `Syntax error: token recognition error at: '${match}'` });
    else if (found.kind !== null) tokens.push({ kind: found.kind, text: match, at });
    at += match.length;
  }
  return { tokens: [...tokens, { kind: 'end', text: '<EOF>', at }], problems };
}

function matchAt(pattern: RegExp, text: string, at: number): string | null {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? null;
}
