import { dyn, list, map, object, typeOf, type Type } from '../check/types.js';
import { escapedName } from '../rules/names.js';
import { typeNamed, typeOfKind, type ApiType, type KindName, type Scalar, type Shape } from '../../api/catalogue/types.js';

/** Built-in types for expressions. Fields are resolved on access, since few are used. */

const scalars: Readonly<Record<Scalar, string>> = {
  string: 'string',
  bytes: 'bytes',
  int32: 'int',
  int64: 'int',
  double: 'double',
  boolean: 'bool',
};
const empty = object('object', {});

/** Visible leaves by JSON type and format. Others, such as quantities, have no single type in the reference's schemas. */
const leaves: ReadonlyMap<string | undefined, Type> = new Map([
  ['object', empty],
  ['string date-time', typeOf('google.protobuf.Timestamp')],
  ['string int-or-string', dyn],
]);

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
  const seen = [...(type.fields ?? [])].filter(([, { shape }]) => isSeen(shape));
  const made =
    type.fields === undefined
      ? (leaves.get(type.leaf) ?? dyn)
      : object('object', lazily(new Map(seen.map(([name, { shape }]) => [escapedName(name) ?? name, () => shapeType(shape, type.name)]))));
  known.set(type.name, made);
  return made;
}

function isSeen(shape: Shape): boolean {
  switch (shape.is) {
    case 'scalar':
      return true;
    case 'list':
      return isSeen(shape.items);
    case 'map':
      return isSeen(shape.values);
    case 'type': {
      const type = typeNamed(shape.name);
      return type !== undefined && (type.fields !== undefined || leaves.has(type.leaf));
    }
  }
}

export function lazily(types: ReadonlyMap<string, () => Type>): Readonly<Record<string, Type>> {
  const fields: Record<string, Type> = {};
  for (const [name, get] of types) Object.defineProperty(fields, name, { enumerable: true, get });
  return fields;
}

/** A type inside itself is an object without fields, as in the reference. */
function shapeType(shape: Shape, within: string): Type {
  switch (shape.is) {
    case 'scalar':
      return typeOf(scalars[shape.scalar]);
    case 'list':
      return list(shapeType(shape.items, within));
    case 'map':
      return map(typeOf('string'), shapeType(shape.values, within));
    case 'type': {
      if (shape.name === within) return empty;
      const type = typeNamed(shape.name);
      return type === undefined ? dyn : typeFor(type);
    }
  }
}
