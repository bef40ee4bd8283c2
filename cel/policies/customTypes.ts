import { isObject } from '../../api/json/json.js';
import { membersOf } from '../../api/json/members.js';
import type { JsonObject, JsonValue } from '../../api/object.js';
import { dyn, list, map, object, typeOf, type Type } from '../check/types.js';
import { escapedName } from '../rules/names.js';
import { lazily, metadataType } from './builtInTypes.js';

/**
 * Types of custom resources in policies (`SchemaDeclType` of k8s.io/apiserver/pkg/cel/common, for the published schema). Expressions see fields named by the
 * schema: neither additional fields, nor parts without a type.
 */

const string = typeOf('string');
const scalars: ReadonlyMap<JsonValue | undefined, Type> = new Map([
  ['boolean', typeOf('bool')],
  ['integer', typeOf('int')],
  ['number', typeOf('double')],
]);
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
  if (type === undefined) known.set(schema, (type = objectType(schema, true) ?? dyn));
  return type;
}

/** Null for a part that expressions do not see. */
function typeFor(schema: JsonValue | undefined): Type | null {
  if (!isObject<JsonObject>(schema)) return null;
  if (schema['x-kubernetes-int-or-string'] === true) return dyn;
  switch (schema['type']) {
    case 'array': {
      const items = typeFor(schema['items']);
      return items && list(items);
    }
    case 'object':
      return objectType(schema, schema['x-kubernetes-embedded-resource'] === true);
    case 'string':
      return formats.get(schema['format']) ?? string;
    default:
      return scalars.get(schema['type']) ?? null;
  }
}

function objectType(schema: JsonObject, isResource: boolean): Type | null {
  const rest = schema['additionalProperties'];
  if (isObject<JsonObject>(rest)) {
    const values = typeFor(rest);
    return values && map(string, values);
  }
  const fields = new Map<string, () => Type>();
  for (const [name, property] of Object.entries(membersOf(schema['properties']))) {
    const escaped = escapedName(name);
    const type = typeFor(property);
    if (escaped !== null && type !== null) fields.set(escaped, () => type);
  }
  if (isResource) for (const [name, type] of frame) fields.set(name, type);
  return object('object', lazily(fields));
}

const frame: readonly (readonly [string, () => Type])[] = [
  ['apiVersion', () => string],
  ['kind', () => string],
  ['metadata', metadataType],
];
