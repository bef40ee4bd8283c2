import type { JsonValue } from '../../../api/object.js';
import { compareQuantities, parseQuantity, scaledQuantity, zeroQuantity, type Quantity } from '../../../api/quantity.js';
import { invalid, type Path, type FieldError } from './field.js';

/** The amount that a member holds. The structural check has accepted its spelling; anything else counts as zero. */
export function quantityOf(value: JsonValue | undefined): Quantity {
  const parsed = typeof value === 'string' || typeof value === 'number' ? parseQuantity(String(value)) : null;
  return parsed?.ok === true ? parsed.quantity : zeroQuantity;
}

export const compareAmounts = (a: JsonValue | undefined, b: JsonValue | undefined): number =>
  compareQuantities(quantityOf(a), quantityOf(b));
export const isNegative = (value: JsonValue | undefined): boolean => quantityOf(value).digits < 0n;
export const isZero = (value: JsonValue | undefined): boolean => quantityOf(value).digits === 0n;

const milliPlaces = 3;

/** In thousandths, rounded up: how the reference counts what must be whole. */
export const milliValue = (value: JsonValue | undefined): bigint => scaledQuantity(quantityOf(value), milliPlaces);

export const isWhole = (value: JsonValue | undefined): boolean => milliValue(value) % 1000n === 0n;

/** Rounded up to a whole number. */
export function wholeValue(value: JsonValue | undefined): bigint {
  const milli = milliValue(value);
  return milli / 1000n + (milli % 1000n > 0n ? 1n : 0n);
}

export const nonNegativeQuantity = (value: JsonValue | undefined, path: Path): FieldError[] =>
  isNegative(value) ? [invalid(path, value, 'must be greater than or equal to 0')] : [];
