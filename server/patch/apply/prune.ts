import type { Steps } from '../../../api/steps.js';
import { copyOf } from '../../../api/json/copy.js';
import { setMember } from '../../../api/json/setMember.js';
import type { ApiObject, JsonObject, JsonValue } from '../../../api/object.js';
import { FieldSet, fieldElement } from './fieldSet.js';
import { fieldsOf } from './fieldsOf.js';
import { comparedInStep, itemElement } from './items.js';
import { isObject } from '../../../api/json/json.js';
import type { ManagerEntry, Managers } from './managers.js';
import { converted, type Converting, type Versions } from './ownership.js';
import { emptyValue, shapeOf, unknown, type Schema } from './schema.js';

/** Removes the members and items in `fields`; undefined when nothing is left. An emptied container stays: it may have another owner. */
function* without(value: JsonValue, fields: FieldSet, schema: Schema): Steps<JsonValue | undefined> {
  const shape = shapeOf(schema, value);
  if (fields.isEmpty || shape.kind === 'leaf') return value;
  if (shape.kind === 'list') {
    if (shape.relationship === 'atomic' || !Array.isArray(value)) return value;
    const items: JsonValue[] = [];
    for (const [position, item] of value.entries()) {
      if (position % comparedInStep === comparedInStep - 1) yield;
      const own = fields.child(itemElement(shape, item));
      if (!own.self) items.push(yield* left(item, own, shape.element));
    }
    return items.length === 0 ? undefined : items;
  }
  if (shape.atomic || !isObject(value)) return value;
  const members: JsonObject = {};
  let looked = 0;
  for (const name of Object.keys(value)) {
    if (++looked % comparedInStep === 0) yield;
    const member = (value as JsonObject)[name];
    const own = fields.child(fieldElement(name));
    if (member !== undefined && !own.self) setMember(members, name, yield* left(member, own, shape.member(name)));
  }
  return Object.keys(members).length === 0 ? undefined : members;
}

function* left(value: JsonValue, fields: FieldSet, schema: Schema): Steps<JsonValue> {
  return fields.isEmpty ? value : ((yield* without(value, fields, schema)) ?? emptied(value));
}

const emptied = (value: JsonValue): JsonValue => (Array.isArray(value) ? [] : isObject(value) ? {} : value);

/**
 * Adds every struct member on the way to a member: `spec.template.x` adds `spec` and `spec.template`. Otherwise these would go with their last field, like map
 * entries.
 */
function* withNamedParents(fields: FieldSet, schema: Schema): Steps<FieldSet> {
  const children = new Map<string, FieldSet>();
  for (const [element, child] of fields.children) {
    if (children.size % comparedInStep === comparedInStep - 1) yield;
    const below = schemaBelow(schema, element);
    const closed = child.children.size === 0 ? child : yield* withNamedParents(child, below.schema);
    children.set(element, below.named ? FieldSet.of(true, closed.children) : closed);
  }
  return FieldSet.of(fields.self, children);
}

function schemaBelow(schema: Schema, element: string): { readonly schema: Schema; readonly named: boolean } {
  if (element.startsWith('f:')) {
    if (schema.kind === 'struct') {
      const field = schema.field(element.slice(2));
      return { schema: field ?? unknown, named: field !== undefined };
    }
    return { schema: schema.kind === 'map' ? schema.element : unknown, named: false };
  }
  return { schema: schema.kind === 'list' ? schema.element : unknown, named: false };
}

/** Identity and server-owned members, which an applier never removes. */
const keptMembers = ['name', 'namespace', 'uid', 'resourceVersion', 'generation', 'creationTimestamp', 'selfLink'] as const;
const kept = FieldSet.fromFieldsV1({ 'f:metadata': Object.fromEntries(keptMembers.map((name) => [`f:${name}`, {}])) });

export interface Pruning {
  /** The applier's earlier fields in their recorded version; undefined or empty at first. */
  readonly last: ManagerEntry | undefined;
  readonly owners: Managers;
  readonly apiVersion: string;
  readonly versions: Versions;
}

/**
 * Removes from `merged` the fields that the applier no longer sets, unless another manager owns them. The removal happens in the version of its last apply; if
 * that no longer exists, nothing is removed.
 */
export function* prune(merged: ApiObject, { last, owners, apiVersion, versions }: Pruning): Steps<ApiObject> {
  if (last === undefined || last.fields.isEmpty) return merged;
  const as = 'failed to prune fields: ';
  const whole = yield* inVersion(merged, apiVersion, last.apiVersion, {
    versions,
    as: `${as}failed to convert merged object to last applied version: `,
  });
  if (whole === null) return merged;
  const { object, schema } = whole;
  let pruned = yield* taken(object, yield* withNamedParents(last.fields, schema), schema);
  // Prunes this version first, as conversions to others may need the pruned parts.
  const others = [...new Set([...owners.values()].map((entry) => entry.apiVersion))].filter(
    (version) => version !== last.apiVersion && versions.schemaOf(version) !== null,
  );
  for (const version of [last.apiVersion, ...others])
    pruned = yield* withOwned(object, pruned, { version, from: last.apiVersion, owners, versions });
  const remaining = yield* withDangling(object, pruned, last.fields, schema);
  return (yield* inVersion(remaining, last.apiVersion, apiVersion, { versions, as }))?.object ?? merged;
}

function* inVersion(
  object: ApiObject,
  from: string,
  to: string,
  converting: Converting,
): Steps<{ readonly object: ApiObject; readonly schema: Schema } | null> {
  const schema = converting.versions.schemaOf(to);
  if (schema === null) return null;
  const form = from === to ? object : yield* converted(copyOf(object as JsonObject) as ApiObject, from, to, converting);
  return form === null ? null : { object: form, schema };
}

function* taken(object: ApiObject, fields: FieldSet, schema: Schema): Steps<ApiObject> {
  return ((yield* without(object as JsonObject, fields, schema)) ?? {}) as ApiObject;
}

interface Owned {
  readonly version: string;
  readonly from: string;
  readonly owners: Managers;
  readonly versions: Versions;
}

/** Restores what is owned in one version, with its parents. */
function* withOwned(merged: ApiObject, pruned: ApiObject, { version, from, owners, versions }: Owned): Steps<ApiObject> {
  const saying = (what: string): Converting => ({
    versions,
    as: `failed to prune fields: failed add back owned items: failed to convert ${what} object at version ${version}: `,
  });
  const whole = yield* inVersion(merged, from, version, saying('merged'));
  const part = yield* inVersion(pruned, from, version, saying('pruned'));
  if (whole === null || part === null) return pruned;
  const { schema } = whole;
  const owned = [...owners.values()].filter((entry) => entry.apiVersion === version).map(({ fields }) => fields);
  const closed = yield* withNamedParents(FieldSet.unionOf([...owned, kept]), schema);
  const present = yield* parentsOf(
    version === from ? part.object : ((yield* filled(part.object as JsonObject, schema)) as ApiObject),
    schema,
  );
  const gone = (yield* parentsOf(whole.object, schema)).difference(present.union(closed));
  yield;
  const given = yield* taken(whole.object, gone, schema);
  return (yield* inVersion(given, version, from, saying('pruned')))?.object ?? pruned;
}

/** Adds the zeros of a conversion through Go's types, where members always exist. */
function* filled(value: JsonValue, schema: Schema): Steps<JsonValue> {
  const shape = shapeOf(schema, value);
  if (shape.kind === 'list' && Array.isArray(value)) {
    const items: JsonValue[] = [];
    for (const item of value) {
      if (items.length % comparedInStep === comparedInStep - 1) yield;
      items.push(yield* filled(item, shape.element));
    }
    return items;
  }
  if (shape.kind !== 'object' || !isObject<JsonObject>(value)) return value;
  const members = emptyValue(schema);
  let looked = 0;
  for (const [name, member] of Object.entries(value)) {
    if (++looked % comparedInStep === 0) yield;
    if (member !== undefined) setMember(members, name, yield* filled(member, shape.member(name)));
  }
  return members;
}

/** Restores parts without an owner, pruned with their parent. */
function* withDangling(merged: ApiObject, pruned: ApiObject, last: FieldSet, schema: Schema): Steps<ApiObject> {
  const remaining = yield* parentsOf(pruned, schema);
  const gone = (yield* parentsOf(merged, schema)).difference(remaining);
  return yield* taken(merged, gone.intersection(yield* withNamedParents(last, schema)), schema);
}

function* parentsOf(object: ApiObject, schema: Schema): Steps<FieldSet> {
  return yield* withNamedParents(yield* fieldsOf(object as JsonObject, schema), schema);
}
