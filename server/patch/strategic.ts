import { printed } from './printed.js';
import { isObject } from '../../api/json/json.js';
import type { Steps } from '../../api/steps.js';
import { copyOf } from '../../api/json/copy.js';
import { setMember } from '../../api/json/setMember.js';
import type { JsonObject, JsonValue } from '../../api/object.js';
import { orderItems } from './strategicorder.js';
import { PatchError } from './patcherror.js';

/** The strategic merge behaviour of a member. */
export interface PatchField {
  /** `merge`, `replace`, `retainKeys`; empty by default (then structs merge and lists are replaced). */
  readonly strategies: readonly string[];
  /** The member that identifies items of a merged list. */
  readonly mergeKey: string | null;
  /** The type of the member, or of the items of a list; null for scalars. */
  readonly type: PatchType | null;
}
export interface PatchType {
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

/** Members or items that are merged in one step. */
export const mergedInStep = 256;

/**
 * Applies a strategic merge patch: a JSON Merge Patch in which lists of certain types are merged by a key, and directives delete, replace and order values.
 * Neither argument is changed. Throws PatchError.
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
  for (const [member, value] of Object.entries(patch)) {
    if (++merged % mergedInStep === 0) yield;
    if (member.startsWith(`${deleteFromPrimitiveList}/`)) deleteItems(original, member.slice(deleteFromPrimitiveList.length + 1), value);
    else yield* mergeMember(original, member, value ?? null, type?.field(member));
  }
  return original;
}

function* mergeMember(original: JsonObject, member: string, value: JsonValue, field: PatchField | undefined): Steps<void> {
  if (value === null) {
    delete original[member];
    return;
  }
  const current = Object.hasOwn(original, member) ? original[member] : undefined;
  const replaces = field?.strategies.includes('replace') === true;
  if (isObject(current) && isObject(value))
    setMember(original, member, replaces ? value : yield* mergeObject(current, value, field?.type ?? null));
  // A list that does not merge is taken literally: a directive in it is an unknown member.
  else if (Array.isArray(current) && Array.isArray(value))
    setMember(original, member, merges(field) ? yield* mergeList(current, value, field) : value);
  else setMember(original, member, plain(value));
}

const merges = (field: PatchField | undefined): field is PatchField => field?.strategies.includes('merge') === true;

function replaceOrDelete(patch: JsonObject): JsonObject {
  const directive = patch[patchDirective];
  delete patch[patchDirective];
  if (directive === 'replace') return patch;
  if (directive === 'delete') return {};
  throw new PatchError(
    'directive',
    `unknown patch type: ${String(directive)} in map: ${printed({ [patchDirective]: directive ?? null, ...patch })}`,
  );
}

/** `$retainKeys` removes members of the live object that the list does not name; the patch itself may set no others. */
function retainOnly(original: JsonObject, patch: JsonObject): void {
  if (!Object.hasOwn(patch, retainKeys)) return;
  const list = patch[retainKeys];
  delete patch[retainKeys];
  if (!Array.isArray(list)) throw new PatchError('directive', 'invalid patch format of retainKeys');
  const named = new Set<JsonValue>(list);
  const stranger = Object.entries(patch).some(([member, value]) => value !== null && !isDirective(member) && !named.has(member));
  if (stranger) throw new PatchError('directive', 'invalid patch format of retainKeys');
  for (const member of Object.keys(original)) if (!named.has(member)) delete original[member];
}

function* mergeOrderedLists(original: JsonObject, patch: JsonObject, type: PatchType | null): Steps<void> {
  for (const [directive, order] of Object.entries(patch)) {
    if (!directive.startsWith(setElementOrder)) continue;
    delete patch[directive];
    if (!Array.isArray(order)) throw new PatchError('directive', `expected a []interface {}, but received a ${goType(order)}`);
    const member = directive.slice(setElementOrder.length + 1);
    const current = listOf(original, member);
    const update = listOf(patch, member);
    if (current === undefined && update === undefined) continue;
    const field = type?.field(member);
    if (update !== undefined) checkOrder(update, order, field?.mergeKey ?? null);
    const merged =
      current === undefined
        ? (plain(update ?? []) as JsonValue[])
        : update === undefined || !merges(field)
          ? (update ?? current)
          : yield* mergeList(current, update, field);
    yield;
    setMember(original, member, orderItems(merged, { wanted: order, live: current ?? [] }, field?.mergeKey ?? null));
    delete patch[member];
  }
}

/** The patch's items must follow the same order. */
function checkOrder(update: readonly JsonValue[], order: readonly JsonValue[], mergeKey: string | null): void {
  const idOf = (item: JsonValue): JsonValue | undefined => (mergeKey !== null && isObject(item) ? item[mergeKey] : item);
  const set = update.filter((item) => !isObject(item) || item[patchDirective] === undefined);
  let next = 0;
  for (const item of order) if (next < set.length && idOf(set[next] as JsonValue) === idOf(item)) next++;
  if (order.length === 0 || next === set.length) return;
  throw new PatchError(
    'directive',
    `The order in patch list:\n${spellList(update)}\n doesn't match ${setElementOrder} list:\n${spellList(order)}\n`,
  );
}

const spellList = (items: readonly JsonValue[]): string =>
  `[${items.map((item) => (isObject(item) ? printed(item) : String(item))).join(' ')}]`;

function listOf(object: JsonObject, member: string): JsonValue[] | undefined {
  const value = Object.hasOwn(object, member) ? object[member] : undefined;
  if (value === undefined || value === null) return undefined;
  if (!Array.isArray(value)) throw new PatchError('directive', `expected a []interface {}, but received a ${goType(value)}`);
  return value;
}

function deleteItems(original: JsonObject, member: string, items: JsonValue | undefined): void {
  const current = Object.hasOwn(original, member) ? original[member] : undefined;
  if (!Array.isArray(current) || !Array.isArray(items)) return;
  const gone = new Set(items);
  setMember(
    original,
    member,
    current.filter((item) => !gone.has(item)),
  );
}

function* mergeList(current: JsonValue[], update: JsonValue[], field: PatchField): Steps<JsonValue[]> {
  if (!update.some(isObject) && !current.some(isObject)) {
    return orderItems([...new Set([...current, ...update])], { wanted: update, live: current }, null);
  }
  const key = field.mergeKey;
  if (key === null) throw new PatchError('directive', 'cannot merge lists without merge key');
  const { kept, items } = applyItemDirectives(current, update, key);
  const merged = [...kept];
  // The first item with a key counts. An index replaces searches: a body has room for a quarter of a million items.
  const positions = new Map<JsonValue | undefined, number>();
  for (const [position, each] of merged.entries()) if (isObject(each) && !positions.has(each[key])) positions.set(each[key], position);
  yield;
  for (const [merging, item] of items.entries()) {
    if (merging % mergedInStep === mergedInStep - 1) yield;
    const position = positions.get(item[key]);
    if (position !== undefined) merged[position] = yield* mergeObject(merged[position] as JsonObject, item, field.type);
    else positions.set(item[key], merged.push(plain(item)) - 1);
  }
  yield;
  return orderItems(merged, { wanted: items, live: kept }, key);
}

interface ItemsAfterDirectives {
  readonly kept: JsonValue[];
  readonly items: JsonObject[];
}

/** `$patch: delete` removes matching items; `$patch: replace` removes all live items. */
function applyItemDirectives(current: JsonValue[], update: JsonValue[], key: string): ItemsAfterDirectives {
  const items: JsonObject[] = [];
  const deleted = new Set<JsonValue>();
  let replace = false;
  for (const item of update) {
    if (!isObject(item)) throw new PatchError('directive', 'list elements are not all of the same type');
    const directive = item[patchDirective];
    if (directive === 'replace') {
      replace = true;
      continue;
    }
    if (directive !== undefined && directive !== 'delete')
      throw new PatchError('directive', `unknown patch type: ${String(directive)} in map: ${printed(item)}`);
    if (item[key] === undefined || item[key] === null)
      throw new PatchError('directive', `map: ${printed(item)} does not contain declared merge key: ${key}`);
    if (directive === 'delete') deleted.add(item[key]);
    else items.push(item);
  }
  const kept = deleted.size === 0 ? current : current.filter((each) => !isObject(each) || !deleted.has(each[key] ?? null));
  return replace ? { kept: items.map((item) => plain(item)), items: [] } : { kept, items };
}

/** A value without a counterpart in the object: its directives and nulls are dropped. */
function plain<T extends JsonValue>(value: T): T {
  if (Array.isArray(value))
    return value.filter((item) => !isObject(item) || item[patchDirective] === undefined).map((item) => plain(item)) as T;
  if (!isObject(value)) return value;
  const kept: JsonObject = {};
  for (const [member, each] of Object.entries(value as JsonObject)) {
    if (isDirective(member) || each === null || each === undefined) continue;
    if (isObject(each) && each[patchDirective] === 'delete') continue;
    setMember(kept, member, plain(each));
  }
  return kept as T;
}

const goType = (value: JsonValue | undefined): string => {
  if (isObject(value)) return 'map[string]interface {}';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  return typeof value === 'boolean' ? 'bool' : typeof value;
};
