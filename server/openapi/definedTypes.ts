import type { JsonObject } from '../../api/object.js';
import { apiVersionOf } from '../../api/resource.js';
import { isOpenApiName, type KindName } from '../../api/catalogue/types.js';
import { readDefinition, type DefinedVersion, type Definition } from '../extensions/definition.js';
import { describedRef, frame, schemaOfObject, type Described, type Dialect } from './definedSchema.js';

/** The type of a custom resource. */
export interface DefinedType {
  /** The name in documents: `com.example.stable.v1.CronTab`. */
  readonly fullName: string;
  /** `ref` refers to another type by its short name. */
  readonly schema: (ref: (name: string) => JsonObject) => JsonObject;
}

/** Keyed by the name in operations (`definedName`). */
export type DefinedTypes = ReadonlyMap<string, DefinedType>;

export const definedName = ({ group, version, kind }: KindName): string => `${apiVersionOf({ group, version })}/${kind}`;

/** Returns the types of stored definitions' versions for one OpenAPI version. */
export function definedTypes(definitions: readonly Uint8Array[], version: Dialect): DefinedTypes {
  return new Map(
    definitions.flatMap((bytes) => {
      const definition = readDefinition(
        JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString()) as Parameters<typeof readDefinition>[0],
      );
      return definition.versions.filter(({ served }) => served).flatMap((each) => typesOf(definition, each, version));
    }),
  );
}

function typesOf(definition: Definition, defined: DefinedVersion, dialect: Dialect): [string, DefinedType][] {
  const {
    group,
    names: { kind, listKind },
    preserveUnknownFields,
  } = definition;
  const [own, list] = [
    { group, version: defined.name, kind },
    { group, version: defined.name, kind: listKind },
  ];
  const object = (described: Described): JsonObject => schemaOfObject(defined.schema, preserveUnknownFields, { dialect, described });
  return [
    [
      definedName(own),
      { fullName: fullName(own, dialect), schema: (ref) => ({ ...object(describedRef(ref, dialect)), ...extensionsOf(own, defined) }) },
    ],
    [
      definedName(list),
      {
        fullName: fullName(list, dialect),
        schema: (ref) => ({
          ...listSchema(definedName(own), kind, { ref, described: describedRef(ref, dialect) }),
          ...extensionsOf(list, defined),
        }),
      },
    ],
  ];
}

/** Built-in types own their names in the single version 2 document: a custom type of the same name gets another, like those of extension servers. */
function fullName({ group, version, kind }: KindName, dialect: Dialect): string {
  const name = `${group.split('.').reverse().join('.')}.${version}.${kind}`;
  return dialect === 2 && isOpenApiName(name) ? `${name}_v2` : name;
}

const extensionsOf = ({ group, version, kind }: KindName, { selectableFields }: DefinedVersion): JsonObject => ({
  'x-kubernetes-group-version-kind': [{ group, kind, version }],
  ...(selectableFields.length === 0 ? {} : { 'x-kubernetes-selectable-fields': selectableFields.map((fieldPath) => ({ fieldPath })) }),
});

const listSchema = (
  item: string,
  kind: string,
  to: { readonly ref: (name: string) => JsonObject; readonly described: Described },
): JsonObject => ({
  description: `A list of objects of kind ${kind}.`,
  type: 'object',
  required: ['items'],
  properties: {
    ...frame,
    items: { type: 'array', items: to.ref(item), description: 'The objects.' },
    metadata: to.described('meta.v1.ListMeta', 'Version of the list, and how it goes on.'),
  },
});
