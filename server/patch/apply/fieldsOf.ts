import type { Steps } from '../../../api/steps.js';
import type { JsonObject, JsonValue } from '../../../api/object.js';
import { FieldSet, fieldElement } from './fieldSet.js';
import { comparedInStep, indexItems } from './items.js';
import { isObject } from '../../../api/json/json.js';
import { shapeOf, type Schema } from './schema.js';

/**
 * Returns the fields that a value sets, down to its leaves: an applier owns these. A repeated item is one field. Only leaves represent struct members; map
 * members and list items are included themselves, because they can be removed as a whole.
 */
export function* fieldsOf(value: JsonValue, schema: Schema): Steps<FieldSet> {
  return FieldSet.of(false, (yield* childrenOf(value, schema)) ?? new Map());
}

/** Null for a leaf (or atomic value), owned by its own path. */
function* childrenOf(value: JsonValue, schema: Schema): Steps<Map<string, FieldSet> | null> {
  const shape = shapeOf(schema, value);
  if (shape.kind === 'leaf') return null;
  if (shape.kind === 'list') {
    if (shape.relationship === 'atomic') return null;
    const { byElement, repeated } = yield* indexItems(shape, Array.isArray(value) ? value : []);
    const children = new Map<string, FieldSet>();
    for (const [element, item] of byElement) {
      const below = repeated.has(element) ? null : yield* childrenOf(item, shape.element);
      children.set(element, FieldSet.of(true, below ?? new Map()));
      if (children.size % comparedInStep === 0) yield;
    }
    return children;
  }
  if (shape.atomic) return null;
  const children = new Map<string, FieldSet>();
  const members = isObject<JsonObject>(value) ? value : {};
  for (const name of Object.keys(members)) {
    const member = members[name];
    if (member === undefined) continue;
    const below = yield* childrenOf(member, shape.member(name));
    const self = below === null || member === null || (isObject(member) && Object.keys(member).length === 0) || !shape.isField(name);
    children.set(fieldElement(name), FieldSet.of(self, below ?? new Map()));
    if (children.size % comparedInStep === 0) yield;
  }
  return children;
}
