import type { JsonObject, JsonValue } from '../../api/object.js';
import { objectsIn } from '../defaulting.js';
import { textAt } from '../members.js';
import { duplicate, invalid, required, tooMany, type FieldError, type Path } from '../validation/field.js';
import { qualified } from '../validation/values.js';

/** Conditions and variables, which webhooks and policies write in CEL. What they say is looked at when expressions are compiled; here it is only whether they say anything. */

const CONDITIONS_MAX = 64;
const IDENTIFIER = /^[_a-zA-Z][_a-zA-Z0-9]*$/;
const RESERVED: ReadonlySet<string> = new Set([
  'true', 'false', 'null', 'in', 'as', 'break', 'const', 'continue', 'else', 'for', 'function', 'if', 'import', 'let', 'loop', 'package', 'namespace', 'return', 'var', 'void', 'while',
]);

/** A member that must not be blank. */
export const validateExpression = (value: JsonValue | undefined, path: Path, detail = ''): FieldError[] =>
  (typeof value === 'string' && value.trim() !== '' ? [] : [required(path, detail)]);

export function validateMatchConditions(holder: JsonObject, path: Path): FieldError[] {
  const conditions = objectsIn(holder, 'matchConditions');
  const names = conditions.map(condition => textAt(condition, 'name'));
  return [
    ...(conditions.length > CONDITIONS_MAX ? [tooMany(path, conditions.length, CONDITIONS_MAX)] : []),
    ...conditions.flatMap((condition, position) => {
      const at = path.index(position);
      const name = textAt(condition, 'name');
      return [
        ...validateExpression(condition['expression'], at.child('expression')),
        ...(name === '' ? [required(at.child('name'), '')] : qualified(name, at.child('name'))),
        ...(name !== '' && names.indexOf(name) < position ? [duplicate(at.child('name'), name)] : []),
      ];
    }),
  ];
}

export const validateVariables = (holder: JsonObject, path: Path): FieldError[] => objectsIn(holder, 'variables').flatMap((variable, position) => {
  const at = path.index(position);
  const name = textAt(variable, 'name');
  const isIdentifier = IDENTIFIER.test(name) && !RESERVED.has(name);
  return [
    ...(name.trim() === '' ? [required(at.child('name'), 'name is not specified')] : isIdentifier ? [] : [invalid(at.child('name'), name, 'must be a valid CEL identifier')]),
    ...validateExpression(variable['expression'], at.child('expression'), 'expression is not specified'),
  ];
});
