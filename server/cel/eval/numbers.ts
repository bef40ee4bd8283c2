import { DURATION_OVERFLOW, Failure, OVERFLOW, TIME_OVERFLOW, UInt, UNSIGNED_OVERFLOW, Duration, Timestamp, type Value } from './values.js';

const INT_MIN = -(2n ** 63n);
const INT_MAX = 2n ** 63n - 1n;
const UINT_MAX = 2n ** 64n - 1n;
/** The years 1 to 9999. */
const TIME_MIN = -62_135_596_800n * 1_000_000_000n;
const TIME_MAX = 253_402_300_799n * 1_000_000_000n + 999_999_999n;

export const int = (value: bigint): bigint | Failure => (value < INT_MIN || value > INT_MAX ? OVERFLOW : value);
export const uint = (value: bigint): UInt | Failure => (value < 0n || value > UINT_MAX ? UNSIGNED_OVERFLOW : new UInt(value));
export const duration = (nanoseconds: bigint): Duration | Failure =>
  nanoseconds < INT_MIN || nanoseconds > INT_MAX ? DURATION_OVERFLOW : new Duration(nanoseconds);
export const timestamp = (nanoseconds: bigint): Timestamp | Failure =>
  nanoseconds < TIME_MIN || nanoseconds > TIME_MAX ? TIME_OVERFLOW : new Timestamp(nanoseconds);

export type Sign = '+' | '-' | '*' | '/' | '%';

const DIVISION = new Failure('division by zero');
const MODULUS = new Failure('modulus by zero');

/** Arithmetic of numbers, null for values that are none or of two types. Integers never wrap. */
export function arithmetic(sign: Sign, one: Value, other: Value): Value | undefined {
  if (typeof one === 'bigint' && typeof other === 'bigint') return whole(sign, one, other, int);
  if (one instanceof UInt && other instanceof UInt) return whole(sign, one.value, other.value, uint);
  return typeof one === 'number' && typeof other === 'number' && sign !== '%' ? fractional(sign, one, other) : undefined;
}

function whole(sign: Sign, one: bigint, other: bigint, bounded: (value: bigint) => Value): Value {
  switch (sign) {
    case '+':
      return bounded(one + other);
    case '-':
      return bounded(one - other);
    case '*':
      return bounded(one * other);
    case '/':
      return other === 0n ? DIVISION : bounded(one / other);
    // The remainder of the smallest integer by -1 is an overflow in the reference, as its quotient is.
    case '%':
      return other === 0n ? MODULUS : one === INT_MIN && other === -1n ? OVERFLOW : bounded(one % other);
  }
}

function fractional(sign: Exclude<Sign, '%'>, one: number, other: number): number {
  switch (sign) {
    case '+':
      return one + other;
    case '-':
      return one - other;
    case '*':
      return one * other;
    case '/':
      return one / other;
  }
}
