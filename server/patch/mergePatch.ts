import { isObject } from '../../api/json.js';
import { setMember } from '../api/members.js';
import type { JsonObject, JsonValue } from '../api/object.js';

/**
 * JSON Merge Patch (RFC 7386): members of the patch replace those of the target, null removes them, objects are merged, all else is
 * replaced as a whole. Returns a new value that shares nothing with the patch: what comes after may change it, and the patch may be applied again. Depth is bounded by the decoder's limit on nesting.
 */
export function applyMergePatch(target: JsonValue | undefined, { patch }: { readonly patch: JsonValue }): JsonValue {
  if (!isObject(patch)) return Array.isArray(patch) ? structuredClone(patch) : patch;
  const result: JsonObject = isObject(target) ? { ...target } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null || value === undefined) delete result[name];
    else setMember(result, name, applyMergePatch(Object.hasOwn(result, name) ? result[name] : undefined, { patch: value }));
  }
  return result;
}
