import { itemsOf } from '../../../registry/members.js';
import { forbidden, invalid, notSupported, required, type FieldError, type Path } from '../../../registry/validation/field.js';
import { isSet, isTrue, itemSchemaOf, propertyOf, typeOf, type Schema } from './nodes.js';

/** How the items of a list are told apart when several clients write it: by position, by value, or by the values of keys. */

const LIST_TYPE = 'x-kubernetes-list-type';
const MAP_KEYS = 'x-kubernetes-list-map-keys';
const MAP_TYPE = 'x-kubernetes-map-type';
const LIST_TYPES = ['atomic', 'set', 'map'];
const KEYS_NEED_MAP = `must be map if ${MAP_KEYS} is non-empty`;
const ATOMIC_ITEM = `must be atomic as item of a list with ${LIST_TYPE}=set`;
const PARENT_IS_MAP = `if parent array's ${LIST_TYPE} is map`;
const IS_KEY = `this property is in ${MAP_KEYS}, so it`;

const keysOf = (schema: Schema): string[] => itemsOf(schema[MAP_KEYS]).map(String);

export function validateLists(schema: Schema, path: Path): FieldError[] {
  const listType = isSet(schema, LIST_TYPE) ? String(schema[LIST_TYPE]) : null;
  return [
    ...validateType(schema, listType, path),
    ...(listType === null || LIST_TYPES.includes(listType) ? [] : [notSupported(path.child(LIST_TYPE), listType, LIST_TYPES)]),
    ...(keysOf(schema).length === 0 || listType === 'map'
      ? []
      : [listType === null ? required(path.child(LIST_TYPE), KEYS_NEED_MAP) : invalid(path.child(LIST_TYPE), listType, KEYS_NEED_MAP)]),
    ...(listType === 'map' ? validateKeyed(schema, path) : []),
    ...(listType === 'set' || listType === 'map' ? validateIdentity(schema, listType, path) : []),
  ];
}

function validateType(schema: Schema, listType: string | null, path: Path): FieldError[] {
  if (listType === null) return [];
  const type = typeOf(schema);
  const text = `must be array if ${LIST_TYPE} is specified`;
  if (type !== 'array') return [type === '' ? required(path.child('type'), text) : invalid(path.child('type'), type, text)];
  const item = itemSchemaOf(schema);
  return listType === 'set' && item !== null ? validateMember(item, path.child('items')) : [];
}

/** Items of a set are compared as a whole. */
function validateMember(item: Schema, path: Path): FieldError[] {
  const itemListType = item[LIST_TYPE] ?? null;
  if (typeOf(item) === 'array' && itemListType !== null && itemListType !== 'atomic')
    return [invalid(path.child(LIST_TYPE), itemListType, ATOMIC_ITEM)];
  return typeOf(item) === 'object' && item[MAP_TYPE] !== 'atomic' ? [invalid(path.child(MAP_TYPE), itemListType, ATOMIC_ITEM)] : [];
}

function validateKeyed(schema: Schema, path: Path): FieldError[] {
  const item = itemSchemaOf(schema);
  const items = path.child('items');
  return [
    ...(keysOf(schema).length === 0 ? [required(path.child(MAP_KEYS), `must not be empty if ${LIST_TYPE} is map`)] : []),
    ...(isSet(schema, 'items') ? [] : [required(items, `must have a schema if ${LIST_TYPE} is map`)]),
    ...(isSet(schema, 'items') && item === null
      ? [invalid(items, schema['items'], `must only have a single schema if ${LIST_TYPE} is map`)]
      : []),
    ...(item === null || typeOf(item) === 'object' ? [] : [invalid(items.child('type'), typeOf(item), `must be object ${PARENT_IS_MAP}`)]),
    ...(item !== null && typeOf(item) === 'object' ? validateKeys(keysOf(schema), item, path) : []),
  ];
}

function validateKeys(keys: readonly string[], item: Schema, path: Path): FieldError[] {
  const keysPath = path.child(MAP_KEYS);
  return keys.flatMap((key, position) => {
    const property = propertyOf(item, key);
    const scalar = property === null || !['array', 'object'].includes(typeOf(property));
    return [
      ...(scalar
        ? []
        : [invalid(path.child('items', 'properties').key(key).child('type'), typeOf(item), `must be a scalar type ${PARENT_IS_MAP}`)]),
      ...(property === null ? [invalid(keysPath, keys, 'entries must all be names of item properties')] : []),
      ...(keys.indexOf(key) < position ? [invalid(keysPath, keys, 'must not contain duplicate entries')] : []),
    ];
  });
}

/** What tells items apart has to be there. */
function validateIdentity(schema: Schema, listType: string, path: Path): FieldError[] {
  const item = itemSchemaOf(schema);
  if (item === null) return [];
  const needed = itemsOf(item['required']);
  const missing = (key: string, property: Schema): boolean => !needed.includes(key) && !isSet(property, 'default');
  return [
    ...(isTrue(item, 'nullable')
      ? [forbidden(path.child('items', 'nullable'), `cannot be nullable when ${LIST_TYPE} is ${listType}`)]
      : []),
    ...(listType === 'map' ? keysOf(schema) : []).flatMap((key) => {
      const property = propertyOf(item, key);
      const keyPath = path.child('items', 'properties').key(key);
      if (property === null) return [];
      return [
        ...(missing(key, property) ? [required(keyPath.child('default'), `${IS_KEY} must have a default or be a required property`)] : []),
        ...(isTrue(property, 'nullable') ? [forbidden(keyPath.child('nullable'), `${IS_KEY} cannot be nullable`)] : []),
      ];
    }),
  ];
}
