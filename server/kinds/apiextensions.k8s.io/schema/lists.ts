import { printedItems } from './printed.js';
import { forbidden, invalid, isSet, itemsOf, keepable, notSupported, repeats, type FieldError, type Path } from '../../language.js';
import { required } from '../../../registry/validation/field.js';
import { itemSchemaOf, propertyOf, typeOf, type Schema } from './nodes.js';

const listTypeMember = 'x-kubernetes-list-type';
const mapKeys = 'x-kubernetes-list-map-keys';
const mapType = 'x-kubernetes-map-type';
const listTypes = ['atomic', 'set', 'map'];
const keysNeedMap = `must be map if ${mapKeys} is non-empty`;
const atomicItem = `must be atomic as item of a list with ${listTypeMember}=set`;
const parentIsMap = `if parent array's ${listTypeMember} is map`;
const isKey = `this property is in ${mapKeys}, so it`;

const keysOf = (schema: Schema): string[] => itemsOf(schema[mapKeys]).map(String);

export function validateLists(schema: Schema, path: Path): FieldError[] {
  const listType = isSet(schema[listTypeMember]) ? String(schema[listTypeMember]) : null;
  return [
    ...validateType(schema, listType, path),
    ...(listType === null || listTypes.includes(listType) ? [] : [notSupported(path.child(listTypeMember), listType, listTypes)]),
    ...(keysOf(schema).length === 0 || listType === 'map'
      ? []
      : [
          listType === null
            ? required(path.child(listTypeMember), keysNeedMap)
            : invalid(path.child(listTypeMember), listType, keysNeedMap),
        ]),
    ...(listType === 'map' ? validateKeyed(schema, path) : []),
    ...(listType === 'set' || listType === 'map' ? keepable('keys of lists', validateIdentity(schema, listType, path)) : []),
  ];
}

function validateType(schema: Schema, listType: string | null, path: Path): FieldError[] {
  if (listType === null) return [];
  const type = typeOf(schema);
  const text = `must be array if ${listTypeMember} is specified`;
  if (type !== 'array') return [type === '' ? required(path.child('type'), text) : invalid(path.child('type'), type, text)];
  const item = itemSchemaOf(schema);
  return listType === 'set' && item !== null ? keepable('members of sets', validateMember(item, path.child('items'))) : [];
}

/** Items of a set are compared as a whole. */
function validateMember(item: Schema, path: Path): FieldError[] {
  const itemListType = item[listTypeMember] ?? null;
  if (typeOf(item) === 'array' && itemListType !== null && itemListType !== 'atomic')
    return [invalid(path.child(listTypeMember), itemListType, atomicItem)];
  return typeOf(item) === 'object' && item[mapType] !== 'atomic' ? [invalid(path.child(mapType), itemListType, atomicItem)] : [];
}

function validateKeyed(schema: Schema, path: Path): FieldError[] {
  const item = itemSchemaOf(schema);
  const items = path.child('items');
  return [
    ...(keysOf(schema).length === 0 ? [required(path.child(mapKeys), `must not be empty if ${listTypeMember} is map`)] : []),
    ...(isSet(schema.items) ? [] : [required(items, `must have a schema if ${listTypeMember} is map`)]),
    ...(isSet(schema.items) && item === null
      ? [invalid(items, printedItems(schema.items ?? null), `must only have a single schema if ${listTypeMember} is map`)]
      : []),
    ...(item === null || typeOf(item) === 'object' ? [] : [invalid(items.child('type'), typeOf(item), `must be object ${parentIsMap}`)]),
    ...(item !== null && typeOf(item) === 'object' ? validateKeys(keysOf(schema), item, path) : []),
  ];
}

function validateKeys(keys: readonly string[], item: Schema, path: Path): FieldError[] {
  const keysPath = path.child(mapKeys);
  const isRepeated = repeats(keys);
  return keys.flatMap((key, position) => {
    const property = propertyOf(item, key);
    const scalar = property === null || !['array', 'object'].includes(typeOf(property));
    return [
      ...(scalar
        ? []
        : [invalid(path.child('items', 'properties').key(key).child('type'), typeOf(item), `must be a scalar type ${parentIsMap}`)]),
      ...(property === null ? [invalid(keysPath, keys, 'entries must all be names of item properties')] : []),
      ...(isRepeated(position) ? [invalid(keysPath, keys, 'must not contain duplicate entries')] : []),
    ];
  });
}

/** Keys must exist. */
function validateIdentity(schema: Schema, listType: string, path: Path): FieldError[] {
  const item = itemSchemaOf(schema);
  if (item === null) return [];
  const needed = new Set(itemsOf(item.required));
  const missing = (key: string, property: Schema): boolean => !needed.has(key) && !isSet(property.default);
  return [
    ...(item.nullable === true
      ? [forbidden(path.child('items', 'nullable'), `cannot be nullable when ${listTypeMember} is ${listType}`)]
      : []),
    ...(listType === 'map' ? keysOf(schema) : []).flatMap((key) => {
      const property = propertyOf(item, key);
      const keyPath = path.child('items', 'properties').key(key);
      if (property === null) return [];
      return [
        ...(missing(key, property) ? [required(keyPath.child('default'), `${isKey} must have a default or be a required property`)] : []),
        ...(property.nullable === true ? [forbidden(keyPath.child('nullable'), `${isKey} cannot be nullable`)] : []),
      ];
    }),
  ];
}
