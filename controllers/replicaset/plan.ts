import type { Condition } from '../../api/meta/object.js';
import { selectsAll } from '../../api/selectors.js';
import { timeText } from '../../api/time.js';
import type { Pod, PodTemplateSpec, ReplicationControllerStatus as ReplicaStatus } from '../../api/types/core/v1.js';
import { podsToDelete, type Circumstances } from '../workloads/deletionOrder.js';
import { conditionOf, isAvailable, isReady, untilAvailableMs } from '../workloads/podState.js';

export interface Wanted {
  readonly replicas: number;
  readonly minReadySeconds: number;
  readonly template: PodTemplateSpec | undefined;
  readonly generation: number;
}

export type ReplicaPlan =
  | { readonly do: 'nothing' }
  | { readonly do: 'create'; readonly count: number }
  | { readonly do: 'delete'; readonly pods: readonly Pod[] };

const burst = 500;

/** Decides how to reach the desired number of pods. Pods of sibling sets count as related in the choice by node. Pure. */
export function planReplicas(replicas: number, active: readonly Pod[], circumstances: Circumstances): ReplicaPlan {
  const missing = replicas - active.length;
  if (missing === 0) return { do: 'nothing' };
  if (missing > 0) return { do: 'create', count: Math.min(missing, burst) };
  return { do: 'delete', pods: podsToDelete(active, Math.min(-missing, burst), circumstances) };
}

export interface Failure {
  readonly reason: 'FailedCreate' | 'FailedDelete';
  readonly message: string;
}

export interface StatusInput {
  readonly wanted: Wanted;
  readonly before: ReplicaStatus | undefined;
  readonly active: readonly Pod[];
  /** Null where the kind does not report terminating pods. */
  readonly terminating: number | null;
  readonly failure: Failure | null;
  readonly now: number;
}

/** Returns the status that describes these pods. Pure. */
export function statusOf({ wanted, before, active, terminating, failure, now }: StatusInput): ReplicaStatus {
  const labels = wanted.template?.metadata?.labels;
  return {
    ...before,
    replicas: active.length,
    fullyLabeledReplicas: active.filter((pod) => selectsAll(labels, pod.metadata.labels)).length,
    readyReplicas: active.filter(isReady).length,
    availableReplicas: active.filter((pod) => isAvailable(pod, wanted.minReadySeconds, now)).length,
    ...(terminating === null ? {} : { terminatingReplicas: terminating }),
    observedGeneration: wanted.generation,
    conditions: conditionsOf(before?.conditions ?? [], failure, now),
  };
}

function conditionsOf(before: readonly Condition[], failure: Failure | null, now: number): readonly Condition[] {
  if (failure && conditionOf(before, 'ReplicaFailure')) return before;
  const others = before.filter(({ type }) => type !== 'ReplicaFailure');
  return failure
    ? [
        ...others,
        { type: 'ReplicaFailure', status: 'True', reason: failure.reason, message: failure.message, lastTransitionTime: timeText(now) },
      ]
    : others;
}

/** Returns milliseconds until time alone makes the next pod available; null if none. Pure. */
export function nextAvailabilityMs(active: readonly Pod[], minReadySeconds: number, now: number): number | null {
  if (minReadySeconds <= 0) return null;
  const waits = active
    .filter(isReady)
    .map((pod) => untilAvailableMs(pod, minReadySeconds, now))
    .filter((ms) => ms > 0);
  return waits.length === 0 ? null : Math.max(1, Math.min(...waits));
}
