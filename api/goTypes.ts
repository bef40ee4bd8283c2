import type { JsonValue } from './object.js';

/** The reference's type name in messages about wrong types. */
export const goType = (value: JsonValue): string =>
  value === null
    ? 'null'
    : Array.isArray(value)
      ? 'array'
      : typeof value === 'boolean'
        ? 'bool'
        : typeof value === 'bigint'
          ? 'number'
          : typeof value;

/** The Go type of a decoded JSON value (`%T`). */
export function goTypeOf(value: JsonValue | undefined): string {
  if (value === null || value === undefined) return '<nil>';
  if (typeof value === 'object') return Array.isArray(value) ? '[]interface {}' : 'map[string]interface {}';
  return { string: 'string', boolean: 'bool', bigint: 'int64', number: Number.isInteger(value) ? 'int64' : 'float64' }[
    typeof value as 'string' | 'boolean' | 'bigint' | 'number'
  ];
}
