import type { JsonValue } from '../../../api/object.js';
import { typeNamed, typeOfKind, type ApiType, type Field, type KindName, type Shape, type Scalar } from '../../../api/catalogue/types.js';
import { leaf, unknown, type AlwaysPresent, type ListKey, type Schema } from './schema.js';

/** Schemas of built-in types, possibly recursive, each built at most once. */
const known = new Map<string, Schema>();

export function schemaOfKind(kind: KindName): Schema | null {
  const type = typeOfKind(kind);
  return type === undefined ? null : schemaOfType(type.name);
}

function schemaOfType(name: string): Schema {
  let schema = known.get(name);
  if (schema === undefined) known.set(name, (schema = build(typeNamed(name))));
  return schema;
}

/** The reference's OpenAPI states no type, and so allows any (schemaconv/openapi.go). */
const anyType = 'string int-or-string';

function build(type: ApiType | undefined): Schema {
  if (type === undefined) return unknown;
  // Types without members (times, quantities, raw JSON) are atomic; textual ones also accept numbers.
  if (type.fields === undefined) return type.leaf?.startsWith('string') === true && type.leaf !== anyType ? scalarTypes.untyped : leaf;
  const { fields } = type;
  const built = new Map<string, Schema>();
  let always: readonly AlwaysPresent[] | null = null;
  const field = (name: string): Schema | undefined => {
    const schema = built.get(name);
    if (schema !== undefined) return schema;
    const declared = fields.get(name);
    if (declared === undefined) return undefined;
    const first = schemaOfField(declared);
    built.set(name, first);
    return first;
  };
  return {
    kind: 'struct',
    atomic: type.mapType === 'atomic',
    field,
    // Lazy, since types may be recursive.
    get always() {
      return (always ??= alwaysPresent(fields, field));
    },
  };
}

function alwaysPresent(fields: ReadonlyMap<string, Field>, schemaOf: (name: string) => Schema | undefined): AlwaysPresent[] {
  return [...fields.values()]
    .filter(({ presence }) => presence === 'always' || presence === 'nullable')
    .map((field) => ({ name: field.name, schema: schemaOf(field.name) ?? unknown, zero: zeroOf(field) }));
}

const zeros: Readonly<Record<string, JsonValue>> = { string: '', bytes: '', boolean: false, int32: 0, int64: 0, double: 0 };

function zeroOf({ presence, shape }: Field): JsonValue | 'struct' {
  if (presence === 'nullable') return null;
  if (shape.is === 'scalar') return zeros[shape.scalar] ?? null;
  return shape.is === 'type' && typeNamed(shape.name)?.fields !== undefined ? 'struct' : null;
}

function schemaOfField(field: Field): Schema {
  const { shape } = field;
  if (shape.is === 'list') return schemaOfList(field, shape.items);
  if (shape.is === 'map') return { kind: 'map', atomic: field.mapType === 'atomic', element: schemaOfShape(shape.values) };
  const schema = schemaOfShape(shape);
  // The field's own marks override its type's.
  return field.mapType !== undefined && schema.kind === 'struct'
    ? {
        kind: 'struct',
        atomic: field.mapType === 'atomic',
        field: schema.field,
        get always() {
          return schema.always;
        },
      }
    : schema;
}

const [numeric, text, truth, untyped] = (['numeric', 'string', 'boolean', 'untyped'] as const).map((scalar): Schema => ({
  kind: 'leaf',
  scalar,
})) as [Schema, Schema, Schema, Schema];
const scalarTypes: Readonly<Record<Scalar | 'untyped', Schema>> = {
  string: text,
  bytes: text,
  boolean: truth,
  int32: numeric,
  int64: numeric,
  double: numeric,
  untyped,
};

function schemaOfShape(shape: Shape): Schema {
  switch (shape.is) {
    case 'scalar':
      return scalarTypes[shape.scalar];
    case 'type':
      return schemaOfType(shape.name);
    case 'list':
      return { kind: 'list', relationship: 'atomic', element: schemaOfShape(shape.items) };
    case 'map':
      return { kind: 'map', atomic: false, element: schemaOfShape(shape.values) };
  }
}

function schemaOfList(field: Field, items: Shape): Schema {
  const element = schemaOfShape(items);
  if (field.listType !== 'map') return { kind: 'list', relationship: field.listType === 'set' ? 'set' : 'atomic', element };
  const members = items.is === 'type' ? typeNamed(items.name)?.fields : undefined;
  const keys = (field.listMapKeys ?? []).map((name): ListKey => ({ name, default: (members?.get(name)?.default ?? null) as JsonValue }));
  return { kind: 'list', relationship: 'map', element, keys };
}
