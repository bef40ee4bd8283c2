import type { JsonObject, JsonValue } from '../api/object.js';

/** A value's members, or none when it is absent or not an object. Reading through it never throws. */
export const membersOf = (value: JsonValue | undefined): JsonObject =>
  (typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {});

/** A value's items, or none. */
export const itemsOf = (value: JsonValue | undefined): readonly JsonValue[] => (Array.isArray(value) ? value : []);

/** The member at a path of names, or undefined. */
export const memberAt = (value: JsonValue | undefined, ...path: readonly string[]): JsonValue | undefined =>
  path.reduce<JsonValue | undefined>((current, name) => membersOf(current)[name], value);

/** A scalar as field selectors and tables spell it; empty when absent. */
export const textAt = (value: JsonValue | undefined, ...path: readonly string[]): string => {
  const found = memberAt(value, ...path);
  return found === undefined || found === null || typeof found === 'object' ? '' : String(found);
};
