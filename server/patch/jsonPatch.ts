import { quoted } from '../../workers/codecs/goQuotes.js';
import { sameJson } from '../../api/json/json.js';
import { writeJson } from '../../workers/codecs/jsonWriter.js';
import type { Steps } from '../../api/steps.js';
import { copyOf } from '../../api/json/copy.js';
import { goType } from '../../api/goTypes.js';
import type { JsonObject, JsonValue } from '../../api/object.js';
import { containerAt, insertElement, itemsBehind, memberOf, setElement, takeElement, type Container } from './jsonPointer.js';
import { sortOpened } from './openedOrder.js';
import { PatchError } from './patchError.js';

export const operationsMax = 10_000;
/** Bytes that all `copy` operations of a patch may produce: nested copies could double an object until memory ends. */
export const copiedBytesMax = 3 * 1024 * 1024;
/**
 * Limit of item moves in a patch: each insertion or removal moves the items after it. Ten thousand operations fit in lists of ten thousand items; that takes
 * half a second, in turns.
 */
export const movedItemsMax = 100_000_000;

/** Clients receive only this message; the cause has the details. */
const failed = (failure: string, isFailedTest = false): PatchError =>
  new PatchError('failed', 'the server rejected our request due to an error in our request', { cause: new Error(failure), isFailedTest });

interface Work {
  root: JsonValue;
  copiedBytes: number;
  movedItems: number;
  readonly opened: Set<Container>;
}
interface Operation {
  readonly path: string;
  readonly from: string;
  readonly value: JsonValue;
}

/**
 * Applies a JSON Patch (RFC 6902) to a copy of `document`; the result shares nothing with the patch. Throws PatchError. A step is an operation. The library
 * fast-json-patch copies the whole document for every `copy` and `move`, which keeps a server busy for minutes, and differs from the reference for absent
 * members and the whole document.
 */
export function* applyJsonPatch(document: JsonObject, patch: JsonValue): Steps<JsonObject> {
  // The reference takes null for an empty list, and a null entry for an operation without a name.
  const entries = patch ?? [];
  if (!Array.isArray(entries))
    throw new PatchError('malformed', `json: cannot unmarshal ${goType(entries)} into Go value of type jsonpatch.Patch`);
  if (entries.length > operationsMax)
    throw new PatchError('tooLarge', `The allowed maximum operations in a JSON patch is ${operationsMax}, got ${entries.length}`);
  const work: Work = { root: copyOf(document), copiedBytes: 0, movedItems: 0, opened: new Set() };
  for (const entry of entries) {
    const { op, operation } = read(entry);
    const apply = operations.get(op);
    const failure = apply === undefined ? `Unexpected kind: ${op}` : apply(work, operation);
    if (failure !== null) throw failed(failure);
    yield;
  }
  const { root } = work;
  if (root === null || typeof root !== 'object' || Array.isArray(root)) throw failed('the result is no object');
  yield* sortAll(work.opened.add(root));
  return root;
}

/** Members, since a container may have a thousand. */
const sortedInStep = 4_096;

function* sortAll(opened: ReadonlySet<Container>): Steps<void> {
  let sorted = 0;
  for (const container of opened) {
    sorted += 1 + (Array.isArray(container) ? 0 : sortOpened(container));
    if (sorted < sortedInStep) continue;
    sorted = 0;
    yield;
  }
}

/** Text members of an operation; its value may have any type. */
const texts = ['op', 'path', 'from'] as const;
const known: ReadonlySet<string> = new Set([...texts, 'value']);

/**
 * Checks the operations before any is applied; returns unknown members as `unknown field "[0].member"`, in order. Throws PatchError where the patch is no
 * list, or a member has the wrong type, which otherwise fails as an operation.
 */
export function checkOperations(patch: JsonValue): string[] {
  const malformed = (value: JsonValue, into: string): PatchError =>
    new PatchError('malformed', `error decoding patch: json: cannot unmarshal ${goType(value)} into Go ${into}`);
  const entries = patch ?? [];
  if (!Array.isArray(entries)) throw malformed(entries, 'value of type []handlers.jsonPatchOp');
  return entries.flatMap((entry, index) => {
    if (entry === null) return [];
    if (typeof entry !== 'object' || Array.isArray(entry)) throw malformed(entry, 'value of type handlers.jsonPatchOp');
    for (const member of texts) {
      const value = entry[member] ?? null;
      if (value !== null && typeof value !== 'string') throw malformed(value, `struct field jsonPatchOp.${member} of type string`);
    }
    return Object.keys(entry)
      .filter((member) => !known.has(member))
      .map((member) => `unknown field ${quoted(`[${index}].${member}`)}`);
  });
}

function read(entry: JsonValue): { readonly op: string; readonly operation: Operation } {
  if (entry === null) throw failed('Unexpected kind: unknown');
  if (typeof entry !== 'object' || Array.isArray(entry)) {
    throw new PatchError('malformed', `json: cannot unmarshal ${goType(entry)} into Go value of type jsonpatch.Operation`);
  }
  const { op, path, from = '', value = null } = entry;
  if (typeof op !== 'string') throw failed('Unexpected kind: unknown');
  if (typeof path !== 'string') throw failed(`${op} operation failed to decode path: ${missing}`);
  if (typeof from !== 'string') throw failed(`${op} operation failed to decode from: ${missing}`);
  if (reachesPrototype(path) || reachesPrototype(from)) throw failed(`${op} operation may not reach a prototype`);
  return { op, operation: { path, from, value } };
}

/** No legitimate member has this name, which may harm later code. */
const reachesPrototype = (pointer: string): boolean => pointer.split('/').includes('__proto__');

/** An operation's error in the words of the reference's library, for webhooks; null for success. */
type OperationError = string | null;
type Act = (container: Container, key: string) => OperationError;

const missing = 'missing value';
const badIndex = 'invalid index referenced';
const about = (text: string, why: OperationError): OperationError => (why === null ? null : `${text}: ${why}`);

const operations: ReadonlyMap<string, (work: Work, operation: Operation) => OperationError> = new Map([
  ['add', add],
  ['remove', remove],
  ['replace', replace],
  ['move', move],
  ['copy', copy],
  ['test', test],
]);

function within(work: Work, pointer: string, absent: string, act: Act): OperationError {
  const place = containerAt(work.root, pointer, work.opened);
  return place === null ? `${absent}: ${missing}` : act(place.container, place.key);
}

function insert(work: Work, container: Container, key: string, value: JsonValue): OperationError {
  countMoved(work, container, key);
  return insertElement(container, key, value) ? null : noPlace(key, `value was not a proper array index: '${key}': `);
}

function take(work: Work, container: Container, key: string): JsonValue | undefined {
  countMoved(work, container, key);
  return takeElement(container, key);
}

/** The key is no number, or outside the list. */
const noPlace = (key: string, prefix = ''): string =>
  /^[+-]?\d+$/.test(key)
    ? `Unable to access invalid index: ${Number(key)}: ${badIndex}`
    : `${prefix}strconv.Atoi: parsing ${JSON.stringify(key)}: invalid syntax`;

const notThere = (container: Container, key: string): string =>
  Array.isArray(container) ? noPlace(key) : `Unable to remove nonexistent key: ${key}: ${missing}`;

function countMoved(work: Work, container: Container, key: string): void {
  work.movedItems += itemsBehind(container, key);
  if (work.movedItems > movedItemsMax)
    throw new PatchError('tooLarge', `The operations of the JSON patch move more than ${movedItemsMax} items of lists`);
}

function add(work: Work, { path, value }: Operation): OperationError {
  return within(work, path, `add operation does not apply: doc is missing path: "${path}"`, (container, key) =>
    about(`error in add for path: '${path}'`, insert(work, container, key, copyOf(value))),
  );
}

function remove(work: Work, { path }: Operation): OperationError {
  return within(work, path, `remove operation does not apply: doc is missing path: "${path}"`, (container, key) =>
    take(work, container, key) === undefined ? `error in remove for path: '${path}': ${notThere(container, key)}` : null,
  );
}

/** An absent member is added, an absent item is not. */
function replace(work: Work, { path, value }: Operation): OperationError {
  if (path !== '')
    return within(work, path, `replace operation does not apply: doc is missing path: ${path}`, (container, key) =>
      setElement(container, key, copyOf(value)) ? null : `replace operation does not apply: doc is missing key: ${path}: ${missing}`,
    );
  if (typeof value !== 'object' || value === null) return 'replace operation value must be object or array';
  work.root = copyOf(value);
  return null;
}

function move(work: Work, { path, from }: Operation): OperationError {
  let moved: JsonValue = null;
  const taken = within(work, from, `move operation does not apply: doc is missing from path: ${from}`, (container, key) => {
    const value = take(work, container, key);
    if (value === undefined) return `error in move for path: '${key}': ${notThere(container, key)}`;
    moved = value;
    return null;
  });
  if (taken !== null) return taken;
  return within(work, path, `move operation does not apply: doc is missing destination path: ${path}`, (container, key) =>
    about(`error in move for path: '${path}'`, insert(work, container, key, moved)),
  );
}

/** An absent member is copied as null, which then means nothing. */
function copy(work: Work, { path, from }: Operation): OperationError {
  let copied: JsonValue = null;
  const found = within(work, from, `copy operation does not apply: doc is missing from path: ${from}`, (container, key) => {
    const value = memberOf(container, key);
    if (value === undefined) return `error in copy for from: '${from}': ${noPlace(key)}`;
    copied = value;
    return null;
  });
  if (found !== null) return found;
  work.copiedBytes += copied === null ? 0 : Buffer.byteLength(writeJson(copied));
  if (work.copiedBytes > copiedBytesMax) {
    throw new PatchError(
      'tooLarge',
      `Unable to complete the copy, the accumulated size increase of copy is ${work.copiedBytes}, exceeding the limit ${copiedBytesMax}`,
    );
  }
  return within(work, path, `copy operation does not apply: doc is missing destination path: ${path}`, (container, key) =>
    about('error while adding value during copy', insert(work, container, key, copyOf(copied))),
  );
}

/** An absent value equals null. */
function test(work: Work, { path, value }: Operation): OperationError {
  const compare = (found: JsonValue): null => {
    if (!sameJson(found, value)) throw failed(`testing value ${path} failed: test failed`, true);
    return null;
  };
  if (path === '') return compare(work.root);
  return within(work, path, `test operation does not apply: is missing path: ${path}`, (container, key) => {
    const found = memberOf(container, key);
    return found === undefined ? `error in test for path: '${path}': ${noPlace(key)}` : compare(found);
  });
}
