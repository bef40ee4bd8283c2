import { isTerminating, nameOf } from '../../api/meta/object.js';
import type { ControllerRevision, StatefulSet, StatefulSetStatus } from '../../api/types/apps/v1.js';
import type { Pod } from '../../api/types/core/v1.js';
import { isAvailable, isReady } from '../workloads/podState.js';
import { replicasOf } from './identity.js';
import { revisionNameOf } from './revisions.js';

export interface StatusInput {
  readonly set: StatefulSet;
  readonly pods: readonly Pod[];
  readonly current: ControllerRevision;
  readonly update: ControllerRevision;
  readonly collisions: number;
  readonly now: number;
}

/** Returns the status of these pods, of which `updating` are about to be replaced. Pure. */
export function statusOf({ set, pods, current, update, collisions, now }: StatusInput, updating: number): StatefulSetStatus {
  const ready = pods.filter((pod) => pod.status?.phase === 'Running' && isReady(pod));
  const of = (revision: ControllerRevision): number =>
    pods.filter((pod) => !isTerminating(pod) && revisionNameOf(pod) === nameOf(revision)).length;
  const status = {
    observedGeneration: set.metadata.generation ?? 0,
    replicas: pods.length,
    readyReplicas: ready.length,
    availableReplicas: ready.filter((pod) => isAvailable(pod, set.spec?.minReadySeconds ?? 0, now)).length,
    currentReplicas: Math.max(0, of(current) - updating),
    updatedReplicas: of(update),
    currentRevision: nameOf(current),
    updateRevision: nameOf(update),
    collisionCount: collisions,
    ...(set.status?.conditions ? { conditions: set.status.conditions } : {}),
  };
  return isComplete(set, status) ? { ...status, currentReplicas: status.updatedReplicas, currentRevision: status.updateRevision } : status;
}

/** Once every pod has the newest template, it is the current revision. */
function isComplete(set: StatefulSet, { replicas, readyReplicas, updatedReplicas }: StatefulSetStatus): boolean {
  if ((set.spec?.updateStrategy?.type ?? 'RollingUpdate') !== 'RollingUpdate') return false;
  return [replicas, readyReplicas, updatedReplicas].every((count) => count === replicasOf(set));
}
