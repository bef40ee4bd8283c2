import { qosClass } from '../podQos.js';
import type { KubeObject } from '../meta/object.js';
import type { PersistentVolumeClaim, Pod, ResourceQuota, ScopedResourceSelectorRequirement } from '../types/core/v1.js';

/** Scopes distinguish only pods, and volume claims by class. */
export const inScopes = (quota: ResourceQuota, source: string, object: KubeObject): boolean =>
  scopesOf(quota).every((scope) => inScope(scope, source, object));

export const inScope = (scope: ScopedResourceSelectorRequirement, source: string, object: KubeObject): boolean => {
  const known = rules[source];
  return known !== undefined && Object.hasOwn(known, scope.scopeName) && known[scope.scopeName]!(object, scope);
};

/** Converts both forms of scopes to requirements. */
export const scopesOf = ({ spec }: ResourceQuota): readonly ScopedResourceSelectorRequirement[] => [
  ...(spec?.scopes ?? []).map((scopeName) => ({ scopeName, operator: 'Exists' })),
  ...(spec?.scopeSelector?.matchExpressions ?? []),
];

type Rule = (object: KubeObject, scope: ScopedResourceSelectorRequirement) => boolean;

const endsBySelf = ({ spec }: Pod): boolean => (spec?.activeDeadlineSeconds ?? -1) >= 0;

interface ClassifiedPod extends Pod {
  readonly status?: Pod['status'] & { readonly qosClass?: string };
}

/** The server sets the class; older objects may lack it. */
const isBestEffort = (pod: ClassifiedPod): boolean => (pod.status?.qosClass ? pod.status.qosClass : qosClass(pod)) === 'BestEffort';

/** Several names match if any of them does. */
function matches(names: readonly string[], { operator, values = [] }: ScopedResourceSelectorRequirement): boolean {
  switch (operator) {
    case 'In':
      return names.some((name) => values.includes(name));
    case 'NotIn':
      return names.length === 0 || names.some((name) => !values.includes(name));
    case 'DoesNotExist':
      return names.length === 0;
    default:
      return names.length > 0;
  }
}

function reachesOtherNamespaces({ spec }: Pod): boolean {
  const terms = [spec?.affinity?.podAffinity, spec?.affinity?.podAntiAffinity].flatMap((affinity) => [
    ...(affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
    ...(affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ podAffinityTerm }) => podAffinityTerm),
  ]);
  return terms.some(({ namespaces = [], namespaceSelector }) => namespaces.length > 0 || (namespaceSelector ?? null) !== null);
}

/** While the class changes, the claim counts for each. */
const attributeClasses = ({ spec, status }: PersistentVolumeClaim): readonly string[] =>
  [
    spec?.volumeAttributesClassName,
    status?.currentVolumeAttributesClassName,
    status?.modifyVolumeStatus?.targetVolumeAttributesClassName,
  ].filter((name) => name !== undefined && name !== '') as readonly string[];

const rules: Readonly<Record<string, Readonly<Record<string, Rule>>>> = {
  pods: {
    Terminating: endsBySelf,
    NotTerminating: (pod) => !endsBySelf(pod),
    BestEffort: isBestEffort,
    NotBestEffort: (pod) => !isBestEffort(pod),
    PriorityClass: ({ spec }: Pod, scope) => matches(spec?.priorityClassName ? [spec.priorityClassName] : [], scope),
    CrossNamespacePodAffinity: reachesOtherNamespaces,
  },
  persistentvolumeclaims: { VolumeAttributesClass: (claim, scope) => matches(attributeClasses(claim), scope) },
};

/** The facts behind scopes that may change during an object's life. */
export const scopeFacts = (source: string, object: KubeObject): unknown => facts[source]?.(object);
const facts: Readonly<Record<string, (object: KubeObject) => unknown>> = { pods: endsBySelf, persistentvolumeclaims: attributeClasses };
