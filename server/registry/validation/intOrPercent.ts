import { isPercent } from '../../../api/intOrPercent.js';
import type { JsonValue } from '../../../api/object.js';
import { invalid, type FieldError, type Path } from './field.js';

export { amountOf } from '../../../api/intOrPercent.js';

const percentText =
  "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";

export function intOrPercent(value: JsonValue | undefined, path: Path): FieldError[] {
  if (typeof value === 'string') return isPercent(value) ? [] : [invalid(path, value, percentText)];
  return Number(value ?? 0) < 0 ? [invalid(path, value, 'must be greater than or equal to 0')] : [];
}

export const atMostWhole = (value: JsonValue | undefined, path: Path): FieldError[] =>
  isPercent(value) && Number.parseInt(String(value), 10) > 100 ? [invalid(path, value, 'must not be greater than 100%')] : [];
