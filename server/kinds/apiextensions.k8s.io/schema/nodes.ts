import { isObject, isSet, itemsOf, objectsIn, type Writable } from '../../language.js';
import type * as v1 from '../../../../api/types/apiextensions/v1.js';

/** A schema is the definition's JSON; absent members read as empty. */

export type Schema = Writable<v1.JSONSchemaProps>;
export type Junctor = 'allOf' | 'anyOf' | 'oneOf';

export const typeOf = ({ type = '' }: Schema): string => type;
const asSchema = (value: unknown): Schema | null => (isObject<Schema>(value) ? value : null);

/** Sorted by name, so that findings have a stable order. */
export function namedSchemas(members: Readonly<Record<string, unknown>> | null | undefined): [name: string, schema: Schema][] {
  const found: [string, Schema][] = [];
  for (const name of Object.keys(members ?? {}).sort()) {
    const child = members?.[name];
    if (isObject<Schema>(child)) found.push([name, child]);
  }
  return found;
}

export const propertiesOf = ({ properties }: Schema): [name: string, schema: Schema][] => namedSchemas(properties);
export const propertyOf = ({ properties }: Schema, name: string): Schema | null =>
  isSet(properties) && Object.hasOwn(properties, name) ? asSchema(properties[name]) : null;

/** Null when there is no schema, or one for each position. */
export const itemSchemaOf = ({ items }: Schema): Schema | null => asSchema(items);
export const itemSchemasOf = ({ items }: Schema): Schema[] => itemsOf<unknown>(items).filter((item) => isObject<Schema>(item));
export const restSchemaOf = ({ additionalProperties }: Schema): Schema | null => asSchema(additionalProperties);
export const alternatives = (schema: Schema, junctor: Junctor): Schema[] => objectsIn(schema, junctor);

/** False, empty and null count as absent, as the reference stores them. */
export const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  value === false ||
  (typeof value === 'object' && Object.keys(value).length === 0);

const unsupported = ['id', '$schema', '$ref', 'patternProperties', 'dependencies', 'additionalItems', 'definitions'] as const;
const unsupportedNames: ReadonlySet<string> = new Set(unsupported);
const junctors = ['allOf', 'anyOf', 'oneOf'] as const;

/** Returns why a schema cannot be parsed as a structural one, or null, whether or not it is one. */
export function unreadable(schema: Schema): string | null {
  const member = unsupportedIn(schema);
  if (member !== undefined) return `OpenAPIV3Schema '${member === '$schema' ? 'schema' : member}' is not supported`;
  if (schema['x-kubernetes-preserve-unknown-fields'] === false)
    return "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined";
  if (itemsOf(schema.items).length > 0) return "OpenAPIV3Schema 'items' must be a schema, but is an array";
  for (const child of childrenOf(schema)) {
    const problem = unreadable(child);
    if (problem !== null) return problem;
  }
  return null;
}

// Definitions have many schemas of few members.
const unsupportedIn = (schema: Schema): (typeof unsupported)[number] | undefined =>
  Object.keys(schema).some((name) => unsupportedNames.has(name))
    ? unsupported.find((name) => (name === 'additionalItems' ? isSet(schema[name]) : !isEmpty(schema[name])))
    : undefined;

function childrenOf(schema: Schema): Schema[] {
  const children = [itemSchemaOf(schema), restSchemaOf(schema), asSchema(schema.not)].filter((child) => child !== null);
  for (const [, child] of propertiesOf(schema)) children.push(child);
  for (const junctor of junctors) if (schema[junctor] !== undefined) children.push(...alternatives(schema, junctor));
  return children;
}

export function anySchema(schema: Schema, test: (schema: Schema) => boolean): boolean {
  return test(schema) || [...childrenOf(schema), ...refusedChildrenOf(schema)].some((child) => anySchema(child, test));
}

function refusedChildrenOf(schema: Schema): Schema[] {
  const additional = asSchema(schema.additionalItems);
  const named = [schema.patternProperties, schema.definitions, schema.dependencies].flatMap((members) =>
    namedSchemas(members).map(([, child]) => child),
  );
  return [...itemSchemasOf(schema), ...(additional === null ? [] : [additional]), ...named];
}
