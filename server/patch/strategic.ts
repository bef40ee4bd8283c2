import { printed, printedAsText } from './printed.js';
import { isObject } from '../../api/json/json.js';
import { goTypeOf } from '../../api/goTypes.js';
import type { Steps } from '../../api/steps.js';
import { copyOf } from '../../api/json/copy.js';
import { setMember } from '../../api/json/setMember.js';
import type { JsonObject, JsonValue } from '../../api/object.js';
import { orderItems } from './strategicOrder.js';
import { PatchError } from './patchError.js';

export interface PatchField {
  /** `merge`, `replace`, `retainKeys`; empty by default (structs merge, lists are replaced). */
  readonly strategies: readonly string[];
  readonly mergeKey: string | null;
  readonly isList: boolean;
  /** The type of the member or a list's items; null for scalars. */
  readonly type: PatchType | null;
}
export interface PatchType {
  readonly name: string;
  readonly field: (name: string) => PatchField | undefined;
}

const patchDirective = '$patch';
const retainKeys = '$retainKeys';
const setElementOrder = '$setElementOrder';
const deleteFromPrimitiveList = '$deleteFromPrimitiveList';
const isDirective = (name: string): boolean =>
  name === patchDirective ||
  name === retainKeys ||
  name.startsWith(`${setElementOrder}/`) ||
  name.startsWith(`${deleteFromPrimitiveList}/`);

export const mergedInStep = 256;

/**
 * Applies a strategic merge patch: a JSON Merge Patch in which certain lists are merged by key, and directives delete, replace and order values. Neither
 * argument is changed. Throws PatchError.
 */
export function* applyStrategicPatch(document: JsonObject, patch: JsonObject, type: PatchType): Steps<JsonObject> {
  const [original, consumed] = [copyOf(document), copyOf(patch)];
  yield;
  return yield* mergeObject(original, consumed, type);
}

/** Changes and returns `original`; consumes `patch`. */
function* mergeObject(original: JsonObject, patch: JsonObject, type: PatchType | null): Steps<JsonObject> {
  if (Object.hasOwn(patch, patchDirective)) return replaceOrDelete(patch);
  retainOnly(original, patch);
  yield* mergeOrderedLists(original, patch, type);
  let merged = 0;
  for (const [name, value] of Object.entries(patch)) {
    if (++merged % mergedInStep === 0) yield;
    const deletes = name.startsWith(deleteFromPrimitiveList);
    const member = deletes ? directedMember(name, deleteFromPrimitiveList, 'primitive list') : name;
    yield* mergeMember(original, { member, value: value ?? null, deletes }, type?.field(member));
  }
  return original;
}

function directedMember(directive: string, prefix: string, what: string): string {
  if (directive.startsWith(`${prefix}/`)) return directive.slice(prefix.length + 1);
  throw new PatchError('malformed', `invalid patch format of ${what}`);
}

interface MemberPatch {
  readonly member: string;
  readonly value: JsonValue;
  /** True removes scalars of a list instead of adding them; items that are objects are merged regardless. */
  readonly deletes: boolean;
}

function* mergeMember(original: JsonObject, { member, value, deletes }: MemberPatch, field: PatchField | undefined): Steps<void> {
  if (value === null) {
    delete original[member];
    return;
  }
  const current = Object.hasOwn(original, member) ? original[member] : undefined;
  if (isObject(current) && isObject(value)) {
    const replaces = field?.strategies.includes('replace') === true;
    setMember(original, member, replaces ? value : yield* mergeObject(current, value, field?.type ?? null));
  } else if (Array.isArray(current) && Array.isArray(value)) {
    // A replaced list is literal: a directive in it is an unknown member.
    setMember(original, member, merges(field) || deletes ? yield* mergeList(current, value, { field, deletes }) : value);
  } else if (!deletes || goTypeOf(current) === goTypeOf(value)) setPlain(original, member, value);
}

/** Sets a value of the patch without a counterpart in the object; a directive removes the member. */
function setPlain(original: JsonObject, member: string, value: JsonValue): void {
  const kept = withoutDirectives(value, { keepsNulls: false });
  if (kept === undefined) delete original[member];
  else setMember(original, member, kept);
}

const merges = (field: PatchField | undefined): boolean => field?.strategies.includes('merge') === true;

function replaceOrDelete(patch: JsonObject): JsonObject {
  const directive = patch[patchDirective];
  if (directive !== 'replace' && directive !== 'delete') throw unknownDirective(patch);
  delete patch[patchDirective];
  return directive === 'replace' ? patch : {};
}

const unknownDirective = (patch: JsonObject): PatchError =>
  new PatchError('directive', `unknown patch type: ${printedAsText(patch[patchDirective])} in map: ${printed(patch)}`);

/** `$retainKeys` removes members of the live object not in its list; the patch may set no others. */
function retainOnly(original: JsonObject, patch: JsonObject): void {
  if (!Object.hasOwn(patch, retainKeys)) return;
  const list = patch[retainKeys];
  delete patch[retainKeys];
  if (!Array.isArray(list)) throw new PatchError('malformed', 'invalid patch format of retainKeys');
  const named = new Set<JsonValue>(list);
  const setsOthers = Object.entries(patch).some(([member, value]) => value !== null && !isDirective(member) && !named.has(member));
  if (setsOthers) throw new PatchError('malformed', 'invalid patch format of retainKeys');
  for (const member of Object.keys(original)) if (!named.has(member)) delete original[member];
}

function* mergeOrderedLists(original: JsonObject, patch: JsonObject, type: PatchType | null): Steps<void> {
  for (const [directive, order] of Object.entries(patch)) {
    if (!directive.startsWith(setElementOrder)) continue;
    delete patch[directive];
    if (!Array.isArray(order)) throw noList(order);
    const member = directedMember(directive, setElementOrder, 'setElementOrder list');
    const [current, update] = [listOf(original, member), listOf(patch, member)];
    const field = orderedField(type, member);
    const key = field?.mergeKey ?? null;
    checkOrder(update ?? [], order, key);
    if (current === undefined && update === undefined) continue;
    const merged = yield* mergeOrdered(current, update, field);
    yield;
    setMember(
      original,
      member,
      orderedItems(merged, { wanted: order, live: current ?? [] }, key, haveObjects([current ?? [], update ?? []])),
    );
    delete patch[member];
  }
}

/** Throws if the type lacks this member, or it is no list. */
function orderedField(type: PatchType | null, member: string): PatchField | undefined {
  const field = type?.field(member);
  if (type !== null && field === undefined)
    throw new PatchError('directive', `unable to find api field in struct ${type.name} for the json field ${JSON.stringify(member)}`);
  if (field?.isList === false) throw new PatchError('directive', 'expected slice or array type, but got: struct');
  return field;
}

function* mergeOrdered(
  current: JsonValue[] | undefined,
  update: JsonValue[] | undefined,
  field: PatchField | undefined,
): Steps<readonly JsonValue[]> {
  if (update === undefined) return current ?? [];
  if (current === undefined) return itemsWithoutDirectives(update, { keepsNulls: true });
  return merges(field) ? yield* mergeList(current, update, { field, deletes: false }) : update;
}

/** The patch's items must follow the same order. */
function checkOrder(update: readonly JsonValue[], order: readonly JsonValue[], key: string | null): void {
  if (update.length === 0 || order.length === 0) return;
  const set = key === null ? update : update.filter((item) => objectIn(item)[patchDirective] !== 'delete');
  let next = 0;
  for (let wanted = 0; next < set.length && wanted < order.length;) {
    const item = set[next] ?? null;
    const isDirective = isObject<JsonObject>(item) && item[patchDirective] !== undefined;
    if (isDirective || identityOf(item, key) === identityOf(order[wanted] ?? null, key)) next++;
    if (!isDirective) wanted++;
  }
  if (next === set.length) return;
  throw new PatchError(
    'directive',
    `The order in patch list:\n${printed([...update])}\n doesn't match ${setElementOrder} list:\n${printed([...order])}\n`,
  );
}

/** Throws where the key is missing. */
function identityOf(item: JsonValue, key: string | null): JsonValue | undefined {
  if (key === null) return item;
  const object = objectIn(item);
  if (Object.hasOwn(object, key)) return object[key];
  throw new PatchError('directive', `map: ${printed(object)} does not contain declared merge key: ${key}`);
}

function objectIn(item: JsonValue): JsonObject {
  if (isObject<JsonObject>(item)) return item;
  throw new PatchError('directive', `expected a map[string]interface {}, but received a ${typeInMessage(item)}`);
}

const noList = (value: JsonValue | undefined): PatchError =>
  new PatchError('directive', `expected a []interface {}, but received a ${typeInMessage(value)}`);

/** Go prints no name for the type of nothing. */
const typeInMessage = (value: JsonValue | undefined): string =>
  value === null || value === undefined ? printedAsText(null) : goTypeOf(value);

function listOf(object: JsonObject, member: string): JsonValue[] | undefined {
  if (!Object.hasOwn(object, member)) return undefined;
  const value = object[member];
  if (!Array.isArray(value)) throw noList(value);
  return value;
}

/** Orders a merged list, all of whose items have keys. */
function orderedItems(
  merged: readonly JsonValue[],
  { wanted, live }: { readonly wanted: readonly JsonValue[]; readonly live: readonly JsonValue[] },
  key: string | null,
  ofObjects: boolean,
): JsonValue[] {
  if (key !== null) checkPlaces(merged, wanted, key);
  if (ofObjects) for (const item of [...wanted, ...merged, ...live]) identityOf(item, key ?? '');
  return orderItems(merged, { wanted, live }, key);
}

/** Every merged item has its key, and is searched in order, up to the first item that is no object. */
function checkPlaces(merged: readonly JsonValue[], wanted: readonly JsonValue[], key: string): void {
  const ids = merged.map((item) => identityOf(item, key));
  const odd = wanted.findIndex((item) => !isObject(item));
  if (odd < 0) return;
  const before = new Set(wanted.slice(0, odd).map((item) => (item as JsonObject)[key]));
  if (ids.some((id) => !before.has(id))) throw new PatchError('directive', `value for key ${odd} is not a map`);
}

/** All items must be of one type. */
function haveObjects(lists: readonly (readonly JsonValue[])[]): boolean {
  const types = new Set(lists.flatMap((list) => list.map(goTypeOf)));
  if (types.size === 0) throw new PatchError('directive', 'no elements in any of the given slices');
  if (types.size > 1) throw new PatchError('directive', `list element types are not identical: ${printed(lists.map((list) => [...list]))}`);
  return types.has('map[string]interface {}');
}

function* mergeList(
  current: JsonValue[],
  update: JsonValue[],
  { field, deletes }: { readonly field: PatchField | undefined; readonly deletes: boolean },
): Steps<JsonValue[]> {
  if (current.length === 0 && update.length === 0) return current;
  const key = field?.mergeKey ?? null;
  if (!haveObjects([current, update])) {
    const named = new Set(update);
    if (deletes) return current.filter((item) => !named.has(item));
    return orderedItems([...new Set([...current, ...update])], { wanted: update, live: current }, key, false);
  }
  if (key === null) throw new PatchError('directive', 'cannot merge lists without merge key for struct');
  const { kept, items } = applyItemDirectives(current as JsonObject[], update as JsonObject[], key);
  const merged = yield* mergeItems(kept, items, key, field?.type ?? null);
  yield;
  return orderedItems(merged, { wanted: items, live: kept }, key, true);
}

function* mergeItems(kept: readonly JsonObject[], items: readonly JsonObject[], key: string, type: PatchType | null): Steps<JsonObject[]> {
  const merged = [...kept];
  // An index replaces searches of long lists; the first item with a key counts.
  const positions = new Map<JsonValue | undefined, number>();
  for (const [position, each] of merged.entries())
    if (Object.hasOwn(each, key) && !positions.has(each[key])) positions.set(each[key], position);
  yield;
  for (const [merging, item] of items.entries()) {
    if (merging % mergedInStep === mergedInStep - 1) yield;
    const position = positions.get(identityOf(item, key));
    if (position !== undefined) merged[position] = yield* mergeObject(merged[position] as JsonObject, item, type);
    // A new item is literal, like a replaced list.
    else positions.set(item[key], merged.push(item) - 1);
  }
  return merged;
}

interface ItemsAfterDirectives {
  readonly kept: readonly JsonObject[];
  readonly items: readonly JsonObject[];
}

/** Items of the patch with `$patch: delete` remove their matches; one with `$patch: replace` removes all live items. */
function applyItemDirectives(current: readonly JsonObject[], update: readonly JsonObject[], key: string): ItemsAfterDirectives {
  const items: JsonObject[] = [];
  const deleted = new Set<JsonValue | undefined>();
  let replace = false;
  for (const item of update) {
    const directive = item[patchDirective];
    if (directive === undefined) items.push(item);
    else if (directive === 'delete') deleted.add(identityOf(item, key));
    else if (directive === 'replace') replace = true;
    else if (directive === 'merge') throw new PatchError('directive', 'merging lists cannot yet be specified in the patch');
    else throw unknownDirective(item);
  }
  if (replace) return { kept: items, items: [] };
  const kept = deleted.size === 0 ? current : current.filter((each) => !Object.hasOwn(each, key) || !deleted.has(each[key]));
  return { kept, items };
}

/**
 * A value of the patch without a counterpart in the object: parts with `$patch` have no effect and go, as do null members, unless their list has an order
 * (`mergePatchIntoOriginal` in util/strategicpatch/patch.go). Other directives stay, as unknown members.
 */
function withoutDirectives(value: JsonValue, options: NullOptions): JsonValue | undefined {
  if (Array.isArray(value)) return itemsWithoutDirectives(value, options);
  if (!isObject<JsonObject>(value)) return value;
  if (Object.hasOwn(value, patchDirective)) return undefined;
  const kept: JsonObject = {};
  for (const [member, each = null] of Object.entries(value)) {
    const below = each === null && !options.keepsNulls ? undefined : withoutDirectives(each, options);
    if (below !== undefined) setMember(kept, member, below);
  }
  return kept;
}

interface NullOptions {
  readonly keepsNulls: boolean;
}

const itemsWithoutDirectives = (items: readonly JsonValue[], options: NullOptions): JsonValue[] =>
  items.map((item) => withoutDirectives(item, options)).filter((item) => item !== undefined);
