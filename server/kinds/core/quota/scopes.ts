import { entryOf } from '../../language.js';
/** Scopes narrow a quota: pods of a class, or claims of a class. */

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

/** Reports whether objects with this resource can be in the scope; true for unknown scopes. */
export const scopeCovers = (scope: string, resource: string): boolean => entryOf(covered, scope)?.has(resource) ?? true;
