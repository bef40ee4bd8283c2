import { dyn, list, map, object, typeOf, type Type } from '../check/types.js';
import { escapedName } from '../rules/names.js';
import { typeNamed, typeOfKind, type ApiType, type KindName, type Scalar, type Shape } from '../../api/catalogue/types.js';

/** Built-in types as expressions see them. Types are recursive, so fields are resolved on access. */

const scalars: Readonly<Record<Scalar, string>> = {
  string: 'string',
  bytes: 'bytes',
  int32: 'int',
  int64: 'int',
  double: 'double',
  boolean: 'bool',
};
const leaves: Readonly<Record<string, string>> = {
  string: 'string',
  'string date-time': 'google.protobuf.Timestamp',
  integer: 'int',
  number: 'double',
  boolean: 'bool',
};

const known = new Map<string, Type>();

export function builtInType(kind: KindName): Type | null {
  const type = typeOfKind(kind);
  return type === undefined ? null : typeFor(type);
}

export function metadataType(): Type {
  const type = typeNamed('meta.v1.ObjectMeta');
  return type === undefined ? dyn : typeFor(type);
}

function typeFor(type: ApiType): Type {
  const before = known.get(type.name);
  if (before !== undefined) return before;
  const { fields } = type;
  const made =
    fields === undefined
      ? leafOf(type)
      : object('object', lazily(new Map([...fields].map(([name, { shape }]) => [escapedName(name) ?? name, () => shapeType(shape)]))));
  known.set(type.name, made);
  return made;
}

/** Quantities and the like are texts or numbers, as written. */
const leafOf = ({ leaf = '' }: ApiType): Type => (Object.hasOwn(leaves, leaf) ? typeOf(leaves[leaf] ?? 'dyn') : dyn);

/** Resolves field types on access. */
export function lazily(types: ReadonlyMap<string, () => Type>): Readonly<Record<string, Type>> {
  const fields: Record<string, Type> = {};
  for (const [name, get] of types) Object.defineProperty(fields, name, { enumerable: true, get });
  return fields;
}

function shapeType(shape: Shape): Type {
  switch (shape.is) {
    case 'scalar':
      return typeOf(scalars[shape.scalar]);
    case 'list':
      return list(shapeType(shape.items));
    case 'map':
      return map(typeOf('string'), shapeType(shape.values));
    case 'type': {
      const type = typeNamed(shape.name);
      return type === undefined ? dyn : typeFor(type);
    }
  }
}
