import type { JsonObject, JsonValue } from '../../api/object.js';
import { isObject } from '../../api/json/json.js';
import { isNonStructural } from '../kinds/apiextensions.k8s.io/schema/schema.js';
import { objectAt } from '../../api/json/defaulting.js';
import { itemsOf, membersOf } from '../../api/json/members.js';

/** Schemas of definitions for one OpenAPI version (`builder.go` of apiextensions-apiserver). Pure. */

export type Dialect = 2 | 3;

/** A reference with a description to a type's short name. */
export type Described = (name: string, description: string) => JsonObject;

/** Version 3 ignores what stands next to a reference. */
export const describedRef =
  (ref: (name: string) => JsonObject, dialect: Dialect): Described =>
  (name, description) => ({ description, ...(dialect === 3 ? { allOf: [ref(name)] } : ref(name)) });

/** Clients search for the beginnings of these descriptions. */
export const frame: JsonObject = {
  apiVersion: { type: 'string', description: 'APIVersion defines in which group and version this object is written, such as apps/v1.' },
  kind: { type: 'string', description: 'Kind is the type of this object. It cannot be changed.' },
};

const preserve = 'x-kubernetes-preserve-unknown-fields';
const embedded = 'x-kubernetes-embedded-resource';
const intOrString = 'x-kubernetes-int-or-string';

export interface Words {
  readonly dialect: Dialect;
  readonly described: Described;
}

/**
 * Returns the schema of a whole object: common members and the definition's. Omits schemas that are not structural. Old clients refuse undescribed fields once
 * any are described, so version 2 describes nothing where unknown fields are allowed.
 */
export function schemaOfObject(schema: JsonObject, preservesUnknown: boolean, words: Words): JsonObject {
  const anything = preservesUnknown || schema[preserve] === true;
  if ((anything && words.dialect === 2) || isNonStructural(schema)) return { type: 'object' };
  const published = publishedSchema(schema, words);
  return { ...published, properties: { ...membersOf(published['properties']), ...membersOfObjects(words) } };
}

const membersOfObjects = ({ described }: Words): JsonObject => ({
  ...frame,
  metadata: described('meta.v1.ObjectMeta', "Standard object's metadata: name, labels, annotations and whatever else every object has."),
});

/** Schema members that contain schemas by name, one schema, or lists of schemas. */
const named: ReadonlySet<string> = new Set(['properties']);
const single: ReadonlySet<string> = new Set(['items', 'additionalProperties', 'not']);
const listed: ReadonlySet<string> = new Set(['allOf', 'anyOf', 'oneOf']);

function publishedSchema(schema: JsonObject, words: Words): JsonObject {
  const plain = words.dialect === 2 ? plainSchema(schema) : withAlternatives(schema);
  return withObject(Object.fromEntries(Object.entries(plain).map(([name, value]) => [name, publishedMember(name, value, words)])), words);
}

function publishedMember(name: string, value: JsonValue | undefined, words: Words): JsonValue | undefined {
  if (listed.has(name)) return itemsOf(value).map((each) => publishedSchema(membersOf(each), words));
  if (!isObject<JsonObject>(value)) return value;
  if (single.has(name)) return publishedSchema(value, words);
  if (!named.has(name)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, publishedSchema(membersOf(each), words)]));
}

/** Describes nested objects like whole ones, unless this would forbid other content in version 2. */
function withObject(schema: JsonObject, words: Words): JsonObject {
  if (schema[embedded] !== true || (words.dialect === 2 && schema[preserve] === true)) return schema;
  const required = itemsOf(schema['required']);
  return {
    ...schema,
    properties: { ...membersOf(schema['properties']), ...membersOfObjects(words) },
    required: [...required, ...['kind', 'apiVersion'].filter((name) => !required.includes(name))],
  };
}

const integerOrText: readonly JsonObject[] = [{ type: 'integer' }, { type: 'string' }];

/** Version 3 can express "integer or string", placed first unless the schema uses these words. */
function withAlternatives(schema: JsonObject): JsonObject {
  if (schema[intOrString] !== true || isIntegerOrText(schema)) return schema;
  const [first] = itemsOf(schema['allOf']);
  if (isObject<JsonObject>(first) && isIntegerOrText(first)) return schema;
  if (schema['anyOf'] === undefined) return { ...schema, anyOf: [...integerOrText] };
  return { ...schema, allOf: [{ anyOf: [...integerOrText] }, ...itemsOf(schema['allOf'])] };
}

function isIntegerOrText(schema: JsonObject): boolean {
  const choices = itemsOf(schema['anyOf']).map(membersOf);
  return (
    choices.length === integerOrText.length &&
    choices.every((choice, position) => choice['type'] === integerOrText[position]?.['type'] && Object.keys(choice).length === 1)
  );
}

/** Alternatives, missing in version 2, and defaults, misread by its old clients. */
const absentInV2: ReadonlySet<string> = new Set([...listed, 'not', 'nullable', 'default']);
/** These restrict a value beyond any type. */
const closing: ReadonlySet<string> = new Set(['items', 'properties']);

/**
 * Returns a schema for version 2 clients (`ToStructuralOpenAPIV2`): they ignore nullable, refuse unknown fields where any are declared, and cannot read a list
 * without described items. They accept a value without a type.
 */
function plainSchema(schema: JsonObject): JsonObject {
  const open = schema['nullable'] === true || schema[preserve] === true;
  const kept = Object.entries(schema).filter(([name]) => !absentInV2.has(name) && !(open && closing.has(name)));
  const { type, required, ...plain } = Object.fromEntries(kept);
  const wanted = requiredInV2(itemsOf(required), plain);
  const typeless = schema['nullable'] === true || (type === 'object' && open) || (type === 'array' && plain['items'] === undefined);
  return { ...(typeless || type === undefined ? {} : { type }), ...plain, ...(wanted.length === 0 ? {} : { required: wanted }) };
}

/** Nullable members do not count as required. */
function requiredInV2(required: readonly JsonValue[], { properties, additionalProperties }: JsonObject): JsonValue[] {
  if (membersOf(additionalProperties)['nullable'] === true) return [];
  return required.filter((name) => objectAt(membersOf(properties), String(name))?.['nullable'] !== true);
}
