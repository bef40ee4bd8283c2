import { isObject } from '../../api/json/json.js';
import type { JsonObject, JsonValue } from '../../api/object.js';
import type { PatchField, PatchType } from '../../server/patch/strategic.js';
import { escaped } from './pointers.js';
import type { Pointer } from './recordings.js';

/** Makes patches of every kind for one change of an object. Null where a kind cannot express it. */

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
const membersOfBoth = (from: JsonObject, to: JsonObject): string[] => [...new Set([...Object.keys(from), ...Object.keys(to)])];

/** A merge patch (RFC 7386), which cannot set null. */
export function mergePatchOf(from: JsonObject, to: JsonObject): JsonObject | null {
  const patch: JsonObject = {};
  for (const member of membersOfBoth(from, to)) {
    const [before, after] = [from[member], to[member]];
    if (after === null) return null;
    if (after === undefined) patch[member] = null;
    else if (isObject(before) && isObject(after)) {
      const below = mergePatchOf(before, after);
      if (below === null) return null;
      if (Object.keys(below).length > 0) patch[member] = below;
    } else if (isObject(after) && hasNull(after)) return null;
    else if (!same(before, after)) patch[member] = after;
  }
  return patch;
}

const hasNull = (value: JsonObject): boolean => Object.values(value).some((each) => each === null || (isObject(each) && hasNull(each)));

/** A minimal JSON patch (RFC 6902), which tests before it removes. */
export function jsonPatchOf(from: JsonValue, to: JsonValue, at: Pointer = ''): JsonObject[] {
  if (same(from, to)) return [];
  if (Array.isArray(from) && Array.isArray(to)) return itemOperations(from, to, at);
  if (!isObject<JsonObject>(from) || !isObject<JsonObject>(to)) return [{ op: 'replace', path: at, value: to }];
  return membersOfBoth(from, to).flatMap((member): JsonObject[] => {
    const [before, after] = [from[member], to[member]];
    const path = `${at}/${escaped(member)}`;
    if (after === undefined)
      return [
        { op: 'test', path, value: before ?? null },
        { op: 'remove', path },
      ];
    return before === undefined ? [{ op: 'add', path, value: after }] : jsonPatchOf(before, after, path);
  });
}

/** From the end of the list, so that positions stay valid; repeated items are copies. */
function itemOperations(from: readonly JsonValue[], to: readonly JsonValue[], at: Pointer): JsonObject[] {
  const common = to.slice(0, from.length).flatMap((item, position) => jsonPatchOf(from[position] ?? null, item, `${at}/${position}`));
  const gone = from.slice(to.length).map((_, index): JsonObject => ({ op: 'remove', path: `${at}/${from.length - 1 - index}` }));
  const more = to.slice(from.length).map((item): JsonObject => {
    const position = to.slice(0, from.length).findIndex((known) => same(known, item));
    return position < 0 ? { op: 'add', path: `${at}/-`, value: item } : { op: 'copy', from: `${at}/${position}`, path: `${at}/-` };
  });
  return [...common, ...gone, ...more];
}

/** An equivalent JSON patch that moves each changed member aside and back. */
export function movingPatchOf(from: JsonObject, to: JsonObject): JsonObject[] {
  const aside = '/aside';
  return membersOfBoth(from, to)
    .filter((member) => from[member] !== undefined && !same(from[member], to[member]))
    .flatMap((member): JsonObject[] => {
      const [path, after] = [`/${escaped(member)}`, to[member]];
      return [
        { op: 'move', from: path, path: aside },
        ...(after === undefined
          ? []
          : [
              { op: 'replace', path: aside, value: after },
              { op: 'copy', from: aside, path },
            ]),
        { op: 'remove', path: aside },
      ];
    })
    .concat(
      Object.entries(to).flatMap(([member, value]) =>
        from[member] === undefined ? [{ op: 'add', path: `/${escaped(member)}`, value }] : [],
      ),
    );
}

/** A strategic merge patch with item directives and orders. It cannot set null, nor items with equal keys. */
export function strategicPatchOf(from: JsonObject, to: JsonObject, type: PatchType | null): JsonObject | null {
  const patch: JsonObject = {};
  for (const member of membersOfBoth(from, to)) {
    const [before, after] = [from[member], to[member]];
    if (same(before, after)) continue;
    if (after === null) return null;
    const said = after === undefined ? { [member]: null } : memberPatch(member, before, after, type?.field(member));
    if (said === null) return null;
    Object.assign(patch, said);
  }
  return patch;
}

function memberPatch(member: string, before: JsonValue | undefined, after: JsonValue, field: PatchField | undefined): JsonObject | null {
  const replaces = field?.strategies.includes('replace') === true;
  if (isObject<JsonObject>(after)) {
    if (!isObject<JsonObject>(before) || replaces)
      return hasNull(after) ? null : { [member]: replaces ? { $patch: 'replace', ...after } : after };
    const below = strategicPatchOf(before, after, field?.type ?? null);
    return below === null ? null : { [member]: below };
  }
  if (!Array.isArray(after) || field?.strategies.includes('merge') !== true) return { [member]: after };
  const old = Array.isArray(before) ? before : [];
  return field.mergeKey === null ? scalarsPatch(member, old, after) : itemsPatch(member, old, after, field.mergeKey, field.type);
}

function scalarsPatch(member: string, before: readonly JsonValue[], after: readonly JsonValue[]): JsonObject | null {
  const isPlain = (items: readonly JsonValue[]): boolean =>
    items.every((item) => item !== null && typeof item !== 'object') && new Set(items).size === items.length;
  if (!isPlain(before) || !isPlain(after)) return null;
  const [gone, added] = [before.filter((item) => !after.includes(item)), after.filter((item) => !before.includes(item))];
  return {
    [`$setElementOrder/${member}`]: [...after],
    ...(gone.length === 0 ? {} : { [`$deleteFromPrimitiveList/${member}`]: gone }),
    ...(added.length === 0 ? {} : { [member]: added }),
  };
}

function itemsPatch(
  member: string,
  before: readonly JsonValue[],
  after: readonly JsonValue[],
  key: string,
  type: PatchType | null,
): JsonObject | null {
  const [old, wanted] = [byKey(before, key), byKey(after, key)];
  if (old === null || wanted === null) return null;
  const items: JsonObject[] = [];
  for (const [id, item] of wanted) {
    const known = old.get(id);
    const said = known === undefined ? (hasNull(item) ? null : item) : strategicPatchOf(known, item, type);
    if (said === null) return null;
    if (known === undefined || Object.keys(said).length > 0) items.push({ ...said, [key]: id });
  }
  const gone = [...old.keys()].filter((id) => !wanted.has(id)).map((id): JsonObject => ({ $patch: 'delete', [key]: id }));
  return {
    [`$setElementOrder/${member}`]: [...wanted.keys()].map((id): JsonObject => ({ [key]: id })),
    ...(items.length + gone.length === 0 ? {} : { [member]: [...items, ...gone] }),
  };
}

/** Null where items have no key or equal ones. */
function byKey(items: readonly JsonValue[], key: string): Map<JsonValue, JsonObject> | null {
  const found = new Map<JsonValue, JsonObject>();
  for (const item of items) {
    const id = isObject<JsonObject>(item) ? item[key] : undefined;
    if (!isObject<JsonObject>(item) || id === undefined || id === null || typeof id === 'object' || found.has(id)) return null;
    found.set(id, item);
  }
  return found;
}

/** What a manager applies to own the whole object: all but server-set members. */
export function applied(object: JsonObject): JsonObject {
  const { managedFields: _managedFields, ...metadata } = isObject<JsonObject>(object['metadata']) ? object['metadata'] : {};
  return { ...object, metadata };
}

/** Whether applying `to` equals putting it: unapplied members stay, and list items stay by key. */
export function appliesAlike(from: JsonValue | undefined, to: JsonValue | undefined): boolean {
  if (Array.isArray(from)) return same(from, to);
  if (isObject<JsonObject>(from))
    return isObject<JsonObject>(to) && Object.entries(from).every(([member, value]) => appliesAlike(value, to[member]));
  return to !== undefined && !holdsNull(to);
}

/** Finds null at any depth: an apply cannot express it. */
export const holdsNull = (value: JsonValue | undefined): boolean =>
  value === null || (typeof value === 'object' && Object.values(value).some(holdsNull));
