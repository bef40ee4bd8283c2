import { isObject } from '../../api/json/json.js';
import type { Steps } from '../../api/steps.js';
import { copyOf } from '../../api/json/copy.js';
import { setMember } from '../../api/json/setMember.js';
import type { JsonObject, JsonValue } from '../../api/object.js';
import { inOrderOfNames } from './openedOrder.js';

export const mergedInStep = 256;

/**
 * JSON Merge Patch (RFC 7386): the patch's members replace the target's, null removes them, objects are merged. The result shares nothing with the patch. The
 * decoder's nesting limit bounds the depth.
 */
export function* applyMergePatch(target: JsonValue | undefined, patch: JsonValue): Steps<JsonValue> {
  if (!isObject(patch)) return copyOf(patch);
  const result: JsonObject = {};
  let merged = 0;
  for (const name of isObject(target) ? Object.keys(target) : []) {
    if (++merged % mergedInStep === 0) yield;
    setMember(result, name, (target as JsonObject)[name]);
  }
  for (const name of Object.keys(patch)) {
    if (++merged % mergedInStep === 0) yield;
    const value = patch[name];
    const current = Object.hasOwn(result, name) ? result[name] : undefined;
    if (value === null || value === undefined) delete result[name];
    else if (isObject(value)) setMember(result, name, yield* applyMergePatch(current, value));
    else setMember(result, name, isObject(current) ? copyOf(value) : withoutNulls(value));
  }
  return inOrderOfNames(result);
}

/** Removes nulls from objects in a new list that does not replace an object, like the reference's library; items may be null. */
function withoutNulls(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map((item) => withoutNulls(item as JsonValue));
  if (!isObject<JsonObject>(value)) return value;
  const kept: JsonObject = {};
  for (const [name, member] of Object.entries(value))
    if (member !== null && member !== undefined) setMember(kept, name, withoutNulls(member));
  return inOrderOfNames(kept);
}
