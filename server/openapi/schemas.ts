import type { JsonObject, JsonValue } from '../../api/object.js';
import { openApiNameOf, typeNamed, type ApiType, type Field, type KindName, type Shape } from '../../api/catalogue/types.js';
import type { DefinedTypes } from './definedTypes.js';
import { descriptionOfField, descriptionOfType } from './descriptions.js';

export interface Dialect {
  readonly refPrefix: string;
  readonly section?: string;
  /** Version 3 has alternatives, and ignores siblings of references; version 2 has no defaults here, which old clients misread. */
  readonly version: 2 | 3;
}

/** Whether schemas list enumerated values (feature gate OpenAPIEnums). */
export interface Telling {
  readonly enums: boolean;
}

const scalars: Readonly<Record<string, JsonObject>> = {
  string: { type: 'string' },
  bytes: { type: 'string', format: 'byte' },
  int32: { type: 'integer', format: 'int32' },
  int64: { type: 'integer', format: 'int64' },
  double: { type: 'number', format: 'double' },
  boolean: { type: 'boolean' },
};

/** Types with a better JSON form in version 3 than in version 2. */
const alternativeSchemas: Readonly<Record<string, JsonObject>> = {
  'intstr.IntOrString': { format: 'int-or-string', oneOf: [{ type: 'integer' }, { type: 'string' }] },
  'resource.Quantity': { oneOf: [{ type: 'string' }, { type: 'number' }] },
};

/** Schemas of types, collected by reference. */
export class SchemaSet {
  readonly #dialect: Dialect;
  readonly #defined: DefinedTypes;
  readonly #telling: Telling;
  readonly #made = new Map<string, JsonObject>();
  readonly #wanted: string[] = [];

  /** `defined`: custom types. */
  constructor(dialect: Dialect, defined: DefinedTypes = new Map(), telling: Telling = { enums: true }) {
    this.#dialect = dialect;
    this.#defined = defined;
    this.#telling = telling;
  }

  /** Refers to a type's short name, and adds its schema. */
  ref(name: string): JsonObject {
    if (!this.#made.has(name)) {
      this.#made.set(name, {});
      this.#wanted.push(name);
    }
    return { $ref: `${this.#dialect.refPrefix}${this.#fullName(name)}` };
  }

  /** Returns all referenced schemas, directly or indirectly, by full name. */
  all(): JsonObject {
    for (let name = this.#wanted.pop(); name !== undefined; name = this.#wanted.pop())
      this.#made.set(name, this.#defined.get(name)?.schema((each) => this.ref(each)) ?? this.#schemaOf(typeNamed(name) ?? missing(name)));
    return Object.fromEntries(
      [...this.#made].map(([name, schema]) => [this.#fullName(name), schema] as const).sort(([a], [b]) => (a < b ? -1 : 1)),
    );
  }

  #fullName(name: string): string {
    return this.#defined.get(name)?.fullName ?? openApiNameOf(name);
  }

  #schemaOf(type: ApiType): JsonObject {
    const description = descriptionOfType(type);
    const ofDocument = type.kinds.filter((kind) => this.#concerns(kind, type));
    const kinds =
      ofDocument.length === 0
        ? {}
        : { 'x-kubernetes-group-version-kind': ofDocument.map(({ group, kind, version }) => ({ group, kind, version })) };
    return {
      ...(description === null ? {} : { description }),
      ...(type.fields === undefined ? this.#leaf(type) : this.#members(type, type.fields)),
      ...kinds,
      ...(type.mapType === undefined ? {} : { 'x-kubernetes-map-type': type.mapType }),
      ...(type.unions.length === 0
        ? {}
        : {
            'x-kubernetes-unions': type.unions.map((union) => ({
              ...union,
              'fields-to-discriminateBy': { ...union['fields-to-discriminateBy'] },
            })),
          }),
    };
  }

  #concerns({ group, version }: KindName, { kinds }: ApiType): boolean {
    const { section } = this.#dialect;
    const own = group === '' ? `api/${version}` : `apis/${group}/${version}`;
    return section === undefined || kinds.length === 1 || own === section || own === 'api/v1';
  }

  #leaf({ name, leaf = '' }: ApiType): JsonObject {
    const alternatives = this.#dialect.version === 3 ? alternativeSchemas[name] : undefined;
    if (alternatives !== undefined) return alternatives;
    const [type = '', format] = leaf.split(' ');
    return { ...(type === 'any' ? {} : { type }), ...(format === undefined ? {} : { format }) };
  }

  #members(type: ApiType, fields: ReadonlyMap<string, Field>): JsonObject {
    const required = [...fields.values()].filter((field) => field.required).map(({ name }) => name);
    return {
      type: 'object',
      properties: Object.fromEntries([...fields.values()].map((field) => [field.name, this.#member(type, field)])),
      ...(required.length === 0 ? {} : { required }),
    };
  }

  #member(owner: ApiType, field: Field): JsonObject {
    const description = descriptionOfField(owner, field);
    const annotations = { ...(description === null ? {} : { description }), ...this.#defaultOf(field), ...extensionsOf(field) };
    const schema = this.#shape(field.shape, this.#telling.enums ? field.enum : undefined);
    const wrapped =
      this.#dialect.version === 3 && schema['$ref'] !== undefined && Object.keys(annotations).length > 0 ? { allOf: [schema] } : schema;
    return { ...annotations, ...wrapped };
  }

  /** A structure that is always present is empty by default. */
  #defaultOf({ default: value, shape, presence }: Field): JsonObject {
    if (this.#dialect.version === 2) return {};
    if (value !== undefined) return { default: value as JsonValue };
    return shape.is === 'type' && presence === 'always' && typeNamed(shape.name)?.fields !== undefined ? { default: {} } : {};
  }

  /** `values`: the enumerated values of the innermost type. */
  #shape(shape: Shape, values?: readonly string[]): JsonObject {
    switch (shape.is) {
      case 'scalar':
        return { ...scalars[shape.scalar], ...(values === undefined ? {} : { enum: [...values] }) };
      case 'type':
        return this.ref(shape.name);
      case 'list':
        return { type: 'array', items: this.#shape(shape.items, values) };
      case 'map':
        return { type: 'object', additionalProperties: this.#shape(shape.values, values) };
    }
  }
}

const extensions: readonly (readonly [keyof Field, string])[] = [
  ['listMapKeys', 'x-kubernetes-list-map-keys'],
  ['listType', 'x-kubernetes-list-type'],
  ['mapType', 'x-kubernetes-map-type'],
  ['patchMergeKey', 'x-kubernetes-patch-merge-key'],
  ['patchStrategy', 'x-kubernetes-patch-strategy'],
];

const extensionsOf = (field: Field): JsonObject =>
  Object.fromEntries(
    extensions.filter(([member]) => field[member] !== undefined).map(([member, extension]) => [extension, field[member] as JsonValue]),
  );

const missing = (name: string): never => {
  throw new Error(`type ${name} is referred to but not described`);
};
