import type { Run } from '../run.js';
import type { Value } from '../values.js';

/** A function over values that did not fail. The first argument is what it is called on, if anything. */
export type Implementation = (args: readonly Value[], run: Run) => Value;

/** By name and count of arguments: `size/1`, and `.size/0` for those that are called on a value. */
export type Library = Readonly<Record<string, Implementation>>;
