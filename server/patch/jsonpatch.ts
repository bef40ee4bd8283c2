import jsonpatch from 'fast-json-patch';
import type { Operation } from 'fast-json-patch';
import type { JsonObject, JsonValue } from '../api/object.js';
import { PatchError } from './patcherror.js';

/** Operations in one JSON Patch. */
export const operationsMax = 10_000;
/** Bytes that all `copy` operations of one patch may produce together: a few nested copies could otherwise double an object until memory ends. */
export const copiedBytesMax = 3 * 1024 * 1024;

const failed = 'the server rejected our request due to an error in our request';
const known: ReadonlySet<string> = new Set(['add', 'remove', 'replace', 'move', 'copy', 'test']);

/**
 * Applies a JSON Patch (RFC 6902) to a copy of `document`. Throws PatchError.
 *
 * The library applies single operations; the rules around it are ours, because its own differ from the reference or are not safe enough:
 * replacing an absent member adds it; operations and copied bytes are bounded; members that would reach a prototype are refused.
 */
export function applyJsonPatch(document: JsonObject, patch: JsonValue): JsonObject {
  if (!Array.isArray(patch)) throw new PatchError('malformed', `error decoding patch: json: cannot unmarshal ${typeName(patch)} into Go value of type []handlers.jsonPatchOp`);
  if (patch.length > operationsMax) throw new PatchError('tooLarge', `The allowed maximum operations in a JSON patch is ${operationsMax}, got ${patch.length}`);
  let result = structuredClone(document) as JsonValue;
  let copied = 0;
  for (const operation of patch) {
    const checked = checkOperation(operation);
    if (checked.op === 'copy') copied += sizeOf(result, checked.from);
    if (copied > copiedBytesMax) throw new PatchError('tooLarge', `Unable to complete the copy, the accumulated size increase of copy is ${copied}, exceeding the limit ${copiedBytesMax}`);
    result = applyOne(result, checked);
  }
  if (result === null || typeof result !== 'object' || Array.isArray(result)) throw new PatchError('failed', failed);
  return result;
}

const typeName = (value: JsonValue): string => (value === null ? 'null' : typeof value === 'boolean' ? 'bool' : typeof value);

function checkOperation(operation: JsonValue): Operation {
  if (operation === null || typeof operation !== 'object' || Array.isArray(operation)) {
    throw new PatchError('malformed', `error decoding patch: json: cannot unmarshal ${Array.isArray(operation) ? 'array' : typeName(operation)} into Go value of type handlers.jsonPatchOp`);
  }
  const { op, path, from } = operation;
  if (typeof op !== 'string' || !known.has(op) || typeof path !== 'string') throw new PatchError('failed', failed);
  if ((op === 'move' || op === 'copy') && typeof from !== 'string') throw new PatchError('failed', failed);
  if (reachesPrototype(path) || (typeof from === 'string' && reachesPrototype(from))) throw new PatchError('failed', failed);
  return operation as unknown as Operation;
}

const reachesPrototype = (pointer: string): boolean => pointer.split('/').some((segment) => segment === '__proto__');

function sizeOf(document: JsonValue, pointer: string): number {
  const value = lookUp(document, pointer);
  return value === undefined ? 0 : Buffer.byteLength(JSON.stringify(value));
}

function lookUp(document: JsonValue, pointer: string): JsonValue | undefined {
  let value: JsonValue | undefined = document;
  for (const segment of pointer.split('/').slice(1).map((each) => each.replaceAll('~1', '/').replaceAll('~0', '~'))) {
    if (value === null || typeof value !== 'object' || !Object.hasOwn(value, segment)) return undefined;
    value = (value as JsonObject)[segment];
  }
  return value;
}

function applyOne(document: JsonValue, operation: Operation): JsonValue {
  const absent = operation.op === 'replace' && lookUp(document, operation.path) === undefined;
  try {
    return jsonpatch.applyOperation(document, absent ? { ...operation, op: 'add' } as Operation : operation, true, true, false).newDocument;
  } catch (cause) {
    throw new PatchError('failed', failed, { cause });
  }
}
