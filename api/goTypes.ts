import type { JsonValue } from './object.js';

/** What the reference calls a JSON value of the wrong type. */
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

/** The type that Go has for a decoded JSON value (`%T`). */
export function goTypeOf(value: JsonValue | undefined): string {
  if (value === null || value === undefined) return '<nil>';
  if (typeof value === 'object') return Array.isArray(value) ? '[]interface {}' : 'map[string]interface {}';
  return { string: 'string', boolean: 'bool', bigint: 'int64', number: Number.isInteger(value) ? 'int64' : 'float64' }[
    typeof value as 'string' | 'boolean' | 'bigint' | 'number'
  ];
}
