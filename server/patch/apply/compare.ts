import type { JsonObject, JsonValue } from '../../api/object.js';
import { FieldSetBuilder, type FieldSet, fieldElement } from './fieldset.js';
import { indexItems } from './items.js';
import { isObject, shapeOf, type Schema, type Shape } from './schema.js';

/** What changed between two values of one type. The three sets are disjoint. */
export interface Comparison { readonly added: FieldSet; readonly modified: FieldSet; readonly removed: FieldSet }

/** Compares field by field; atomic lists, maps and structs count as one field. */
export function compare(before: JsonObject, after: JsonObject, schema: Schema): Comparison {
  const walk = new Walk();
  walk.values([], schema, before, after);
  return { added: walk.added.build(), modified: walk.modified.build(), removed: walk.removed.build() };
}

export const isSame = ({ added, modified, removed }: Comparison): boolean => added.isEmpty && modified.isEmpty && removed.isEmpty;

class Walk {
  readonly added = new FieldSetBuilder();
  readonly modified = new FieldSetBuilder();
  readonly removed = new FieldSetBuilder();

  values(path: readonly string[], schema: Schema, before: JsonValue | undefined, after: JsonValue | undefined): void {
    if (before === undefined && after === undefined) return;
    const shape = shapeOf(schema, before, after);
    if (this.isOneField(shape, before, after)) { this.oneField(path, before, after); return; }
    if (shape.kind === 'list') this.items(path, shape, before, after);
    else if (shape.kind === 'object') this.members(path, shape, before, after);
    if (path.length === 0) return;
    if (before === undefined) this.added.insert(path);
    else if (after === undefined) this.removed.insert(path);
  }

  /** Two empty values are compared as a whole, so that absent, null and empty stay apart; so are values of different shapes. */
  private isOneField(shape: Shape, before: JsonValue | undefined, after: JsonValue | undefined): boolean {
    if (shape.kind === 'leaf') return true;
    if (shape.kind === 'list' ? shape.relationship === 'atomic' : shape.atomic) return true;
    return isBare(before) && isBare(after);
  }

  private oneField(path: readonly string[], before: JsonValue | undefined, after: JsonValue | undefined): void {
    if (path.length === 0) return;
    if (before === undefined) this.added.insert(path);
    else if (after === undefined) this.removed.insert(path);
    else if (!sameValue(before, after)) this.modified.insert(path);
  }

  private members(path: readonly string[], shape: Extract<Shape, { kind: 'object' }>, before: JsonValue | undefined, after: JsonValue | undefined): void {
    const left = isObject(before) ? before : {};
    const right = isObject(after) ? after : {};
    for (const name of new Set([...Object.keys(left), ...Object.keys(right)])) {
      this.values([...path, fieldElement(name)], shape.member(name), own(left, name), own(right, name));
    }
  }

  private items(path: readonly string[], shape: Extract<Shape, { kind: 'list' }>, before: JsonValue | undefined, after: JsonValue | undefined): void {
    const left = indexItems(shape, Array.isArray(before) ? before : [], 'first');
    const right = indexItems(shape, Array.isArray(after) ? after : [], 'first');
    for (const element of new Set([...left.elements, ...right.elements])) {
      this.values([...path, element], shape.element, left.byElement.get(element), right.byElement.get(element));
    }
  }
}

const own = (object: JsonObject, name: string): JsonValue | undefined => (Object.hasOwn(object, name) ? object[name] : undefined);
const isBare = (value: JsonValue | undefined): boolean =>
  value === undefined || value === null || (typeof value === 'object' && (Array.isArray(value) ? value.length === 0 : Object.keys(value).length === 0));

/** Structural equality; the order of members does not matter. */
export function sameValue(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((item, position) => sameValue(item, b[position]));
  if (!isObject(a) || !isObject(b)) return false;
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => Object.hasOwn(b, name) && sameValue(a[name], b[name]));
}
