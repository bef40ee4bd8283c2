/** Scopes narrow what a quota counts: pods of a kind, or claims of a class. */

const pods: ReadonlySet<string> = new Set(['pods']);
const podResources: ReadonlySet<string> = new Set([
  'pods',
  'cpu',
  'memory',
  'limits.cpu',
  'limits.memory',
  'requests.cpu',
  'requests.memory',
]);
const claimResources: ReadonlySet<string> = new Set(['persistentvolumeclaims', 'requests.storage']);

const covered: Readonly<Record<string, ReadonlySet<string>>> = {
  BestEffort: pods,
  NotBestEffort: podResources,
  Terminating: podResources,
  NotTerminating: podResources,
  PriorityClass: podResources,
  CrossNamespacePodAffinity: podResources,
  VolumeAttributesClass: claimResources,
};

export const quotaScopes: ReadonlySet<string> = new Set(Object.keys(covered));

/** Whether objects that use the resource can be in the scope; of unknown scopes nothing is said. */
export const scopeCovers = (scope: string, resource: string): boolean => covered[scope]?.has(resource) ?? true;
