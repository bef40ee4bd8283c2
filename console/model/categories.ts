/** Resources are sorted by purpose, for people who do not know the API groups. */
export const categories = [
  'workloads',
  'network',
  'configuration',
  'storage',
  'access',
  'cluster',
  'policies',
  'others',
  'custom',
] as const;
export type Category = (typeof categories)[number];

/** Groups whose resources are all of one category, except those below. */
const ofGroups: Readonly<Record<string, Category>> = {
  apps: 'workloads',
  batch: 'workloads',
  autoscaling: 'workloads',
  scheduling: 'workloads',
  'networking.k8s.io': 'network',
  'discovery.k8s.io': 'network',
  'storage.k8s.io': 'storage',
  'rbac.authorization.k8s.io': 'access',
  'certificates.k8s.io': 'access',
  'admissionregistration.k8s.io': 'policies',
  'flowcontrol.apiserver.k8s.io': 'policies',
  'apiextensions.k8s.io': 'cluster',
  'apiregistration.k8s.io': 'cluster',
  'coordination.k8s.io': 'cluster',
  'node.k8s.io': 'cluster',
  'resource.k8s.io': 'cluster',
};

const ofCore: Readonly<Record<string, Category>> = {
  pods: 'workloads',
  replicationcontrollers: 'workloads',
  podtemplates: 'workloads',
  services: 'network',
  endpoints: 'network',
  configmaps: 'configuration',
  secrets: 'configuration',
  persistentvolumes: 'storage',
  persistentvolumeclaims: 'storage',
  serviceaccounts: 'access',
  limitranges: 'policies',
  resourcequotas: 'policies',
  namespaces: 'cluster',
  nodes: 'cluster',
  events: 'cluster',
  componentstatuses: 'cluster',
};

const ofResources: Readonly<Record<string, Category>> = {
  'apps/controllerrevisions': 'others',
  'policy/poddisruptionbudgets': 'workloads',
  'scheduling.k8s.io/priorityclasses': 'cluster',
};

/** Kubernetes' own groups end so or have no dot; others come from definitions or extension servers. */
const ownGroup = /(?:^[^.]*|\.k8s\.io)$/;

/** `group` is empty for the core group. */
export function categoryOf({ group, resource }: { readonly group: string; readonly resource: string }): Category {
  if (group === '') return ofCore[resource] ?? 'others';
  return ofResources[`${group}/${resource}`] ?? ofGroups[group] ?? (ownGroup.test(group) ? 'others' : 'custom');
}
