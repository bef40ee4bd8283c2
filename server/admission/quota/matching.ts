import type { ApiObject, JsonObject } from '../../api/object.js';
import { qualifiedName, type GroupResource } from '../../api/resource.js';
import { objectAt, objectsIn } from '../../registry/defaulting.js';
import { itemsOf, textAt } from '../../registry/members.js';
import { qosClass } from '../../kinds/core/pod/qos.js';
import { amountsOf } from '../../kinds/core/pod/totals.js';
import { isHugePages } from '../../registry/validation/resourcenames.js';
import { computeUsage, countNames } from './usage.js';

/** Which quotas are about an object, and what they want it to say. */

const POD_RESOURCES: ReadonlySet<string> = new Set([
  'pods',
  'count/pods',
  'cpu',
  'memory',
  'ephemeral-storage',
  'requests.cpu',
  'requests.memory',
  'requests.ephemeral-storage',
  'limits.cpu',
  'limits.memory',
  'limits.ephemeral-storage',
]);
const NOT_EXTENDED = /^requests\.(storage|cpu|memory|ephemeral-storage)$/;
const CLASS_RESOURCE = /\.storageclass\.storage\.k8s\.io\/(persistentvolumeclaims|requests\.storage)$/;

/** Of the resources that a quota counts, those that objects of a type use. */
export function countedFor(resource: GroupResource, names: readonly string[]): string[] {
  const own = new Set(countNames(resource));
  const more = FURTHER[qualifiedName(resource)] ?? ((): boolean => false);
  return names.filter((name) => own.has(name) || more(name));
}

const FURTHER: Readonly<Record<string, (name: string) => boolean>> = {
  pods: (name) =>
    POD_RESOURCES.has(name) ||
    isHugePages(name) ||
    isHugePages(name.replace(/^requests\./, '')) ||
    (name.startsWith('requests.') && name.includes('/') && !NOT_EXTENDED.test(name)),
  services: (name) => name === 'services.nodeports' || name === 'services.loadbalancers',
  persistentvolumeclaims: (name) => name === 'requests.storage' || CLASS_RESOURCE.test(name),
};

/** Scopes of a quota in both their forms, as requirements. */
export const scopesOf = (quota: ApiObject): JsonObject[] => {
  const spec = objectAt(quota, 'spec') ?? {};
  return [
    ...itemsOf(spec['scopes']).map((scopeName) => ({ scopeName, operator: 'Exists' })),
    ...objectsIn(objectAt(spec, 'scopeSelector') ?? {}, 'matchExpressions'),
  ];
};

/** Whether the object is in all scopes of the quota. Scopes tell pods apart, and claims by their class; nothing else is in any. */
export const inScopes = (object: ApiObject, resource: GroupResource, quota: ApiObject): boolean =>
  scopesOf(quota).every((scope) => inScope(object, resource, scope));

export function inScope(object: ApiObject, resource: GroupResource, scope: JsonObject): boolean {
  const rules = SCOPES[qualifiedName(resource)];
  const name = textAt(scope, 'scopeName');
  return rules !== undefined && Object.hasOwn(rules, name) && rules[name]!(object, scope);
}

type ScopeRule = (object: ApiObject, scope: JsonObject) => boolean;

const isTerminating: ScopeRule = (pod) => {
  const seconds = objectAt(pod, 'spec')?.['activeDeadlineSeconds'];
  return seconds !== undefined && seconds !== null && Number(seconds) >= 0;
};
const isBestEffort: ScopeRule = (pod) => qosClass(pod) === 'BestEffort';
const selects = (value: string, scope: JsonObject): boolean => {
  const values = itemsOf(scope['values']).map(String);
  switch (textAt(scope, 'operator')) {
    case 'In':
      return values.includes(value);
    case 'NotIn':
      return !values.includes(value);
    case 'DoesNotExist':
      return value === '';
    default:
      return value !== '';
  }
};

const POD_SCOPES: Readonly<Record<string, ScopeRule>> = {
  Terminating: isTerminating,
  NotTerminating: (pod, scope) => !isTerminating(pod, scope),
  BestEffort: isBestEffort,
  NotBestEffort: (pod, scope) => !isBestEffort(pod, scope),
  PriorityClass: (pod, scope) => selects(textAt(pod, 'spec', 'priorityClassName'), scope),
  CrossNamespacePodAffinity: (pod) =>
    ['podAffinity', 'podAntiAffinity'].some((kind) =>
      affinityTerms(pod, kind).some((term) => itemsOf(term['namespaces']).length > 0 || (term['namespaceSelector'] ?? null) !== null),
    ),
};

const CLAIM_SCOPES: Readonly<Record<string, ScopeRule>> = {
  VolumeAttributesClass: (claim, scope) => selects(textAt(claim, 'spec', 'volumeAttributesClassName'), scope),
};

const SCOPES: Readonly<Record<string, Readonly<Record<string, ScopeRule>>>> = { pods: POD_SCOPES, persistentvolumeclaims: CLAIM_SCOPES };

function affinityTerms(pod: ApiObject, kind: string): JsonObject[] {
  const affinity = objectAt(objectAt(objectAt(pod, 'spec') ?? {}, 'affinity') ?? {}, kind) ?? {};
  const preferred = objectsIn(affinity, 'preferredDuringSchedulingIgnoredDuringExecution').map(
    (each) => objectAt(each, 'podAffinityTerm') ?? {},
  );
  return [...objectsIn(affinity, 'requiredDuringSchedulingIgnoredDuringExecution'), ...preferred];
}

const MUST_BE_NAMED: ReadonlySet<string> = new Set(['cpu', 'memory', 'requests.cpu', 'requests.memory', 'limits.cpu', 'limits.memory']);

/** Containers have to name their share of what a quota limits; tells which do not, or null. */
export function unnamedResources(pod: ApiObject, names: readonly string[]): string | null {
  const spec = objectAt(pod, 'spec') ?? {};
  const missing = new Map<string, Set<string>>();
  for (const container of [...objectsIn(spec, 'containers'), ...objectsIn(spec, 'initContainers')]) {
    const resources = objectAt(container, 'resources') ?? {};
    const named = new Map(computeUsage(amountsOf(objectAt(resources, 'requests')), amountsOf(objectAt(resources, 'limits'))));
    for (const name of names)
      if (MUST_BE_NAMED.has(name) && !named.has(name)) missing.set(name, (missing.get(name) ?? new Set()).add(textAt(container, 'name')));
  }
  if (missing.size === 0) return null;
  return `must specify ${[...missing]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, containers]) => `${name} for: ${[...containers].sort().join(',')}`)
    .join('; ')}`;
}
