import type { JsonValue } from '../../../api/object.js';
import { membersOf } from '../../members.js';
import { invalid, required, type FieldError, type Path } from '../../validation/field.js';
import { isSet, isTrue, itemSchemaOf, propertiesOf, propertyOf, restSchemaOf, type Schema } from './nodes.js';

/**
 * Defaults must hold what their schema knows, and nothing else; those of whole objects say which kind they are. Whether their values meet the conditions
 * of the schema is seen by those who check values.
 */

const EMBEDDED = 'x-kubernetes-embedded-resource';
const PRESERVE = 'x-kubernetes-preserve-unknown-fields';
const WHOLE = ['apiVersion', 'kind', 'metadata'];

export const validateDefaults = (schema: Schema, path: Path): FieldError[] => validateBelow({ ...schema, [EMBEDDED]: true }, path, false);

/** Not below `additionalProperties`: defaults are of no use there. */
function validateBelow(schema: Schema, path: Path, insideMetadata: boolean): FieldError[] {
  const items = itemSchemaOf(schema);
  const whole = isTrue(schema, EMBEDDED);
  const inside = insideMetadata && !whole;
  return [
    ...(isSet(schema, 'default') && !inside ? validateDefault(schema, path.child('default')) : []),
    ...(items === null ? [] : validateBelow(items, path.child('items'), inside)),
    ...propertiesOf(schema).flatMap(([name, child]) => validateBelow(child, path.child('properties').key(name), inside || (whole && WHOLE.includes(name)))),
  ];
}

function validateDefault(schema: Schema, path: Path): FieldError[] {
  const value = schema['default'] ?? null;
  return [...(hasUnknown(value, schema) ? [invalid(path, value, 'must not have unknown fields')] : []), ...validateWhole(value, schema, path)];
}

/** Objects that stand for whole resources say which. */
function validateWhole(value: JsonValue, schema: Schema, path: Path): FieldError[] {
  if (Array.isArray(value)) {
    const items = itemSchemaOf(schema);
    return items === null ? [] : value.flatMap((item, position) => validateWhole(item, items, path.index(position)));
  }
  const object = membersOf(value);
  return [
    ...(isTrue(schema, EMBEDDED) ? ['apiVersion', 'kind'].filter(name => (object[name] ?? '') === '').map(name => required(path.child(name), '')) : []),
    ...propertiesOf(schema).flatMap(([name, child]) => (object[name] === undefined ? [] : validateWhole(object[name] ?? null, child, path.child(name)))),
  ];
}

/** Whether pruning would take something away. */
function hasUnknown(value: JsonValue, schema: Schema): boolean {
  if (Array.isArray(value)) {
    const items = itemSchemaOf(schema);
    return items === null ? false : value.some(item => hasUnknown(item, items));
  }
  if (value === null || typeof value !== 'object') return false;
  return Object.entries(value).some(([name, member]) => memberIsUnknown(name, member ?? null, schema));
}

function memberIsUnknown(name: string, member: JsonValue, schema: Schema): boolean {
  if (isTrue(schema, EMBEDDED) && WHOLE.includes(name)) return false;
  const child = propertyOf(schema, name) ?? restSchemaOf(schema);
  if (child !== null) return hasUnknown(member, child);
  return !isTrue(schema, PRESERVE) && schema['additionalProperties'] !== true;
}
