import type * as v1 from '../../../api/types/apiextensions/v1.js';
import { invalid, members, nonZero, required, requiredAs, type Check, type FieldError, type Path } from '../language.js';

const types = ['boolean', 'date', 'integer', 'number', 'string'];
const formats = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password'];
const among = (values: readonly string[]): string => `must be one of ${values.join(',')}`;
const listed =
  (values: readonly string[]): Check<string> =>
  (value, path) =>
    values.includes(value) ? [] : [invalid(path, value, among(values))];

export const simplePath = (text: string, path: Path): FieldError[] =>
  text.startsWith('.') ? [] : [invalid(path, text, 'must be a simple json path starting with .')];
const cellPath = required(simplePath);

export const column = members<v1.CustomResourceColumnDefinition>({
  name: required(),
  type: requiredAs(among(types), listed(types)),
  format: nonZero(listed(formats)),
  // The reference reports the member under its former name.
  jsonPath: (text, path, owner) => cellPath(text, path.parent.child('JSONPath'), owner),
});
