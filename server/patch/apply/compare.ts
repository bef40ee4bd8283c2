import { entryOf } from '../../../api/json/members.js';
import type { Steps } from '../../../api/steps.js';
import type { JsonObject, JsonValue } from '../../../api/object.js';
import { FieldSet, fieldElement } from './fieldSet.js';
import { comparedInStep, indexItems } from './items.js';
import { isObject } from '../../../api/json/json.js';
import { isAtomic, shapeOf, unknownObject, type Schema, type Shape } from './schema.js';

/** The changes between two values of a type, as disjoint sets. */
export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

/** Compares field by field; atomic lists, maps and structs count as one field. */
export function* compare(before: JsonObject, after: JsonObject, schema: Schema): Steps<Comparison> {
  const changes = new Changes();
  const shape = shapeOf(schema, before, after);
  if (!isOneField(shape, before, after)) yield* below(changes, shape, before, after);
  return { added: setOf(false, changes.added), modified: setOf(false, changes.modified), removed: setOf(false, changes.removed) };
}

export const isSame = ({ added, modified, removed }: Comparison): boolean => added.isEmpty && modified.isEmpty && removed.isEmpty;

type Children = Map<string, FieldSet>;

/** Changes among a value's members or items, allocated on demand, since most values have none. */
class Changes {
  added: Children | null = null;
  modified: Children | null = null;
  removed: Children | null = null;
}

const none: ReadonlyMap<string, FieldSet> = new Map();
const setOf = (self: boolean, children: Children | null): FieldSet => FieldSet.of(self, children ?? none);
const isPresent = (set: FieldSet): boolean => !set.isEmpty;

/** Compares one member or item; `into` collects changes. Rarely, a value with its own members or items is left for later steps. */
// Runs for every field of what is compared: there is nothing to make an object for.
// oxlint-disable-next-line max-params
function values(
  into: Changes,
  element: string,
  schema: Schema,
  before: JsonValue | undefined,
  after: JsonValue | undefined,
): Steps<void> | null {
  if (before === undefined && after === undefined) return null;
  const another = schema.kind === 'unknown' && isAnotherKind(before, after);
  const shape = another ? shapeOf(schema, isObject(before) ? before : after) : shapeOf(schema, before, after);
  if (isOneField(shape, before, after)) {
    if (before === undefined) (into.added ??= new Map()).set(element, FieldSet.leaf);
    else if (after === undefined) (into.removed ??= new Map()).set(element, FieldSet.leaf);
    else if (!sameValue(before, after)) (into.modified ??= new Map()).set(element, FieldSet.leaf);
    return null;
  }
  return insides(into, element, shape, before, after);
}

// As above.
// oxlint-disable-next-line max-params
function* insides(into: Changes, element: string, shape: Shape, before: JsonValue | undefined, after: JsonValue | undefined): Steps<void> {
  const changes = new Changes();
  yield* below(changes, shape, before, after);
  const [added, modified, removed] = [
    setOf(before === undefined, changes.added),
    setOf(shape === unknownObject && isAnotherKind(before, after), changes.modified),
    setOf(after === undefined, changes.removed),
  ];
  if (isPresent(added)) (into.added ??= new Map()).set(element, added);
  if (isPresent(modified)) (into.modified ??= new Map()).set(element, modified);
  if (isPresent(removed)) (into.removed ??= new Map()).set(element, removed);
}

/** Replacing an object by something else, or the reverse, changes an untyped place itself, besides its members. */
const isAnotherKind = (before: JsonValue | undefined, after: JsonValue | undefined): boolean =>
  before !== undefined && before !== null && after !== undefined && after !== null && isObject(before) !== isObject(after);

function* below(changes: Changes, shape: Shape, before: JsonValue | undefined, after: JsonValue | undefined): Steps<void> {
  if (shape.kind === 'list') yield* items(changes, shape, before, after);
  else if (shape.kind === 'object') yield* members(changes, shape, before, after);
}

/** Compares two empty values as a whole, so that absent, null and empty differ; also values of different shapes. */
function isOneField(shape: Shape, before: JsonValue | undefined, after: JsonValue | undefined): boolean {
  return shape.kind === 'leaf' || isAtomic(shape) || (isBare(before) && isBare(after));
}

/** Most members are unchanged; each costs one look-up. */
function* members(
  changes: Changes,
  shape: Extract<Shape, { kind: 'object' }>,
  before: JsonValue | undefined,
  after: JsonValue | undefined,
): Steps<void> {
  const left = isObject(before) ? before : {};
  const right = isObject(after) ? after : {};
  let compared = 0;
  for (const name of Object.keys(left)) {
    if (++compared % comparedInStep === 0) yield;
    const [was, is] = [left[name], entryOf(right, name)];
    if (was === is) continue;
    const deeper = values(changes, fieldElement(name), shape.member(name), was, is);
    if (deeper !== null) yield* deeper;
  }
  for (const name of Object.keys(right)) {
    if (++compared % comparedInStep === 0) yield;
    if (Object.hasOwn(left, name)) continue;
    const deeper = values(changes, fieldElement(name), shape.member(name), undefined, right[name]);
    if (deeper !== null) yield* deeper;
  }
}

function* items(
  changes: Changes,
  shape: Extract<Shape, { kind: 'list' }>,
  old: JsonValue | undefined,
  now: JsonValue | undefined,
): Steps<void> {
  const left = yield* indexItems(shape, Array.isArray(old) ? old : []);
  const right = yield* indexItems(shape, Array.isArray(now) ? now : []);
  let compared = 0;
  for (const element of new Set([...left.elements, ...right.elements])) {
    if (++compared % comparedInStep === 0) yield;
    const [was, is] = [left.repeated.get(element), right.repeated.get(element)];
    if (was !== undefined && is !== undefined) {
      if (!sameValue([...was], [...is])) (changes.modified ??= new Map()).set(element, FieldSet.leaf);
      continue;
    }
    // A repeated item is one field, added or removed; a single one has its own fields.
    if (was !== undefined) (changes.removed ??= new Map()).set(element, FieldSet.leaf);
    if (is !== undefined) (changes.added ??= new Map()).set(element, FieldSet.leaf);
    const [before, after] = [
      was === undefined ? left.byElement.get(element) : undefined,
      is === undefined ? right.byElement.get(element) : undefined,
    ];
    const deeper = values(changes, element, shape.element, before, after);
    if (deeper !== null) yield* deeper;
  }
}

/** Absent, null, or an empty list or map. */
export function isBare(value: JsonValue | undefined): boolean {
  if (value === undefined || value === null) return true;
  if (typeof value !== 'object') return false;
  if (Array.isArray(value)) return value.length === 0;
  for (const _name in value) return false;
  return true;
}

/** Structural equality, ignoring the order of members. Numbers compare as doubles: a double member may be stored without a fraction and read as an integer. */
export function sameValue(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  if (a === b) return true;
  if (typeof a === 'bigint' ? typeof b === 'number' : typeof a === 'number' && typeof b === 'bigint') return Number(a) === Number(b);
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((item, position) => sameValue(item, b[position]));
  if (!isObject(a) || !isObject(b)) return false;
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => Object.hasOwn(b, name) && sameValue(a[name], b[name]));
}
