import { setMember } from '../../api/members.js';
import type { JsonObject, JsonValue } from '../../api/object.js';
import { FieldSet, fieldElement } from './fieldset.js';
import { fieldsOf } from './fieldsof.js';
import { itemElement } from './items.js';
import { isObject } from '../../../api/json.js';
import { shapeOf, unknown, type Schema } from './schema.js';

/**
 * The value without the members and items that `fields` names. undefined: nothing is left. A container inside that becomes empty stays as null,
 * because its owner may be somebody else than the owner of what was in it; whoever decodes the object drops such nulls.
 */
export function without(value: JsonValue, fields: FieldSet, schema: Schema): JsonValue | undefined {
  const shape = shapeOf(schema, value);
  if (fields.isEmpty || shape.kind === 'leaf') return value;
  if (shape.kind === 'list') {
    if (shape.relationship === 'atomic' || !Array.isArray(value)) return value;
    const items = value.flatMap((item) => keep(item, fields.child(itemElement(shape, item)), shape.element));
    return items.length === 0 ? undefined : items;
  }
  if (shape.atomic || !isObject(value)) return value;
  const members: JsonObject = {};
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue;
    for (const left of keep(member, fields.child(fieldElement(name)), shape.member(name))) setMember(members, name, left);
  }
  return Object.keys(members).length === 0 ? undefined : members;
}

function keep(value: JsonValue, fields: FieldSet, schema: Schema): JsonValue[] {
  if (fields.self) return [];
  return [without(value, fields, schema) ?? null];
}

/**
 * The same set with every struct member on the way to a member made a member itself: `spec.template.x` brings `spec` and `spec.template`.
 * Without it a struct could not be told from a map entry when its last field is removed.
 */
export function withNamedParents(fields: FieldSet, schema: Schema): FieldSet {
  const children = new Map<string, FieldSet>();
  for (const [element, child] of fields.children) {
    const below = schemaBelow(schema, element);
    const closed = withNamedParents(child, below.schema);
    children.set(element, below.named ? FieldSet.of(true, closed.children) : closed);
  }
  return FieldSet.of(fields.self, children);
}

function schemaBelow(schema: Schema, element: string): { readonly schema: Schema; readonly named: boolean } {
  if (element.startsWith('f:')) {
    if (schema.kind === 'struct') { const field = schema.field(element.slice(2)); return { schema: field ?? unknown, named: field !== undefined }; }
    return { schema: schema.kind === 'map' ? schema.element : unknown, named: false };
  }
  return { schema: schema.kind === 'list' ? schema.element : unknown, named: false };
}

/**
 * Takes out of `merged` what the applier owned before and no longer sets, unless somebody else owns it.
 * `owners` is what all managers own after this apply, in this version.
 */
export function prune(merged: JsonObject, lastApplied: FieldSet, owners: FieldSet, schema: Schema): JsonObject {
  if (lastApplied.isEmpty) return merged;
  const parents = (fields: FieldSet): FieldSet => withNamedParents(fields, schema);
  const mergedFields = parents(fieldsOf(merged, schema));
  const last = parents(lastApplied);
  let pruned = (without(merged, last, schema) ?? {}) as JsonObject;
  // Give back what others own, with everything around it.
  pruned = (without(merged, mergedFields.difference(parents(fieldsOf(pruned, schema)).union(parents(owners))), schema) ?? {}) as JsonObject;
  // Give back what nobody owns but the pruning took away as part of a whole.
  const dangling = mergedFields.difference(parents(fieldsOf(pruned, schema))).intersection(last);
  return (without(merged, dangling, schema) ?? {}) as JsonObject;
}
