import { setMember } from '../../api/json/setMember.js';
import { isObject } from '../../api/json/json.js';
import type { JsonObject, JsonValue } from '../../api/object.js';
import type { Spelling } from '../../workers/codecs/contract.js';
import { NumberLiteral } from '../../workers/codecs/value.js';
import { pointerParts } from './jsonPointer.js';

/** Returns the place of a patch's value in the patched object, or null. */
export type PlaceOf = (path: readonly string[]) => readonly string[] | null;

export const placeInMerge: PlaceOf = (path) => path;

/** A value that a later operation moves loses its spelling. */
export const placeInOperations = (patch: JsonValue): PlaceOf => {
  const places = new Map<string, readonly string[] | null>();
  return ([index = '', member, ...below]) => {
    if (member !== 'value') return null;
    let place = places.get(index);
    if (place === undefined) places.set(index, (place = placeOfOperation(Array.isArray(patch) ? patch[Number(index)] : undefined)));
    return place && [...place, ...below];
  };
};

const placeOfOperation = (operation: JsonValue | undefined): readonly string[] | null =>
  isObject<JsonObject>(operation) && operation['op'] !== 'test' && typeof operation['path'] === 'string'
    ? pointerParts(operation['path'])
    : null;

/** Spells numbers of tests, unless the patch writes such numbers itself. */
export function withSpelledTests(patch: JsonValue, spellings: readonly Spelling[]): JsonValue {
  const isTest = ([index = '']: readonly string[]): boolean => {
    const operation = Array.isArray(patch) ? patch[Number(index)] : undefined;
    return isObject<JsonObject>(operation) && operation['op'] === 'test';
  };
  return spellings.length > 0 && spellings.every(({ path }) => isTest(path)) ? spelledAt(patch, spellings, (path) => path) : patch;
}

/** Spells numbers as the patch does: the reference merges texts, and `2.0` is no integer (evanphx/json-patch). Copies what it changes, once. */
export const withSpellings = (object: JsonObject, spellings: readonly Spelling[], placeOf: PlaceOf): JsonObject =>
  spelledAt(object, spellings, placeOf) as JsonObject;

function spelledAt(value: JsonValue, spellings: readonly Spelling[], placeOf: PlaceOf): JsonValue {
  const copies = new Set<JsonValue>();
  let spelled = value;
  for (const { path, text } of spellings) {
    const place = placeOf(path);
    if (place !== null && place.length > 1) spelled = putBack(spelled, { place, text, copies }, 0) ?? spelled;
  }
  return spelled;
}

interface Placed {
  readonly place: readonly string[];
  readonly text: string;
  readonly copies: Set<JsonValue>;
}

/** Returns undefined where the place does not hold this number. */
function putBack(value: JsonValue | undefined, placed: Placed, at: number): JsonValue | undefined {
  const { place, text, copies } = placed;
  const name = place[at];
  if (name === undefined) return typeof value === 'number' && value === Number(text) ? literal(text) : undefined;
  if (typeof value !== 'object' || value === null || value instanceof NumberLiteral) return undefined;
  const key = Array.isArray(value) && name === '-' ? String(value.length - 1) : name;
  const member = isItem(value, key) ? putBack((value as JsonObject)[key], placed, at + 1) : undefined;
  if (member === undefined) return undefined;
  const copy = copies.has(value) ? value : Array.isArray(value) ? [...value] : { ...(value as JsonObject) };
  copies.add(copy);
  setMember(copy as JsonObject, key, member);
  return copy;
}

/** The length of a list is no item of it. */
const isItem = (holder: object, key: string): boolean => Object.prototype.propertyIsEnumerable.call(holder, key);

/** The structure check reads it. */
const literal = (text: string): JsonValue => new NumberLiteral(text) as unknown as JsonValue;
