import type { Assertion } from './syntax.js';

/** What stands beside a position: all that assertions ask for. */
export type Side = 0 | 1 | 2 | 3;
export const NOTHING: Side = 0;
const NEW_LINE: Side = 1;
const WORD: Side = 2;
const OTHER: Side = 3;

export function sideOf(code: number): Side {
  if (code === 10) return NEW_LINE;
  const isWord = (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || code === 95 || (code >= 97 && code <= 122);
  return isWord ? WORD : OTHER;
}

export function holds(what: Assertion, before: Side, after: Side): boolean {
  switch (what) {
    case 'textStart':
      return before === NOTHING;
    case 'textEnd':
      return after === NOTHING;
    case 'lineStart':
      return before === NOTHING || before === NEW_LINE;
    case 'lineEnd':
      return after === NOTHING || after === NEW_LINE;
    case 'wordBoundary':
      return (before === WORD) !== (after === WORD);
    case 'noWordBoundary':
      return (before === WORD) === (after === WORD);
  }
}
