import { Failure, ListValue, MapValue, noOverload, Optional, UInt, Duration, type Value } from '../values.js';
import type { Library } from './library.js';

/** What a type has before anybody says anything. */
const isZero = (value: Value): boolean =>
  value === null ||
  value === false ||
  value === 0n ||
  value === 0 ||
  value === '' ||
  (value instanceof UInt && value.value === 0n) ||
  (value instanceof Duration && value.nanoseconds === 0n) ||
  ((value instanceof ListValue || value instanceof Uint8Array) && value.length === 0) ||
  (value instanceof MapValue && value.size === 0);

export const optionals: Library = {
  'optional.of/1': ([value = null]) => new Optional(value),
  'optional.none/0': () => Optional.none,
  'optional.ofNonZeroValue/1': ([value = null]) => (isZero(value) ? Optional.none : new Optional(value)),
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
