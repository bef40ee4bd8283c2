import type { Meter } from './budget.js';
import type { Value } from './values.js';

/** What an expression can name at its top level. */
export type Activation = (name: string) => Value | undefined;

/** One evaluation: what it may look at and what it has spent. */
export interface Run {
  readonly meter: Meter;
  readonly activation: Activation;
  /** Values of the names that macros give, by their places; undefined for one that nothing asked for yet. */
  readonly names: (Value | undefined)[];
}

/** A compiled piece of an expression. */
export type Code = (run: Run) => Value;
