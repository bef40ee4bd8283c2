import { groupVersionOf } from '../../api/meta/resource.js';
import type { ApiObject, JsonObject } from '../../api/object.js';
import { checkAdmission, problemsOf, type AdmissionScope } from '../check/admission.js';
import { dyn, type Type } from '../check/types.js';
import type { KindName } from '../../api/catalogue/types.js';
import { objectAt, objectsIn } from '../../api/json/defaulting.js';
import { itemsOf, textAt } from '../../api/json/members.js';
import { builtInType } from './builtInTypes.js';
import { customType } from './customTypes.js';

/** Warnings about a policy whose expressions do not match the types of its kinds. It stays in effect; mismatches fail at evaluation. Pure. */

/** Further kinds of a policy are not checked. */
const kindsMax = 10;

/** Null for a resource that is not served. */
export type KindOf = (group: string, version: string, resource: string) => string | null;

/** The structural schema of a custom kind, or null. The object is identical as long as nothing in it changes. */
export type SchemaOf = (kind: KindName) => JsonObject | null;

export interface Kinds {
  readonly kindOf: KindOf;
  readonly schemaOf: SchemaOf;
}

/** Computes `status.typeChecking` of a validating policy. */
export function typeChecking(policy: ApiObject, { kindOf, schemaOf }: Kinds): JsonObject {
  const spec = objectAt(policy, 'spec') ?? {};
  const typeFor = (kind: KindName): Type | null => {
    const schema = schemaOf(kind);
    return schema === null ? builtInType(kind) : customType(schema);
  };
  const scopes = kindsOf(spec, kindOf).flatMap((kind) => scopeFor(kind, spec, typeFor));
  const warnings = objectsIn(spec, 'validations').flatMap((validation, position) =>
    ['expression', 'messageExpression'].flatMap((member) => {
      const warning = warningOf(textAt(validation, member), scopes);
      return warning === '' ? [] : [{ fieldRef: `spec.validations[${position}].${member}`, warning }];
    }),
  );
  return warnings.length === 0 ? {} : { expressionWarnings: warnings };
}

/** The schemas that a policy was checked against, null for kinds without a definition: a different one requires a new check. */
export function schemasFor(policy: ApiObject, { kindOf, schemaOf }: Kinds): readonly (JsonObject | null)[] {
  const spec = objectAt(policy, 'spec') ?? {};
  const paramKind = objectAt(spec, 'paramKind');
  return [...kindsOf(spec, kindOf), ...(paramKind === null ? [] : [paramName(paramKind)])].map(schemaOf);
}

const printed = ({ group, version, kind }: KindName): string => `${group}/${version}, Kind=${kind}`;

function kindsOf(spec: JsonObject, kindOf: KindOf): KindName[] {
  const texts = (rule: JsonObject, member: string): string[] => itemsOf(rule[member]).map(String);
  const named = objectsIn(objectAt(spec, 'matchConstraints') ?? {}, 'resourceRules').flatMap((rule) =>
    texts(rule, 'apiGroups').flatMap((group) =>
      texts(rule, 'apiVersions').flatMap((version) =>
        texts(rule, 'resources')
          .filter((resource) => ![group, version].includes('*') && !/[*/]/.test(resource))
          .flatMap((resource): KindName[] => {
            const kind = kindOf(group, version, resource);
            return kind === null ? [] : [{ group, version, kind }];
          }),
      ),
    ),
  );
  return [...new Map(named.map((kind) => [printed(kind), kind])).entries()]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .slice(0, kindsMax)
    .map(([, kind]) => kind);
}

interface KindScope {
  readonly kind: KindName;
  readonly scope: AdmissionScope;
}

/** Null for kinds without a known schema. */
function scopeFor(kind: KindName, spec: JsonObject, typeFor: (kind: KindName) => Type | null): KindScope[] {
  const object = typeFor(kind);
  if (object === null) return [];
  const paramKind = objectAt(spec, 'paramKind');
  const variables = objectsIn(spec, 'variables');
  const start: AdmissionScope = {
    params: paramKind !== null,
    authorizer: true,
    patches: false,
    variables: variables.length > 0 ? {} : null,
    kinds: { object, params: paramKind === null ? dyn : (typeFor(paramName(paramKind)) ?? dyn) },
  };
  return [
    {
      kind,
      scope: variables.reduce<AdmissionScope>(
        (scope, variable) => ({
          ...scope,
          variables: { ...scope.variables, [textAt(variable, 'name')]: variableType(textAt(variable, 'expression'), scope) },
        }),
        start,
      ),
    },
  ];
}

function variableType(expression: string, scope: AdmissionScope): Type {
  const { type, refused } = checkAdmission(expression, scope, null);
  return refused === null ? type : dyn;
}

const paramName = (paramKind: JsonObject): KindName => ({
  ...groupVersionOf(textAt(paramKind, 'apiVersion')),
  kind: textAt(paramKind, 'kind'),
});

function warningOf(expression: string, scopes: readonly KindScope[]): string {
  if (expression.trim() === '') return '';
  return scopes
    .flatMap(({ kind, scope }) => {
      const problems = problemsOf(expression, scope);
      return problems === null ? [] : [`${printed(kind)}: ${problems}\n`];
    })
    .join('\n');
}
