import type { DaemonSetStatus } from '../../api/types/apps/v1.js';
import { isAvailable, isReady } from '../workloads/podState.js';
import { isUpdated } from './daemonPod.js';
import { inOrder, placesOf, type Observed } from './plan.js';

/** `isCurrent` is true when the current spec was worked on. Pure. */
export function statusOf(observed: Pick<Observed, 'set' | 'nodes' | 'pods' | 'hash' | 'now'>, isCurrent: boolean): DaemonSetStatus {
  const { set, hash, now } = observed;
  const places = placesOf(observed);
  const wanted = places.filter(({ fit }) => fit.runs);
  const pods = wanted.flatMap((place) => inOrder(place.pods)[0] ?? []);
  const available = pods.filter((pod) => isAvailable(pod, set.spec?.minReadySeconds ?? 0, now)).length;
  const { observedGeneration, collisionCount, conditions } = set.status ?? {};
  const generation = isCurrent ? (set.metadata.generation ?? 0) : observedGeneration;
  return {
    currentNumberScheduled: pods.length,
    numberMisscheduled: places.filter(({ fit, pods: there }) => !fit.runs && there.length > 0).length,
    desiredNumberScheduled: wanted.length,
    numberReady: pods.filter(isReady).length,
    updatedNumberScheduled: pods.filter((pod) => isUpdated(set, pod, hash)).length,
    numberAvailable: available,
    numberUnavailable: wanted.length - available,
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    ...(collisionCount === undefined ? {} : { collisionCount }),
    ...(conditions ? { conditions } : {}),
  };
}
