import { isTerminating, nameOf } from '../../api/meta/object.js';
import type { ControllerRevision, StatefulSet } from '../../api/types/apps/v1.js';
import type { Pod } from '../../api/types/core/v1.js';
import type { IntOrString } from '../../api/types/machinery.js';
import { scaled } from '../../api/intOrPercent.js';
import { revisionNameOf } from './revisions.js';

export interface Rollout {
  readonly set: StatefulSet;
  readonly update: ControllerRevision;
  /** Sorted by ordinal, including those about to be created. */
  readonly replicas: readonly Pod[];
  readonly isUnavailable: (pod: Pod) => boolean;
  /** Ignores the set's own limit: the feature MaxUnavailableStatefulSet is off. */
  readonly oneAtATime: boolean;
}

/** Returns the pods to delete for an update, from the highest ordinal down to the partition. Pure. */
export function rollout({ set, update, replicas, isUnavailable, oneAtATime }: Rollout): readonly Pod[] {
  const { partition = 0, maxUnavailable } = set.spec?.updateStrategy?.rollingUpdate ?? {};
  const targets = replicas.slice(partition).reverse();
  const isOld = (pod: Pod): boolean => revisionNameOf(pod) !== nameOf(update) && !isTerminating(pod);
  if (maxUnavailable === undefined || oneAtATime) return oneByOne(targets, isOld, isUnavailable);
  const unavailable = replicas.filter(isUnavailable).length;
  return several(targets.filter(isOld), bound(maxUnavailable, replicas.length) - unavailable, isUnavailable);
}

/** A small share of a small set would be nothing. */
const bound = (maxUnavailable: IntOrString, replicas: number): number => Math.max(1, scaled(maxUnavailable, replicas, 'down'));

/** Each pod waits until all above it are healthy. A broken old pod is replaced anyway, as it could wait for ever. */
function oneByOne(targets: readonly Pod[], isOld: (pod: Pod) => boolean, isUnavailable: (pod: Pod) => boolean): readonly Pod[] {
  const next = targets.find((pod) => isOld(pod) || isUnavailable(pod));
  return next && isOld(next) ? [next] : [];
}

/** Returns further pods that may be unavailable; those already unavailable do not count. */
function several(old: readonly Pod[], room: number, isUnavailable: (pod: Pod) => boolean): readonly Pod[] {
  let left = Math.max(0, room);
  return old.filter((pod) => isUnavailable(pod) || left-- > 0);
}
