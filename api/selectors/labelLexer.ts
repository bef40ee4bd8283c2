/** `in` and `notin` are words where no operator can stand. */
export type TokenKind = 'word' | 'in' | 'notin' | '=' | '==' | '!=' | '!' | '(' | ')' | ',' | '>' | '<' | 'end';
export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
}

const tokenPattern = /[ \t\r\n]*(==|!=|[=!(),<>]|[^ \t\r\n=!(),<>]+)/y;

/** The last token is always `end`. A NUL byte ends the text, as in the reference. */
export function tokensOf(selector: string): Token[] {
  const text = selector.split('\0', 1)[0] ?? '';
  const tokens: Token[] = [];
  tokenPattern.lastIndex = 0;
  for (let match = tokenPattern.exec(text); match !== null; match = tokenPattern.exec(text)) tokens.push(tokenOf(match[1] ?? ''));
  tokens.push({ kind: 'end', text: '' });
  return tokens;
}

const symbols: ReadonlySet<string> = new Set(['in', 'notin', '=', '==', '!=', '!', '(', ')', ',', '>', '<'] satisfies TokenKind[]);
const isSymbol = (text: string): text is TokenKind => symbols.has(text);
const tokenOf = (text: string): Token => ({ kind: isSymbol(text) ? text : 'word', text });
