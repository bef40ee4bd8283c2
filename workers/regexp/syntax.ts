import type { CharSet } from './charset.js';

/** `group` is the number of a capturing group; zero is the whole match. */
export type Node =
  | { readonly is: 'empty' }
  | { readonly is: 'set'; readonly set: CharSet }
  | { readonly is: 'assert'; readonly what: Assertion }
  | { readonly is: 'group'; readonly group: number; readonly body: Node }
  | { readonly is: 'sequence'; readonly parts: readonly Node[] }
  | { readonly is: 'choice'; readonly parts: readonly Node[] }
  /** `max` is Infinity for `*` and `+`. */
  | { readonly is: 'repeat'; readonly body: Node; readonly min: number; readonly max: number; readonly greedy: boolean };

export type Assertion = 'textStart' | 'textEnd' | 'lineStart' | 'lineEnd' | 'wordBoundary' | 'noWordBoundary';

/** `. */
export class PatternError extends Error {}

export interface ParsedPattern {
  readonly root: Node;
  readonly groups: readonly (string | null)[];
}
