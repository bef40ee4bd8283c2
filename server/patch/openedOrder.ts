import { isObject, sortNames } from '../../api/json/json.js';
import { setMember } from '../../api/json/setMember.js';
import type { JsonObject, JsonValue } from '../../api/object.js';
import type { Steps } from '../../api/steps.js';

/** A wider object is a map, whose members no warning lists, or hostile. */
const sortedMax = 1_000;

/** Returns an object with the same members, as the reference's library writes every object that a patch opens (partialDoc in evanphx/json-patch). */
export function inOrderOfNames(object: JsonObject): JsonObject {
  const names = Object.keys(object);
  if (names.length > sortedMax || isSorted(names)) return object;
  const sorted: JsonObject = {};
  for (const name of names.sort()) setMember(sorted, name, object[name] as JsonValue);
  return sorted;
}

/** The same in place, which is slower. Returns the number of members. */
export function sortOpened(object: JsonObject): number {
  const names = Object.keys(object);
  if (names.length > sortedMax || isSorted(names)) return names.length;
  const members = names.sort().map((name) => [name, object[name]] as const);
  for (const [name] of members) delete object[name];
  for (const [name, value] of members) setMember(object, name, value);
  return names.length;
}

const isSorted = (names: readonly string[]): boolean => names.every((name, index) => index === 0 || (names[index - 1] ?? '') < name);

/** Returns a copy with members in the order of names at every depth, as custom objects are written. Gives way after each list and object. */
export function sortedThrough<T extends JsonValue>(value: T): Steps<T>;
export function* sortedThrough(value: JsonValue): Steps<JsonValue> {
  if (Array.isArray(value)) {
    const items: JsonValue[] = [];
    for (const item of value) items.push(yield* sortedThrough(item));
    yield;
    return items;
  }
  if (!isObject<JsonObject>(value)) return value;
  const sorted: JsonObject = {};
  for (const name of sortNames(Object.keys(value))) setMember(sorted, name, yield* sortedThrough(value[name] as JsonValue));
  yield;
  return sorted;
}
