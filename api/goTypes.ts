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
