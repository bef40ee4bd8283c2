import type * as v1 from '../../../api/types/admissionregistration/v1.js';
import { checkAdmission, type AdmissionScope, type Wanted } from '../../../cel/check/admission.js';
import { keptWords } from '../../../cel/reserved.js';
import {
  all,
  distinct,
  internalError,
  invalid,
  isSet,
  itemsOf,
  members,
  missing,
  qualified,
  required,
  tooMany,
  when,
  type Check,
  type FieldError,
  type Path,
  type Rule,
  type Writable,
} from '../language.js';

type Variable = Writable<v1.Variable>;
type Condition = Writable<v1.MatchCondition>;
export type Scoped = Writable<Pick<v1.ValidatingAdmissionPolicySpec, 'paramKind' | 'variables'>>;

const conditionsMax = 64;
const identifier = /^[_a-zA-Z][_a-zA-Z0-9]*$/;

export const webhookScope: AdmissionScope = { params: false, authorizer: true, patches: false, variables: null };

/** `variables` reports errors of variables. */
export function scopeOf({ paramKind, variables }: Scoped, patches: boolean): AdmissionScope {
  const start: AdmissionScope = {
    params: isSet(paramKind),
    authorizer: true,
    patches,
    variables: patches || itemsOf(variables).length > 0 ? {} : null,
  };
  return itemsOf(variables).reduce(withVariable, start);
}

/** One with a wrong expression has an unknown type. */
function withVariable(scope: AdmissionScope, { name = '', expression = '' }: Variable): AdmissionScope {
  if (expression.trim() === '') return scope;
  return { ...scope, variables: { ...scope.variables, [name]: checkAdmission(expression, { ...scope, patches: false }, null).type } };
}

/** A required expression; `absent` is the message where it is missing. */
export const expression =
  (scope: AdmissionScope, types: readonly Wanted[] | null, absent = ''): Check<string | null | undefined> =>
  (value, path) => {
    if (!isSet(value) || value.trim() === '') return [missing(path, absent)];
    const { refused, internal } = checkAdmission(value, scope, types);
    if (refused === null) return [];
    return [internal ? internalError(path, refused) : invalid(path, value, refused)];
  };

export const trimmedExpression =
  (scope: AdmissionScope, types: readonly Wanted[]): Check<string | undefined> =>
  (text, path) =>
    expression(scope, types)(text?.trim(), path);

export function matchConditions(scope: AdmissionScope): Rule<Condition[] | undefined> {
  const rules = members<v1.MatchCondition>({
    expression: trimmedExpression(scope, ['bool']),
    name: required(qualified),
  });
  return all<Condition[] | undefined>(
    (conditions, path) => (itemsOf(conditions).length > conditionsMax ? [tooMany(path, itemsOf(conditions).length, conditionsMax)] : []),
    distinct<Condition>('name', (once) =>
      all<Condition>(
        rules,
        when(({ name = '' }: Condition) => name !== '', once),
      ),
    ),
  );
}

/** Each variable may use those before it. */
export function variables(list: Variable[] | undefined, path: Path, spec: Scoped): FieldError[] {
  let scope = scopeOf({ ...spec, variables: [] }, false);
  return itemsOf(list).flatMap((variable, position) => {
    const at = path.index(position);
    const before: AdmissionScope = { ...scope, variables: scope.variables ?? {} };
    scope = withVariable(before, variable);
    return [
      ...variableName(variable.name ?? '', at.child('name')),
      ...expression(before, null, 'expression is not specified')(variable.expression, at.child('expression')),
    ];
  });
}

function variableName(name: string, path: Path): FieldError[] {
  if (name.trim() === '') return [missing(path, 'name is not specified')];
  return identifier.test(name) && !keptWords.has(name) ? [] : [invalid(path, name, 'must be a valid CEL identifier')];
}
