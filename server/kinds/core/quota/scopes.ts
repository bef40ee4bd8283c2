/** Scopes narrow what a quota counts: pods of a kind, or claims of a class. */

const PODS: ReadonlySet<string> = new Set(['pods']);
const POD_RESOURCES: ReadonlySet<string> = new Set([
  'pods',
  'cpu',
  'memory',
  'limits.cpu',
  'limits.memory',
  'requests.cpu',
  'requests.memory',
]);
const CLAIM_RESOURCES: ReadonlySet<string> = new Set(['persistentvolumeclaims', 'requests.storage']);

const COVERED: Readonly<Record<string, ReadonlySet<string>>> = {
  BestEffort: PODS,
  NotBestEffort: POD_RESOURCES,
  Terminating: POD_RESOURCES,
  NotTerminating: POD_RESOURCES,
  PriorityClass: POD_RESOURCES,
  CrossNamespacePodAffinity: POD_RESOURCES,
  VolumeAttributesClass: CLAIM_RESOURCES,
};

export const quotaScopes: ReadonlySet<string> = new Set(Object.keys(COVERED));

/** Whether objects that use the resource can be in the scope; of unknown scopes nothing is said. */
export const scopeCovers = (scope: string, resource: string): boolean => COVERED[scope]?.has(resource) ?? true;
