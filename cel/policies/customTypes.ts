import { isObject } from '../../api/json/json.js';
import type { JsonObject, JsonValue } from '../../api/object.js';
import { dyn, list, map, object, typeOf, type Type } from '../check/types.js';
import { escapedName } from '../rules/names.js';
import { membersOf } from '../../api/json/members.js';
import { lazily, metadataType } from './builtInTypes.js';

/**
 * Types of custom resources in policies (`SchemaDeclType` of k8s.io/apiserver/pkg/cel/common, for the published schema). Parts that a schema leaves open are
 * dynamic.
 */

const string = typeOf('string');
const scalars: ReadonlyMap<JsonValue | undefined, Type> = new Map([
  ['boolean', typeOf('bool')],
  ['integer', typeOf('int')],
  ['number', typeOf('double')],
]);
/** Formats with types of their own. */
const formats: ReadonlyMap<JsonValue | undefined, Type> = new Map([
  ['byte', typeOf('bytes')],
  ['duration', typeOf('google.protobuf.Duration')],
  ['date', typeOf('google.protobuf.Timestamp')],
  ['date-time', typeOf('google.protobuf.Timestamp')],
]);

const known = new WeakMap<JsonObject, Type>();

/** Schemas are immutable, so their types are cached with them. */
export function customType(schema: JsonObject): Type {
  let type = known.get(schema);
  if (type === undefined) known.set(schema, (type = objectType(schema, true)));
  return type;
}

function typeFor(schema: JsonValue | undefined): Type {
  if (!isObject<JsonObject>(schema) || schema['x-kubernetes-int-or-string'] === true) return dyn;
  switch (schema['type']) {
    case 'array':
      return list(typeFor(schema['items']));
    case 'object':
      return objectType(schema, schema['x-kubernetes-embedded-resource'] === true);
    case 'string':
      return formats.get(schema['format']) ?? string;
    default:
      return scalars.get(schema['type']) ?? dyn;
  }
}

function objectType(schema: JsonObject, isResource: boolean): Type {
  const rest = schema['additionalProperties'];
  if (isObject<JsonObject>(rest)) return map(string, typeFor(rest));
  const open = schema['x-kubernetes-preserve-unknown-fields'] === true || rest === true;
  const properties = Object.entries(membersOf(schema['properties']));
  if (open && properties.length === 0 && !isResource) return dyn;
  const fields = new Map<string, () => Type>();
  for (const [name, property] of properties) {
    const escaped = escapedName(name);
    if (escaped !== null) fields.set(escaped, () => typeFor(property));
  }
  if (isResource) for (const [name, type] of frame) fields.set(name, type);
  return { ...object('object', lazily(fields)), ...(open ? { open } : {}) };
}

const frame: readonly (readonly [string, () => Type])[] = [
  ['apiVersion', () => string],
  ['kind', () => string],
  ['metadata', metadataType],
];
