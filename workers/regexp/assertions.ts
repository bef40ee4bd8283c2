import type { Assertion } from './syntax.js';

export type Side = 0 | 1 | 2 | 3;
export const nothing: Side = 0;
const newLine: Side = 1;
const word: Side = 2;
const other: Side = 3;

export function sideOf(code: number): Side {
  if (code === 10) return newLine;
  const isWord = (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || code === 95 || (code >= 97 && code <= 122);
  return isWord ? word : other;
}

export function holds(what: Assertion, before: Side, after: Side): boolean {
  switch (what) {
    case 'textStart':
      return before === nothing;
    case 'textEnd':
      return after === nothing;
    case 'lineStart':
      return before === nothing || before === newLine;
    case 'lineEnd':
      return after === nothing || after === newLine;
    case 'wordBoundary':
      return (before === word) !== (after === word);
    case 'noWordBoundary':
      return (before === word) === (after === word);
  }
}
