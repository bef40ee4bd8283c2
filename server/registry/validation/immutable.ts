import { sameValue } from '../../../api/json/equality.js';
import { invalid, type FieldError, type Path } from './field.js';

/** `shown` is the quoted value, where it is not the value itself. */
export const unchanged = (value: unknown, old: unknown, path: Path, shown: unknown = value): FieldError[] =>
  sameValue(value ?? null, old ?? null) ? [] : [invalid(path, shown, 'field is immutable')];
