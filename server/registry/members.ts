import { isObject } from '../../api/json.js';
import type { JsonObject, JsonValue } from '../api/object.js';

/** Whether a member is there and is not null, which says nothing: what the reference's pointers tell. */
export const isSet = (value: JsonValue | undefined): value is Exclude<JsonValue, null> => value !== undefined && value !== null;

/** A value's members, or none when it is absent or not an object. Reading through it never throws. */
export const membersOf = (value: JsonValue | undefined): JsonObject => (isObject<JsonObject>(value) ? value : {});

/** A value's items, or none. */
export const itemsOf = (value: JsonValue | undefined): readonly JsonValue[] => (Array.isArray(value) ? value : []);

/** The member at a path of names, or undefined. */
export function memberAt(value: JsonValue | undefined, ...path: readonly string[]): JsonValue | undefined {
  let current = value;
  for (const name of path) current = membersOf(current)[name];
  return current;
}

/** A scalar as field selectors and tables spell it; empty when absent. */
export function textAt(value: JsonValue | undefined, ...path: readonly string[]): string {
  let found = value;
  for (const name of path) found = isObject<JsonObject>(found) ? found[name] : undefined;
  if (typeof found === 'string') return found;
  return found === undefined || found === null || typeof found === 'object' ? '' : String(found);
}
