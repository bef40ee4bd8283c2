import { durationOverflow, Failure, overflow, timeOverflow, UInt, unsignedOverflow, Duration, Timestamp, type Value } from './values.js';

const intMin = -(2n ** 63n);
const intMax = 2n ** 63n - 1n;
const uintMax = 2n ** 64n - 1n;
/** The years 1 to 9999. */
const timeMin = -62_135_596_800n * 1_000_000_000n;
const timeMax = 253_402_300_799n * 1_000_000_000n + 999_999_999n;

export const int = (value: bigint): bigint | Failure => (value < intMin || value > intMax ? overflow : value);
export const uint = (value: bigint): UInt | Failure => (value < 0n || value > uintMax ? unsignedOverflow : new UInt(value));
export const duration = (nanoseconds: bigint): Duration | Failure =>
  nanoseconds < intMin || nanoseconds > intMax ? durationOverflow : new Duration(nanoseconds);
export const timestamp = (nanoseconds: bigint, offsetMinutes = 0): Timestamp | Failure =>
  nanoseconds < timeMin || nanoseconds > timeMax ? timeOverflow : new Timestamp(nanoseconds, offsetMinutes);
/** The first moment of the year 1. */
export const isFirstTime = ({ nanoseconds }: Timestamp): boolean => nanoseconds === timeMin;

export type Sign = '+' | '-' | '*' | '/' | '%';

const division = new Failure('division by zero');
const modulus = new Failure('modulus by zero');

/** Returns undefined unless the operands are numbers of one type. Integers never wrap. */
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
      return other === 0n ? division : bounded(one / other);
    // The smallest integer modulo -1 overflows in the reference, like the quotient.
    case '%':
      return other === 0n ? modulus : one === intMin && other === -1n ? overflow : bounded(one % other);
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
