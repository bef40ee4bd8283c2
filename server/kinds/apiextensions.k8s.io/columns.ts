import type { JsonObject } from '../../../api/object.js';
import { textAt } from '../../../api/json/members.js';
import { invalid, required, type FieldError, type Path } from '../../registry/validation/field.js';

const types = ['boolean', 'date', 'integer', 'number', 'string'];
const formats = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password'];
const typeText = `must be one of ${types.join(',')}`;

export function validateColumn(column: JsonObject, path: Path): FieldError[] {
  const [type, format, jsonPath] = [textAt(column, 'type'), textAt(column, 'format'), textAt(column, 'jsonPath')];
  // The reference reports the member under its former name.
  const at = path.child('JSONPath');
  return [
    ...(textAt(column, 'name') === '' ? [required(path.child('name'), '')] : []),
    ...(type === '' ? [required(path.child('type'), typeText)] : types.includes(type) ? [] : [invalid(path.child('type'), type, typeText)]),
    ...(format === '' || formats.includes(format) ? [] : [invalid(path.child('format'), format, `must be one of ${formats.join(',')}`)]),
    ...(jsonPath === '' ? [required(at, '')] : simplePath(jsonPath, at)),
  ];
}

export const simplePath = (text: string, path: Path): FieldError[] =>
  text.startsWith('.') ? [] : [invalid(path, text, 'must be a simple json path starting with .')];
