import { setMember } from '../../api/json/setMember.js';
import { isObject } from '../../api/json/json.js';
import type { JsonObject, JsonValue } from '../../api/object.js';
import type { Spelling } from '../../workers/codecs/contract.js';
import { NumberLiteral } from '../../workers/codecs/value.js';
import { pointerParts } from './jsonpointer.js';

/** Returns the place of a patch's value in the patched object, or null. */
export type PlaceOf = (path: readonly string[]) => readonly string[] | null;

export const placeInMerge: PlaceOf = (path) => path;

/** A value that a later operation moves loses its spelling. */
export const placeInOperations =
  (patch: JsonValue): PlaceOf =>
  ([index = '', member, ...below]) => {
    const entry = Array.isArray(patch) ? (patch as readonly JsonValue[])[Number(index)] : null;
    if (member !== 'value' || !isObject<JsonObject>(entry) || entry['op'] === 'test') return null;
    return typeof entry['path'] === 'string' ? [...pointerParts(entry['path']), ...below] : null;
  };

/** Spells numbers as the patch does: the reference merges texts, and `2.0` is no integer (evanphx/json-patch). The result shares members. */
export function withSpellings(object: JsonObject, spellings: readonly Spelling[], placeOf: PlaceOf): JsonObject {
  let spelled: JsonValue = object;
  for (const { path, text } of spellings) {
    const place = placeOf(path);
    if (place !== null && place.length > 1) spelled = putBack(spelled, place, text) ?? spelled;
  }
  return spelled as JsonObject;
}

function putBack(value: JsonValue | undefined, [name, ...below]: readonly string[], text: string): JsonValue | undefined {
  if (name === undefined) return typeof value === 'number' && value === Number(text) ? literal(text) : undefined;
  if (typeof value !== 'object' || value === null || value instanceof NumberLiteral) return undefined;
  const key = Array.isArray(value) && name === '-' ? String(value.length - 1) : name;
  const members = value as JsonObject;
  const member = Object.hasOwn(members, key) ? putBack(members[key], below, text) : undefined;
  if (member === undefined) return undefined;
  if (Array.isArray(value)) return value.with(Number(key), member);
  const copy = { ...members };
  setMember(copy, key, member);
  return copy;
}

/** The structure check reads it. */
const literal = (text: string): JsonValue => new NumberLiteral(text) as unknown as JsonValue;
