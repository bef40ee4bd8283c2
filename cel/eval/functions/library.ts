import type { Run } from '../run.js';
import type { Value } from '../values.js';

/** A function of values other than failures. The first argument is the receiver, if any. */
export type Implementation = (args: readonly Value[], run: Run) => Value;

/** Functions by name and number of arguments: `size/1`, or `.size/0` when called on a value. */
export type Library = Readonly<Record<string, Implementation>>;
