import type { JsonObject } from '../../api/object.js';
import { textAt } from '../../registry/members.js';
import { invalid, required, type FieldError, type Path } from '../../registry/validation/field.js';

/** Columns of tables, and the simple paths that they and the subresource `scale` use. */

const TYPES = ['boolean', 'date', 'integer', 'number', 'string'];
const FORMATS = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password'];
const TYPE_TEXT = `must be one of ${TYPES.join(',')}`;

export function validateColumn(column: JsonObject, path: Path): FieldError[] {
  const [type, format, jsonPath] = [textAt(column, 'type'), textAt(column, 'format'), textAt(column, 'jsonPath')];
  // The reference reports the path under the member's name of long ago.
  const at = path.child('JSONPath');
  return [
    ...(textAt(column, 'name') === '' ? [required(path.child('name'), '')] : []),
    ...(type === ''
      ? [required(path.child('type'), TYPE_TEXT)]
      : TYPES.includes(type)
        ? []
        : [invalid(path.child('type'), type, TYPE_TEXT)]),
    ...(format === '' || FORMATS.includes(format) ? [] : [invalid(path.child('format'), format, `must be one of ${FORMATS.join(',')}`)]),
    ...(jsonPath === '' ? [required(at, '')] : simplePath(jsonPath, at)),
  ];
}

export const simplePath = (text: string, path: Path): FieldError[] =>
  text.startsWith('.') ? [] : [invalid(path, text, 'must be a simple json path starting with .')];
