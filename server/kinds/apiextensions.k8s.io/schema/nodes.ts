import { isObject } from '../../../../api/json/json.js';
import type { JsonObject, JsonValue } from '../../../../api/object.js';
import { objectAt, objectsIn } from '../../../../api/json/defaulting.js';
import { itemsOf, membersOf, textAt } from '../../../../api/json/members.js';

/** A schema is the definition's JSON; absent members read as empty. */

export type Schema = JsonObject;

export const typeOf = (schema: Schema): string => textAt(schema, 'type');
export const isSet = (schema: Schema, member: string): boolean => schema[member] !== undefined && schema[member] !== null;
export const isTrue = (schema: Schema, member: string): boolean => schema[member] === true;

/** Sorted by name, so that findings have a stable order. */
export const namedSchemas = (schema: Schema, member: string): [name: string, schema: Schema][] => schemasIn(membersOf(schema[member]));

function schemasIn(members: JsonObject): [name: string, schema: Schema][] {
  const found: [string, Schema][] = [];
  for (const name of Object.keys(members).sort()) {
    const child = members[name];
    if (isObject<Schema>(child)) found.push([name, child]);
  }
  return found;
}

export const propertiesOf = (schema: Schema): [name: string, schema: Schema][] => namedSchemas(schema, 'properties');
export const propertyOf = (schema: Schema, name: string): Schema | null => {
  const properties = membersOf(schema['properties']);
  return Object.hasOwn(properties, name) ? objectAt(properties, name) : null;
};

/** Null when there is no schema, or one for each position. */
export const itemSchemaOf = (schema: Schema): Schema | null => objectAt(schema, 'items');
/** Null also for a boolean. */
export const restSchemaOf = (schema: Schema): Schema | null => objectAt(schema, 'additionalProperties');
export const alternatives = (schema: Schema, junctor: string): Schema[] => objectsIn(schema, junctor);

/** False, empty and null count as absent, as the reference stores them. */
export const isEmpty = (value: JsonValue | undefined): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  value === false ||
  (typeof value === 'object' && Object.keys(value).length === 0);

const unsupported = ['id', '$schema', '$ref', 'patternProperties', 'dependencies', 'additionalItems', 'definitions'];
const unsupportedWord: Readonly<Record<string, string>> = { $schema: 'schema' };
const junctors = ['allOf', 'anyOf', 'oneOf'];

/** Returns why a schema cannot be parsed as a structural one, or null, whether or not it is one. */
export function unreadable(schema: Schema): string | null {
  const member = unsupported.find((name) => (name === 'additionalItems' ? isSet(schema, name) : !isEmpty(schema[name])));
  if (member !== undefined) return `OpenAPIV3Schema '${unsupportedWord[member] ?? member}' is not supported`;
  if (schema['x-kubernetes-preserve-unknown-fields'] === false)
    return "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined";
  if (itemsOf(schema['items']).length > 0) return "OpenAPIV3Schema 'items' must be a schema, but is an array";
  for (const child of childrenOf(schema)) {
    const problem = unreadable(child);
    if (problem !== null) return problem;
  }
  return null;
}

function childrenOf(schema: Schema): Schema[] {
  const single = [itemSchemaOf(schema), restSchemaOf(schema), objectAt(schema, 'not')].filter((child) => child !== null);
  return [...single, ...propertiesOf(schema).map(([, child]) => child), ...junctors.flatMap((junctor) => alternatives(schema, junctor))];
}

/** Tests a schema and all below it, even in refused members. */
export function anySchema(schema: Schema, test: (schema: Schema) => boolean): boolean {
  return test(schema) || [...childrenOf(schema), ...refusedChildrenOf(schema)].some((child) => anySchema(child, test));
}

function refusedChildrenOf(schema: Schema): Schema[] {
  const additional = objectAt(schema, 'additionalItems');
  const named = ['patternProperties', 'definitions', 'dependencies'].flatMap((member) =>
    namedSchemas(schema, member).map(([, child]) => child),
  );
  return [...objectsIn(schema, 'items'), ...(additional === null ? [] : [additional]), ...named];
}
