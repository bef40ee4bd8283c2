import { goTypeOf } from '../../api/goTypes.js';
import type { JsonValue } from '../../api/object.js';
import { isInteger, printedFloat } from '../../workers/schema/custom/printed.js';

/** Formats like Go's `%v`, which the reference uses in messages about patches: `map[a:map[b:1] c:[x y]]`. */
export function printed(value: JsonValue | undefined): string {
  if (value === null || value === undefined) return '<nil>';
  if (Array.isArray(value)) return `[${value.map(printed).join(' ')}]`;
  if (typeof value === 'number' && !isInteger(value)) return printedFloat(value);
  if (typeof value !== 'object') return String(value);
  const members = Object.keys(value).sort();
  return `map[${members.map((name) => `${name}:${printed(value[name])}`).join(' ')}]`;
}

/** The same like Go's `%s`, which marks other values than text: `%!s(int64=1)`. */
export function printedAsText(value: JsonValue | undefined): string {
  if (typeof value === 'string') return value;
  if (value === null || value === undefined) return '%!s(<nil>)';
  if (Array.isArray(value)) return `[${value.map(printedAsText).join(' ')}]`;
  if (typeof value !== 'object') return `%!s(${goTypeOf(value)}=${String(value)})`;
  const members = Object.keys(value).sort();
  return `map[${members.map((name) => `${name}:${printedAsText(value[name])}`).join(' ')}]`;
}
