import { isFirstTime } from '../numbers.js';
import { ArrayList, Failure, ListValue, MapValue, noOverload, Optional, Timestamp, UInt, Duration, type Value } from '../values.js';
import type { Code } from '../run.js';
import type { Implementation, Library } from './library.js';

const isZero = (value: Value): boolean =>
  value === null ||
  value === false ||
  value === 0n ||
  value === 0 ||
  value === '' ||
  (value instanceof UInt && value.value === 0n) ||
  (value instanceof Duration && value.nanoseconds === 0n) ||
  (value instanceof Timestamp && isFirstTime(value)) ||
  ((value instanceof ListValue || value instanceof Uint8Array) && value.length === 0) ||
  (value instanceof MapValue && value.size === 0);

/** Evaluates the other value only if an optional is empty (`decorateOptionalOr` of cel-go). */
const either =
  (found: (value: Value) => Value): ((one: Code, other: Code) => Code) =>
  (one, other) =>
  (run) => {
    const optional = one(run);
    if (optional instanceof Failure) return optional;
    // Whatever is no optional is taken as it is.
    if (!(optional instanceof Optional)) return optional;
    run.meter.spend(1);
    return optional.value === undefined ? other(run) : found(optional.value);
  };

export const alternatives: ReadonlyMap<string, (one: Code, other: Code) => Code> = new Map([
  ['or', either((value) => new Optional(value))],
  ['orValue', either((value) => value)],
]);

/** Empty optionals are omitted. */
const unwrapped: Implementation = ([list], run) => {
  if (!(list instanceof ListValue) || (list.length > 0 && !(list.at(0) instanceof Optional))) return noOverload;
  const values: Value[] = [];
  for (let i = 0; i < list.length; i++) {
    run.meter.step(1);
    const optional = list.at(i);
    if (!(optional instanceof Optional)) return new Failure('value is not optional');
    if (optional.value !== undefined) values.push(optional.value);
  }
  return new ArrayList(values);
};

export const optionals: Library = {
  'optional.of/1': ([value = null]) => new Optional(value),
  'optional.none/0': () => Optional.none,
  'optional.ofNonZeroValue/1': ([value = null]) => (isZero(value) ? Optional.none : new Optional(value)),
  'optional.unwrap/1': unwrapped,
  '.unwrapOpt/0': unwrapped,
  '.hasValue/0': ([optional]) => (optional instanceof Optional ? optional.value !== undefined : noOverload),
  '.value/0': ([optional]) =>
    optional instanceof Optional
      ? (optional.value ?? (optional.value === null ? null : new Failure('optional.none() dereference')))
      : noOverload,
  '.or/1': ([optional, other]) =>
    optional instanceof Optional && other instanceof Optional ? (optional.value === undefined ? other : optional) : noOverload,
  '.orValue/1': ([optional, other = null]) =>
    optional instanceof Optional ? (optional.value === undefined ? other : optional.value) : noOverload,
};
