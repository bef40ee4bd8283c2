import type { JsonObject, JsonValue } from '../api/object.js';

/** Sets a member that is absent or null. */
export function setDefault(object: JsonObject, member: string, value: JsonValue): void {
  if (object[member] === undefined || object[member] === null) object[member] = value;
}

/** Sets a text that is absent, null or empty: for members whose type cannot tell these apart. */
export function setTextDefault(object: JsonObject, member: string, value: string): void {
  if (object[member] === undefined || object[member] === null || object[member] === '') object[member] = value;
}

/** The object that a member holds, or null: what defaults of nested types apply to. */
export function objectAt(object: JsonObject, member: string): JsonObject | null {
  const value = object[member];
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? value : null;
}

/** The object that a member holds; an absent or null one is created, for members that always exist. */
export function ensureObject(object: JsonObject, member: string): JsonObject {
  const present = objectAt(object, member);
  if (present !== null) return present;
  const created: JsonObject = {};
  object[member] = created;
  return created;
}

/** The objects in the list that a member holds; others are passed over (the structural check has refused them already). */
export function objectsIn(object: JsonObject, member: string): JsonObject[] {
  const items = object[member];
  const objects: JsonObject[] = [];
  if (!Array.isArray(items)) return objects;
  for (const item of items) if (item !== null && typeof item === 'object' && !Array.isArray(item)) objects.push(item);
  return objects;
}
