import type * as v1 from '../../../api/types/core/v1.js';
import {
  countedResources,
  invalid,
  isWhole,
  isWholeResource,
  itemsOf,
  members,
  missing,
  nonNegativeQuantity,
  objectAt,
  objectRules,
  ofEach,
  optional,
  Path,
  printedAs,
  specOf,
  statusOf,
  validateResourceName,
  type Draft,
  type FieldError,
  type Found,
  type Kind,
  type Writable,
} from '../language.js';
import { compareQuantities, formatQuantity, parseQuantity, type Quantity } from '../../../api/quantity.js';
import { isHugePages } from '../../../api/resourceNames.js';
import { quotaScopes, scopeCovers } from './quota/scopes.js';
import { roundAmounts } from '../../../api/resourceLists.js';

type Spec = Writable<v1.ResourceQuotaSpec>;

const isStandardForQuota = (name: string): boolean => countedResources.has(name) || isHugePages(name.replace(/^requests\./, ''));
const conflicting = [
  ['BestEffort', 'NotBestEffort'],
  ['Terminating', 'NotTerminating'],
] as const;
const valueless: ReadonlySet<string> = new Set([
  'BestEffort',
  'NotBestEffort',
  'Terminating',
  'NotTerminating',
  'CrossNamespacePodAffinity',
]);
const valuelessText =
  "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity";

type Amounts = Writable<v1.ResourceQuotaSpec['hard']>;
type Requirement = Writable<v1.ScopedResourceSelectorRequirement>;

const amounts = (list: Amounts = {}, path: Path): Found =>
  ofEach(Object.entries(list), ([name, amount]) => {
    const at = path.key(name);
    return [
      ...validateResourceName(name, at),
      ...(name.includes('/') || isStandardForQuota(name) ? [] : [invalid(at, name, 'must be a standard resource for quota')]),
      ...nonNegativeQuantity(amount, at),
      ...(isWholeResource(name) && !isWhole(amount) ? [invalid(at, amount, 'must be an integer')] : []),
    ];
  });

/** Each finding shows all scopes, so their number is limited. */
const scopeFindingsMax = 50;

function validateScopes(scopes: readonly string[] = [], path: Path, spec: Spec): FieldError[] {
  const uncovered = uncoveredBy(spec);
  const findings: FieldError[] = [];
  for (const scope of scopes) {
    if (!quotaScopes.has(scope)) findings.push(invalid(path, scopes, 'unsupported scope'));
    for (const _ of uncovered(scope)) findings.push(invalid(path, scopes, 'unsupported scope applied to resource'));
    if (findings.length >= scopeFindingsMax) return findings;
  }
  return [...findings, ...conflicts(scopes).map(() => invalid(path, scopes, 'conflicting scopes'))];
}

/** Standard resources that a scope cannot restrict, up to the reporting limit. The resources are read once per kind of scope. */
function uncoveredBy({ hard = {} }: Spec): (scope: string) => readonly string[] {
  const standard = Object.keys(hard).filter(isStandardForQuota);
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

function validateSelector(selector: Writable<v1.ScopeSelector>, at: Path, spec: Spec): FieldError[] {
  const path = at.child('matchExpressions');
  const requirements = itemsOf(selector.matchExpressions);
  const uncovered = uncoveredBy(spec);
  const findings: FieldError[] = [];
  for (const requirement of requirements) {
    const { scopeName: scope = '', operator = '' } = requirement;
    findings.push(
      ...(quotaScopes.has(scope) ? [] : [invalid(path.child('scopeName'), scope, 'unsupported scope')]),
      ...uncovered(scope).map(() => invalid(path, printedAs('core.v1.ScopeSelector', selector), 'unsupported scope applied to resource')),
      ...(valueless.has(scope) && operator !== 'Exists' ? [invalid(path.child('operator'), operator, valuelessText)] : []),
      ...validateOperator(requirement, path),
    );
    if (findings.length >= scopeFindingsMax) return findings;
  }
  return [
    ...findings,
    ...conflicts(requirements.map(({ scopeName = '' }) => scopeName)).map(() => invalid(path, spec.scopes, 'conflicting scopes')),
  ];
}

function validateOperator({ operator = '', values = [] }: Requirement, path: Path): FieldError[] {
  if (operator === 'In' || operator === 'NotIn') {
    return values.length > 0
      ? []
      : [missing(path.child('values'), "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector")];
  }
  if (operator === 'Exists' || operator === 'DoesNotExist') {
    return values.length === 0
      ? []
      : [invalid(path.child('values'), values, "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector")];
  }
  return [invalid(path.child('operator'), operator, 'not a valid selector operator')];
}

const validateSpec = objectRules<v1.ResourceQuota>({
  spec: members<v1.ResourceQuotaSpec>({ hard: amounts, scopes: validateScopes, scopeSelector: optional(validateSelector) }),
});
const validateStatus = objectRules<v1.ResourceQuota>({ status: members<v1.ResourceQuotaStatus>({ hard: amounts, used: amounts }) });

/** The scopes of a quota are immutable; its amounts may change. */
function validateSameScopes(quota: Draft<v1.ResourceQuota>, old: Draft<v1.ResourceQuota>): FieldError[] {
  const [now, before] = [quota, old].map((each) => [...new Set(specOf(each).scopes)].sort());
  return JSON.stringify(now) === JSON.stringify(before)
    ? []
    : [invalid(Path.of('spec', 'scopes'), specOf(quota).scopes, 'field is immutable')];
}

function quotaText(quota: Draft<v1.ResourceQuota>, wanted: (name: string) => boolean): string {
  const { hard = {}, used = {} } = statusOf(quota);
  return Object.keys(hard)
    .filter(wanted)
    .sort()
    .map((name) => `${name}: ${used[name] || '0'}/${hard[name]}`)
    .join(', ');
}

const compared = [
  ['cpu', true],
  ['memory', true],
  ['storage', false],
  ['ephemeral-storage', false],
] as const;

function warnings(quota: Draft<v1.ResourceQuota>, old: Draft<v1.ResourceQuota> | null): string[] {
  if (old !== null) return [];
  const { hard = {} } = specOf(quota);
  return compared.flatMap(([resource, hasBareName]) => {
    const requests = hard[`requests.${resource}`] === undefined && hasBareName ? resource : `requests.${resource}`;
    const limits = `limits.${resource}`;
    const [request, limit] = [amountAt(hard, requests), amountAt(hard, limits)];
    return request !== null && limit !== null && compareQuantities(request, limit) > 0
      ? [`ResourceQuota ${requests} (${formatQuantity(request)}) should be less than ${limits} (${formatQuantity(limit)})`]
      : [];
  });
}

function amountAt(amounts: NonNullable<Amounts>, name: string): Quantity | null {
  const parsed = parseQuantity(amounts[name] ?? '');
  return parsed.ok ? parsed.quantity : null;
}

export const resourceQuotas: Kind<Draft<v1.ResourceQuota>> = {
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
