import { isObject } from '../../../api/json/json.js';
import type { JsonObject, JsonValue } from '../../../api/object.js';
import { dyn, list, map, object, typeOf, type Type } from '../../cel/check/types.js';
import { escapedName } from '../../cel/rules/names.js';
import { membersOf } from '../../../api/json/members.js';
import { lazily, metadataType } from './builtInTypes.js';

/**
 * Kinds of definitions as expressions of policies see them (`SchemaDeclType` of k8s.io/apiserver/pkg/cel/common, of the schema that is published). What a schema leaves open
 * may be anything: objects of policies come as they are, not as their schema sees them.
 */

const string = typeOf('string');
const scalars: ReadonlyMap<JsonValue | undefined, Type> = new Map([
  ['boolean', typeOf('bool')],
  ['integer', typeOf('int')],
  ['number', typeOf('double')],
]);
/** Texts that are values of their own. */
const formats: ReadonlyMap<JsonValue | undefined, Type> = new Map([
  ['byte', typeOf('bytes')],
  ['duration', typeOf('google.protobuf.Duration')],
  ['date', typeOf('google.protobuf.Timestamp')],
  ['date-time', typeOf('google.protobuf.Timestamp')],
]);

const known = new WeakMap<JsonObject, Type>();

/** The type of objects with a structural schema. Schemas do not change: what was made of one is kept as long as it is there. */
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

/** What every object has, whatever its schema says. */
const frame: readonly (readonly [string, () => Type])[] = [
  ['apiVersion', () => string],
  ['kind', () => string],
  ['metadata', metadataType],
];
