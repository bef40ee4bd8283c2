import { Meter } from './budget.js';
import type { Code, Run } from './run.js';
import type { Value } from './values.js';

/** What is known before anything runs. The reference works it out when it plans a program (`OptOptimize` of cel-go), so that it costs nothing when the program runs. */

const values = new WeakMap<Code, Value>();

/** Code that yields a value, for nothing. */
export function constant(value: Value): Code {
  const code: Code = () => value;
  values.set(code, value);
  return code;
}

/** Whether all of these are constants. */
export const areConstants = (parts: readonly Code[]): boolean => parts.every((part) => values.has(part));

/** What a constant yields; undefined for what is none. */
export const constantValue = (code: Code): Value | undefined => values.get(code);

/** What code made of constants yields, as a constant. */
export function folded(code: Code): Code {
  const run: Run = { meter: new Meter(), activation: () => undefined, names: [] };
  return constant(code(run));
}

/** Conversions to a type, of a constant (`IsTypeConversionFunction` of cel-go). */
export const conversionNames: ReadonlySet<string> = new Set([
  'bool',
  'bytes',
  'double',
  'duration',
  'dyn',
  'int',
  'string',
  'timestamp',
  'type',
  'uint',
]);
