import type { JsonValue } from '../api/object.js';

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

const TYPE_STRUCT = 'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

/** What is wrong with the outermost value or with its kind and apiVersion, or null. */
export function typeComplaint(value: JsonValue): string | null {
  if (value === null) return null;
  if (typeof value !== 'object' || Array.isArray(value))
    return `json: cannot unmarshal ${goType(value)} into Go value of type ${TYPE_STRUCT}`;
  for (const member of ['apiVersion', 'kind']) {
    const found = value[member];
    if (found !== undefined && found !== null && typeof found !== 'string')
      return `json: cannot unmarshal ${goType(found)} into Go struct field .${member} of type string`;
  }
  return null;
}
