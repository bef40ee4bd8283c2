import type { Meter } from './budget.js';
import type { Value } from './values.js';

export type Activation = (name: string) => Value | undefined;

export interface Run {
  readonly meter: Meter;
  readonly activation: Activation;
  /** Values of macro variables by slot; undefined until first use. */
  readonly names: (Value | undefined)[];
}

export type Code = (run: Run) => Value;
