import type { JsonValue } from '../../api/object.js';
import { compareQuantities, parseQuantity, type Quantity } from '../../../workers/schema/quantity.js';
import { invalid, type Path, type FieldError } from './field.js';

const zero: Quantity = { digits: 0n, exponent: 0, format: 'decimal' };

/** The amount that a member holds. The structural check has accepted its spelling; anything else counts as zero. */
export function quantityOf(value: JsonValue | undefined): Quantity {
  const parsed = typeof value === 'string' || typeof value === 'number' ? parseQuantity(String(value)) : null;
  return parsed?.ok === true ? parsed.quantity : zero;
}

export const compareAmounts = (a: JsonValue | undefined, b: JsonValue | undefined): number => compareQuantities(quantityOf(a), quantityOf(b));
export const isNegative = (value: JsonValue | undefined): boolean => quantityOf(value).digits < 0n;
export const isZero = (value: JsonValue | undefined): boolean => quantityOf(value).digits === 0n;

/** In thousandths, rounded up: how the reference counts what must be whole. */
export function milliValue(value: JsonValue | undefined): bigint {
  const { digits, exponent } = quantityOf(value);
  const scale = exponent + 3;
  if (scale >= 0) return digits * 10n ** BigInt(scale);
  const divisor = 10n ** BigInt(-scale);
  return digits / divisor + (digits % divisor > 0n ? 1n : 0n);
}

export const isWhole = (value: JsonValue | undefined): boolean => milliValue(value) % 1000n === 0n;

/** Rounded up to a whole number. */
export function wholeValue(value: JsonValue | undefined): bigint {
  const milli = milliValue(value);
  return milli / 1000n + (milli % 1000n > 0n ? 1n : 0n);
}

export const nonNegativeQuantity = (value: JsonValue | undefined, path: Path): FieldError[] =>
  (isNegative(value) ? [invalid(path, value, 'must be greater than or equal to 0')] : []);
