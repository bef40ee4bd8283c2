import type { JsonObject, JsonValue } from '../../api/object.js';
import { apiVersionOf } from '../../api/resource.js';
import type { KindName } from '../../api/catalogue/types.js';
import { readDefinition, type DefinedVersion, type Definition } from '../extensions/definition.js';

/** A type that is described by the definition of a custom resource. */
export interface DefinedType {
  /** Under which documents refer to it: `com.example.stable.v1.CronTab`. */
  readonly fullName: string;
  /** Its schema; `ref` refers to another type by its short name. */
  readonly schema: (ref: (name: string) => JsonObject) => JsonObject;
}

/** By the name under which operations speak of them (`definedName`). */
export type DefinedTypes = ReadonlyMap<string, DefinedType>;

export const definedName = ({ group, version, kind }: KindName): string => `${apiVersionOf({ group, version })}/${kind}`;

/** Types of all versions of some definitions, which are given as they are stored, in the words of one version of OpenAPI. */
export function definedTypes(definitions: readonly Uint8Array[], version: 2 | 3): DefinedTypes {
  return new Map(
    definitions.flatMap((bytes) => {
      const definition = readDefinition(
        JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString()) as Parameters<typeof readDefinition>[0],
      );
      return definition.versions.filter(({ served }) => served).flatMap((each) => typesOf(definition, each, version));
    }),
  );
}

function typesOf({ group, names: { kind, listKind } }: Definition, defined: DefinedVersion, dialect: 2 | 3): [string, DefinedType][] {
  const [own, list] = [
    { group, version: defined.name, kind },
    { group, version: defined.name, kind: listKind },
  ];
  const described = schemaIn(defined.schema, dialect);
  return [
    [
      definedName(own),
      { fullName: fullName(own), schema: (ref) => objectSchema(described, own, { metadata: beside(ref, dialect), dialect }) },
    ],
    [
      definedName(list),
      { fullName: fullName(list), schema: (ref) => listSchema(definedName(own), list, { ref, beside: beside(ref, dialect) }) },
    ],
  ];
}

const fullName = ({ group, version, kind }: KindName): string => `${group.split('.').reverse().join('.')}.${version}.${kind}`;
const kindsOf = ({ group, version, kind }: KindName): JsonObject => ({ 'x-kubernetes-group-version-kind': [{ group, kind, version }] });

/** Clients look for how these descriptions begin. */
const frame: JsonObject = {
  apiVersion: { type: 'string', description: 'APIVersion defines in which group and version this object is written, such as apps/v1.' },
  kind: { type: 'string', description: 'Kind is the type of this object. It cannot be changed.' },
};

/** What every object has, and what the definition says. Old clients refuse what is not described as soon as anything is, so for them nothing is where anything goes. */
function objectSchema(
  described: JsonObject,
  kind: KindName,
  { metadata, dialect }: { readonly metadata: Described; readonly dialect: 2 | 3 },
): JsonObject {
  const anything = described['x-kubernetes-preserve-unknown-fields'] === true;
  if (anything && dialect === 2) return { type: 'object', ...kindsOf(kind) };
  if (anything && described['properties'] === undefined && described['type'] === undefined)
    return { ...described, type: 'object', ...kindsOf(kind) };
  const properties = {
    ...(described['properties'] as JsonObject | undefined),
    ...frame,
    metadata: metadata('meta.v1.ObjectMeta', "Standard object's metadata: name, labels, annotations and whatever else every object has."),
  };
  return { ...described, type: 'object', properties, ...kindsOf(kind) };
}

/** A reference with a description. */
type Described = (name: string, description: string) => JsonObject;

/** Nothing may stand beside a reference in version 3. */
const beside =
  (ref: (name: string) => JsonObject, dialect: 2 | 3): Described =>
  (name, description) => ({ description, ...(dialect === 3 ? { allOf: [ref(name)] } : ref(name)) });

function listSchema(
  item: string,
  kind: KindName,
  to: { readonly ref: (name: string) => JsonObject; readonly beside: Described },
): JsonObject {
  return {
    description: `A list of objects of kind ${kind.kind.replace(/List$/, '')}.`,
    type: 'object',
    required: ['items'],
    properties: {
      ...frame,
      items: { type: 'array', items: to.ref(item), description: 'The objects.' },
      metadata: to.beside('meta.v1.ListMeta', 'Version of the list, and how it goes on.'),
    },
    ...kindsOf(kind),
  };
}

/** Members of a schema whose values are schemas by name, one schema, or lists of them. */
const named: ReadonlySet<string> = new Set(['properties', 'patternProperties', 'definitions']);
const single: ReadonlySet<string> = new Set(['items', 'additionalProperties', 'not']);
const listed: ReadonlySet<string> = new Set(['allOf', 'anyOf', 'oneOf']);
/** Alternatives and defaults, which version 2 does not know, or its old clients misread. */
const absentInV2: ReadonlySet<string> = new Set([...listed, 'not', 'nullable', 'default']);

/** A schema as documents of one version of OpenAPI have it. */
function schemaIn(schema: JsonObject, dialect: 2 | 3): JsonObject {
  const embedded: JsonObject =
    schema['x-kubernetes-embedded-resource'] === true
      ? { properties: { ...frame, metadata: { type: 'object' }, ...(schema['properties'] as JsonObject | undefined) } }
      : {};
  if (dialect === 2 && isAnything(schema)) return only(schema, ['description']);
  const members = Object.entries({ ...schema, ...embedded }).filter(
    ([name]) => !(dialect === 2 && (absentInV2.has(name) || isOpaque(schema, name))),
  );
  return Object.fromEntries(members.map(([name, value]) => [name, memberIn(name, value, dialect)]));
}

/** Old clients take a type that may be null, or two of them, for one that may not: no type at all is what they leave alone. */
const isAnything = (schema: JsonObject): boolean => schema['nullable'] === true || schema['x-kubernetes-int-or-string'] === true;
/** They also refuse unknown fields where any are declared. */
const isOpaque = (schema: JsonObject, member: string): boolean =>
  schema['x-kubernetes-preserve-unknown-fields'] === true && (member === 'properties' || member === 'items' || member === 'required');

const only = (schema: JsonObject, names: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(schema).filter(([name]) => names.includes(name) || name.startsWith('x-kubernetes-')));

function memberIn(name: string, value: JsonValue | undefined, dialect: 2 | 3): JsonValue | undefined {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return listed.has(name) ? value.map((each) => schemaIn(each as JsonObject, dialect)) : value;
  if (single.has(name)) return schemaIn(value, dialect);
  return named.has(name)
    ? Object.fromEntries(Object.entries(value).map(([key, each]) => [key, schemaIn(each as JsonObject, dialect)]))
    : value;
}
