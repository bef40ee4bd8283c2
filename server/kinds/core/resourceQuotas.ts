import type { ResourceQuota, ResourceQuotaSpec } from '../../../api/types/core/v1.js';
import type { JsonObject } from '../../../api/object.js';
import { objectAt, objectsIn } from '../../../api/json/defaulting.js';
import { itemsOf, memberAt, membersOf, textAt } from '../../../api/json/members.js';
import { invalid, Path, required, type FieldError } from '../../registry/validation/field.js';
import { isWhole, nonNegativeQuantity } from '../../registry/validation/quantities.js';
import { countedResources, isWholeResource, validateResourceName } from '../../registry/validation/resourcenames.js';
import { compareQuantities, formatQuantity, parseQuantity, type Quantity } from '../../../api/quantity.js';
import { isHugePages } from '../../../api/resourceNames.js';
import type { Draft, Kind, Writable } from '../kind.js';
import { specOf, statusOf } from '../parts.js';
import { quotaScopes, scopeCovers } from './quota/scopes.js';
import { roundAmounts } from '../../../api/resourceLists.js';
import { inOrder, ofEach, type Found } from '../../registry/validation/ofEach.js';

const specPath = Path.of('spec');
const isStandardForQuota = (name: string): boolean => countedResources.has(name) || isHugePages(name.replace(/^requests\./, ''));
const conflicting = [
  ['BestEffort', 'NotBestEffort'],
  ['Terminating', 'NotTerminating'],
] as const;
/** Scopes that are selected by name alone. */
const valueless: ReadonlySet<string> = new Set([
  'BestEffort',
  'NotBestEffort',
  'Terminating',
  'NotTerminating',
  'CrossNamespacePodAffinity',
]);
const valuelessText =
  "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity";

const validateAmounts = (amounts: JsonObject, path: Path): Found =>
  ofEach(Object.keys(amounts), (name) => {
    const [at, amount] = [path.key(name), amounts[name]];
    return [
      ...validateResourceName(name, at),
      ...(name.includes('/') || isStandardForQuota(name) ? [] : [invalid(at, name, 'must be a standard resource for quota')]),
      ...nonNegativeQuantity(amount, at),
      ...(isWholeResource(name) && !isWhole(amount) ? [invalid(at, amount, 'must be an integer')] : []),
    ];
  });

/** Each finding shows all scopes, so their number is limited. */
const scopeFindingsMax = 50;

function validateScopes(spec: Writable<ResourceQuotaSpec>): FieldError[] {
  const scopes = itemsOf(spec.scopes).map(String);
  const uncovered = uncoveredBy(spec);
  const findings: FieldError[] = [];
  for (const scope of scopes) {
    if (!quotaScopes.has(scope)) findings.push(invalid(specPath.child('scopes'), scopes, 'unsupported scope'));
    for (const _ of uncovered(scope)) findings.push(invalid(specPath.child('scopes'), scopes, 'unsupported scope applied to resource'));
    if (findings.length >= scopeFindingsMax) return findings;
  }
  return [...findings, ...conflicts(scopes).map(() => invalid(specPath.child('scopes'), scopes, 'conflicting scopes'))];
}

/** Standard resources that a scope cannot restrict, up to the reporting limit. The resources are read once per kind of scope. */
function uncoveredBy(spec: Writable<ResourceQuotaSpec>): (scope: string) => readonly string[] {
  const standard = Object.keys(objectAt(spec, 'hard') ?? {}).filter(isStandardForQuota);
  const known = new Map<string, readonly string[]>();
  return (scope) => {
    if (!quotaScopes.has(scope)) return [];
    const found = known.get(scope) ?? standard.filter((name) => !scopeCovers(scope, name)).slice(0, scopeFindingsMax);
    known.set(scope, found);
    return found;
  };
}

const conflicts = (scopes: readonly string[]): (readonly string[])[] =>
  conflicting.filter((pair) => pair.every((scope) => scopes.includes(scope)));

function validateSelector(spec: Writable<ResourceQuotaSpec>): FieldError[] {
  const selector = objectAt(spec, 'scopeSelector');
  if (selector === null) return [];
  const path = specPath.child('scopeSelector', 'matchExpressions');
  const requirements = objectsIn(selector, 'matchExpressions');
  const uncovered = uncoveredBy(spec);
  const findings: FieldError[] = [];
  for (const requirement of requirements) {
    findings.push(...validateRequirement(requirement, uncovered, selector, path));
    if (findings.length >= scopeFindingsMax) return findings;
  }
  return [
    ...findings,
    ...conflicts(requirements.map((requirement) => textAt(requirement, 'scopeName'))).map(() =>
      invalid(path, spec.scopes ?? null, 'conflicting scopes'),
    ),
  ];
}

function validateRequirement(
  requirement: JsonObject,
  uncovered: (scope: string) => readonly string[],
  selector: JsonObject,
  path: Path,
): FieldError[] {
  const [scope, operator] = [textAt(requirement, 'scopeName'), textAt(requirement, 'operator')];
  const values = itemsOf(requirement.values);
  return [
    ...(quotaScopes.has(scope) ? [] : [invalid(path.child('scopeName'), scope, 'unsupported scope')]),
    ...uncovered(scope).map(() => invalid(path, shownSelector(selector), 'unsupported scope applied to resource')),
    ...(valueless.has(scope) && operator !== 'Exists' ? [invalid(path.child('operator'), operator, valuelessText)] : []),
    ...validateOperator(operator, values, path),
  ];
}

/** The reference shows the selector in its internal form. */
const shownSelector = (selector: JsonObject): JsonObject => ({
  MatchExpressions: objectsIn(selector, 'matchExpressions').map((requirement) => ({
    ScopeName: textAt(requirement, 'scopeName'),
    Operator: textAt(requirement, 'operator'),
    Values: requirement['values'] ?? null,
  })),
});

function validateOperator(operator: string, values: readonly unknown[], path: Path): FieldError[] {
  if (operator === 'In' || operator === 'NotIn') {
    return values.length > 0
      ? []
      : [required(path.child('values'), "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector")];
  }
  if (operator === 'Exists' || operator === 'DoesNotExist') {
    return values.length === 0
      ? []
      : [invalid(path.child('values'), values, "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector")];
  }
  return [invalid(path.child('operator'), operator, 'not a valid selector operator')];
}

const validateSpec = (quota: Draft<ResourceQuota>): Found =>
  inOrder(
    validateAmounts(objectAt(specOf(quota), 'hard') ?? {}, specPath.child('hard')),
    validateScopes(specOf(quota)),
    validateSelector(specOf(quota)),
  );

const validateStatus = (quota: Draft<ResourceQuota>): Found =>
  ofEach(['hard', 'used'] as const, (member) => validateAmounts(objectAt(statusOf(quota), member) ?? {}, Path.of('status', member)));

/** The scopes of a quota are immutable; its amounts may change. */
function validateSameScopes(quota: Draft<ResourceQuota>, old: Draft<ResourceQuota>): FieldError[] {
  const [now, before] = [quota, old].map((each) => [...new Set(itemsOf(specOf(each).scopes).map(String))].sort());
  return JSON.stringify(now) === JSON.stringify(before)
    ? []
    : [invalid(specPath.child('scopes'), specOf(quota).scopes ?? null, 'field is immutable')];
}

function quotaText(quota: Draft<ResourceQuota>, wanted: (name: string) => boolean): string {
  const hard = membersOf(memberAt(quota, 'status', 'hard'));
  return Object.keys(hard)
    .filter(wanted)
    .sort()
    .map((name) => `${name}: ${textAt(quota, 'status', 'used', name) || '0'}/${String(hard[name])}`)
    .join(', ');
}

const compared = [
  ['cpu', true],
  ['memory', true],
  ['storage', false],
  ['ephemeral-storage', false],
] as const;

function warnings(quota: Draft<ResourceQuota>, old: Draft<ResourceQuota> | null): string[] {
  const hard = objectAt(specOf(quota), 'hard') ?? {};
  if (old !== null) return [];
  return compared.flatMap(([resource, hasBareName]) => {
    const requests = hard[`requests.${resource}`] === undefined && hasBareName ? resource : `requests.${resource}`;
    const limits = `limits.${resource}`;
    const [request, limit] = [amountAt(hard, requests), amountAt(hard, limits)];
    return request !== null && limit !== null && compareQuantities(request, limit) > 0
      ? [`ResourceQuota ${requests} (${formatQuantity(request)}) should be less than ${limits} (${formatQuantity(limit)})`]
      : [];
  });
}

function amountAt(amounts: JsonObject, name: string): Quantity | null {
  const parsed = parseQuantity(textAt(amounts, name));
  return parsed.ok ? parsed.quantity : null;
}

export const resourceQuotas: Kind<Draft<ResourceQuota>> = {
  name: 'resourcequotas',
  validate: validateSpec,
  warnings,
  defaults(quota) {
    roundAmounts(objectAt(specOf(quota), 'hard'));
    for (const member of ['hard', 'used'] as const) roundAmounts(objectAt(statusOf(quota), member));
  },
  update: { review: ['objectMetaUpdate', validateSpec, validateSameScopes] },
  subresources: {
    status: {
      validate: validateStatus,
    },
  },
  delete: { answers: 'object' },
  cells: {
    Request: (quota) => quotaText(quota, (name) => !name.startsWith('limits')),
    Limit: (quota) => quotaText(quota, (name) => name.startsWith('limits')),
  },
};
