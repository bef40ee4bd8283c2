import { Meter } from './budget.js';
import type { Code, Run } from './run.js';
import type { Value } from './values.js';

/** Constants, free at run time: the reference folds them when it plans a program (`OptOptimize` of cel-go). */

const values = new WeakMap<Code, Value>();

/** Yields the value at no cost. */
export function constant(value: Value): Code {
  const code: Code = () => value;
  values.set(code, value);
  return code;
}

export const areConstants = (parts: readonly Code[]): boolean => parts.every((part) => values.has(part));

/** Undefined when it is not constant. */
export const constantValue = (code: Code): Value | undefined => values.get(code);

export function folded(code: Code): Code {
  const run: Run = { meter: new Meter(), activation: () => undefined, names: [] };
  return constant(code(run));
}

/** Conversions that fold a constant (`IsTypeConversionFunction` of cel-go). */
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
