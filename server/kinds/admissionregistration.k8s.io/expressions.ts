import type { JsonObject, JsonValue } from '../../../api/object.js';
import { checkAdmission, type AdmissionScope, type Wanted } from '../../../cel/check/admission.js';
import { keptWords } from '../../../cel/reserved.js';
import { objectAt, objectsIn } from '../../../api/json/defaulting.js';
import { textAt } from '../../../api/json/members.js';
import { duplicate, internalError, invalid, required, tooMany, type FieldError, type Path } from '../../registry/validation/field.js';
import { qualified } from '../../registry/validation/values.js';
import { repeats } from '../../registry/validation/repeats.js';

/** CEL of webhooks and policies. */

const conditionsMax = 64;
const identifier = /^[_a-zA-Z][_a-zA-Z0-9]*$/;

export const webhookScope: AdmissionScope = { params: false, authorizer: true, patches: false, variables: null };

/** `validateVariables` reports errors of variables. */
export function scopeOf(spec: JsonObject, patches: boolean): AdmissionScope {
  const start: AdmissionScope = {
    params: objectAt(spec, 'paramKind') !== null,
    authorizer: true,
    patches,
    variables: patches || objectsIn(spec, 'variables').length > 0 ? {} : null,
  };
  return objectsIn(spec, 'variables').reduce(withVariable, start);
}

/** One with a wrong expression has an unknown type. */
function withVariable(scope: AdmissionScope, variable: JsonObject): AdmissionScope {
  const expression = textAt(variable, 'expression');
  if (expression.trim() === '') return scope;
  return { ...scope, variables: { ...scope.variables, [textAt(variable, 'name')]: checkAdmission(expression, scope, null).type } };
}

interface Demand {
  readonly types: readonly Wanted[] | null;
  /** The message for a missing expression. Default: that it is required. */
  readonly absent?: string;
}

/** Checks a required expression. */
export function validateExpression(
  value: JsonValue | undefined,
  path: Path,
  scope: AdmissionScope,
  { types, absent = '' }: Demand,
): FieldError[] {
  if (typeof value !== 'string' || value.trim() === '') return [required(path, absent)];
  const { refused, internal } = checkAdmission(value, scope, types);
  if (refused === null) return [];
  return [internal ? internalError(path, refused) : invalid(path, value, refused)];
}

export function validateMatchConditions(holder: JsonObject, path: Path, scope: AdmissionScope): FieldError[] {
  const conditions = objectsIn(holder, 'matchConditions');
  const isRepeated = repeats(conditions.map((condition) => textAt(condition, 'name')));
  return [
    ...(conditions.length > conditionsMax ? [tooMany(path, conditions.length, conditionsMax)] : []),
    ...conditions.flatMap((condition, position) => {
      const at = path.index(position);
      const name = textAt(condition, 'name');
      return [
        ...validateExpression(textAt(condition, 'expression').trim(), at.child('expression'), scope, { types: ['bool'] }),
        ...(name === '' ? [required(at.child('name'), '')] : qualified(name, at.child('name'))),
        ...(name !== '' && isRepeated(position) ? [duplicate(at.child('name'), name)] : []),
      ];
    }),
  ];
}

/** Each variable may use those before it. */
export function validateVariables(spec: JsonObject, path: Path, patches: boolean): FieldError[] {
  const variables = objectsIn(spec, 'variables');
  let scope = scopeOf({ ...spec, variables: [] }, patches);
  return variables.flatMap((variable, position) => {
    const at = path.index(position);
    const name = textAt(variable, 'name');
    const isIdentifier = identifier.test(name) && !keptWords.has(name);
    const before: AdmissionScope = { ...scope, variables: scope.variables ?? {} };
    scope = withVariable(before, variable);
    return [
      ...(name.trim() === ''
        ? [required(at.child('name'), 'name is not specified')]
        : isIdentifier
          ? []
          : [invalid(at.child('name'), name, 'must be a valid CEL identifier')]),
      ...validateExpression(variable['expression'], at.child('expression'), before, { types: null, absent: 'expression is not specified' }),
    ];
  });
}
