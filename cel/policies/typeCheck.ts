import { groupVersionOf } from '../../api/meta/resource.js';
import type { ApiObject, JsonObject } from '../../api/object.js';
import { checkAdmission, problemsOf, type AdmissionScope } from '../check/admission.js';
import { dyn, type Type } from '../check/types.js';
import type { KindName } from '../../api/catalogue/types.js';
import { objectAt, objectsIn } from '../../api/json/defaulting.js';
import { itemsOf, textAt } from '../../api/json/members.js';
import { builtInType } from './builtInTypes.js';
import { customType } from './customTypes.js';

/** Returns warnings about policy expressions that do not match the types of their kinds. The policy stays in effect; mismatches fail at evaluation. Pure. */

/** A rule that matches this many kinds ends the search: its further kinds and later rules are not checked. */
const kindsMax = 10;

export interface ServedKind extends KindName {
  readonly resource: string;
  readonly singular: string;
}

export interface Kinds {
  readonly served: readonly ServedKind[];
  /** Returns the structural schema of a custom kind, or null: the identical object until something in it changes. */
  readonly schemaOf: (kind: KindName) => JsonObject | null;
}

export function typeChecking(policy: ApiObject, { served, schemaOf }: Kinds): JsonObject {
  const spec = objectAt(policy, 'spec') ?? {};
  const typeFor = (kind: KindName): Type | null => {
    const schema = schemaOf(kind);
    return schema === null ? builtInType(kind) : customType(schema);
  };
  const scopes = kindsOf(spec, served).flatMap((kind) => scopeFor(kind, spec, typeFor));
  const warnings = objectsIn(spec, 'validations').flatMap((validation, position) =>
    ['expression', 'messageExpression'].flatMap((member) => {
      const warning = warningOf(textAt(validation, member), scopes);
      return warning === '' ? [] : [{ fieldRef: `spec.validations[${position}].${member}`, warning }];
    }),
  );
  return warnings.length === 0 ? {} : { expressionWarnings: warnings };
}

const printed = ({ group, version, kind }: KindName): string => `${group}/${version}, Kind=${kind}`;

function kindsOf(spec: JsonObject, served: readonly ServedKind[]): KindName[] {
  const found = new Map<string, KindName>();
  for (const rule of objectsIn(objectAt(spec, 'matchConstraints') ?? {}, 'resourceRules')) {
    const kinds = kindsOfRule(rule, served).slice(0, kindsMax);
    for (const kind of kinds) found.set(printed(kind), kind);
    if (kinds.length === kindsMax) break;
  }
  return [...found.values()].sort((a, b) => inOrder(a.group, b.group) || inOrder(a.version, b.version) || inOrder(a.kind, b.kind));
}

const inOrder = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1);

/** Ignores groups, versions and resources with wildcards, and subresources, which determine no type. */
function kindsOfRule(rule: JsonObject, served: readonly ServedKind[]): KindName[] {
  const texts = (member: string): string[] => itemsOf(rule[member]).map(String).sort();
  const groups = texts('apiGroups');
  const versions = texts('apiVersions');
  if ([...groups, ...versions].some((text) => text.includes('*'))) return [];
  const resources = texts('resources').filter((resource) => !/[*/]/.test(resource));
  return groups.flatMap((group) =>
    versions.flatMap((version) => resources.flatMap((resource) => kindsFor(group, version, resource.toLowerCase(), served))),
  );
}

/** The core group's name is empty, and so, as in the reference, matches resources of that name and version in any group. */
const kindsFor = (group: string, version: string, resource: string, served: readonly ServedKind[]): KindName[] =>
  served.filter(
    (each) => (group === '' || each.group === group) && each.version === version && [each.resource, each.singular].includes(resource),
  );

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
