import type { JsonValue } from '../../api/object.js';
import { invalid, type FieldError, type Path } from './field.js';

/** Amounts that are either a number or a percentage, such as `maxSurge`. */

const PERCENT = /^[0-9]+%$/;
const percentText = 'a valid percent string must be a numeric string followed by an ending \'%\' (e.g. \'1%\',  or \'93%\', regex used for validation is \'[0-9]+%\')';

export const isPercent = (value: JsonValue | undefined): boolean => typeof value === 'string' && PERCENT.test(value);

/** A number that is not negative, or a percentage. */
export function intOrPercent(value: JsonValue | undefined, path: Path): FieldError[] {
  if (typeof value === 'string') return isPercent(value) ? [] : [invalid(path, value, percentText)];
  return Number(value ?? 0) < 0 ? [invalid(path, value, 'must be greater than or equal to 0')] : [];
}

export const atMostWhole = (value: JsonValue | undefined, path: Path): FieldError[] =>
  (isPercent(value) && Number.parseInt(String(value), 10) > 100 ? [invalid(path, value, 'must not be greater than 100%')] : []);

/** The number before the percent sign, or the number; what is neither counts as zero. */
export function amountOf(value: JsonValue | undefined): number {
  if (typeof value !== 'string') return Number(value ?? 0);
  return isPercent(value) || /^[+-]?[0-9]+$/.test(value) ? Number.parseInt(value, 10) : 0;
}
