import type { JsonValue } from '../../../api/object.js';
import { compareQuantities } from '../../../api/quantity.js';
import { milliValue, quantityOf } from '../../../api/resourceLists.js';
import { invalid, type Path, type FieldError } from './field.js';

export const compareAmounts = (a: JsonValue | undefined, b: JsonValue | undefined): number =>
  compareQuantities(quantityOf(a), quantityOf(b));
export const isNegative = (value: JsonValue | undefined): boolean => quantityOf(value).digits < 0n;
export const isZero = (value: JsonValue | undefined): boolean => quantityOf(value).digits === 0n;

export const isWhole = (value: JsonValue | undefined): boolean => milliValue(value) % 1000n === 0n;

/** Rounded up to a whole number. */
export function wholeValue(value: JsonValue | undefined): bigint {
  const milli = milliValue(value);
  return milli / 1000n + (milli % 1000n > 0n ? 1n : 0n);
}

export const nonNegativeQuantity = (value: JsonValue | undefined, path: Path): FieldError[] =>
  isNegative(value) ? [invalid(path, value, 'must be greater than or equal to 0')] : [];
