import { timeOf, timeText } from '../../api/time.js';
import type { Deployment, DeploymentCondition, DeploymentStatus, ReplicaSet } from '../../api/types/apps/v1.js';
import { conditionOf } from '../workloads/podState.js';
import { actualTotal, availableTotal, hasDeadline, maxUnavailable, readyTotal, replicasOf, wantedTotal } from './limits.js';

/** Status and conditions of a Deployment in the reference's words. Pure. */

export const reasons = {
  created: 'NewReplicaSetCreated',
  found: 'FoundNewReplicaSet',
  updated: 'ReplicaSetUpdated',
  complete: 'NewReplicaSetAvailable',
  timedOut: 'ProgressDeadlineExceeded',
  failed: 'ReplicaSetCreateError',
  paused: 'DeploymentPaused',
  resumed: 'DeploymentResumed',
} as const;

type Conditions = readonly DeploymentCondition[];

export const condition = (
  { type, status, reason, message }: Pick<DeploymentCondition, 'type' | 'status' | 'reason' | 'message'>,
  now: number,
): DeploymentCondition => ({ type, status, lastUpdateTime: timeText(now), lastTransitionTime: timeText(now), reason, message });

/** Keeps a condition with equal status and reason; the transition time changes only with the status. */
export function withCondition(before: Conditions, wanted: DeploymentCondition): Conditions {
  const old = conditionOf(before, wanted.type);
  if (old && old.status === wanted.status && old.reason === wanted.reason) return before;
  const since = old && old.status === wanted.status ? old.lastTransitionTime : wanted.lastTransitionTime;
  return [...without(before, wanted.type), { ...wanted, ...(since ? { lastTransitionTime: since } : {}) }];
}

const without = (before: Conditions, type: string): Conditions => before.filter((other) => other.type !== type);

export interface Sets {
  readonly current: ReplicaSet | null;
  readonly old: readonly ReplicaSet[];
}
export const allOf = ({ current, old }: Sets): readonly ReplicaSet[] => (current ? [...old, current] : old);

export function counted(deployment: Deployment, sets: Sets, now: number): DeploymentStatus {
  const all = allOf(sets);
  const available = availableTotal(all);
  const { collisionCount, conditions = [] } = deployment.status ?? {};
  const enough = available >= replicasOf(deployment) - maxUnavailable(deployment);
  const terminating = all.every(({ status }) => status?.terminatingReplicas !== undefined)
    ? all.reduce((sum, { status }) => sum + (status?.terminatingReplicas ?? 0), 0)
    : null;
  return {
    observedGeneration: deployment.metadata.generation ?? 0,
    replicas: actualTotal(all),
    updatedReplicas: actualTotal(sets.current ? [sets.current] : []),
    readyReplicas: readyTotal(all),
    availableReplicas: available,
    unavailableReplicas: Math.max(0, wantedTotal(all) - available),
    ...(terminating === null ? {} : { terminatingReplicas: terminating }),
    ...(collisionCount === undefined ? {} : { collisionCount }),
    conditions: withCondition(
      conditions,
      enough
        ? condition(
            { type: 'Available', status: 'True', reason: 'MinimumReplicasAvailable', message: 'Deployment has minimum availability.' },
            now,
          )
        : condition(
            {
              type: 'Available',
              status: 'False',
              reason: 'MinimumReplicasUnavailable',
              message: 'Deployment does not have minimum availability.',
            },
            now,
          ),
    ),
  };
}

export function isComplete(deployment: Deployment, status: DeploymentStatus): boolean {
  const wanted = replicasOf(deployment);
  return (
    status.updatedReplicas === wanted &&
    status.replicas === wanted &&
    status.availableReplicas === wanted &&
    (status.observedGeneration ?? 0) >= (deployment.metadata.generation ?? 0)
  );
}

function isProgressing(before: DeploymentStatus | undefined, after: DeploymentStatus): boolean {
  const { updatedReplicas: updated = 0, replicas = 0, readyReplicas: ready = 0, availableReplicas: available = 0 } = before ?? {};
  const { updatedReplicas = 0, replicas: total = 0, readyReplicas = 0, availableReplicas = 0 } = after;
  return (
    updatedReplicas > updated || total - updatedReplicas < replicas - updated || readyReplicas > ready || availableReplicas > available
  );
}

function isTimedOut(deployment: Deployment, conditions: Conditions, now: number): boolean {
  const progressing = conditionOf(conditions, 'Progressing');
  if (!progressing || progressing.reason === reasons.complete) return false;
  if (progressing.reason === reasons.timedOut) return true;
  return timeOf(progressing.lastUpdateTime) + (deployment.spec?.progressDeadlineSeconds ?? 0) * 1000 < now;
}

export function rolloutStatus(deployment: Deployment, sets: Sets, now: number): DeploymentStatus {
  const status = counted(deployment, sets, now);
  let conditions = status.conditions ?? [];
  if (!hasDeadline(deployment)) conditions = without(conditions, 'Progressing');
  else {
    const before = conditionOf(deployment.status?.conditions, 'Progressing');
    const wasComplete = status.replicas === status.updatedReplicas && before?.reason === reasons.complete;
    if (!wasComplete) conditions = progress(deployment, status, sets.current, now);
  }
  return { ...status, conditions: withReplicaFailure(conditions, sets) };
}

function progress(deployment: Deployment, status: DeploymentStatus, current: ReplicaSet | null, now: number): Conditions {
  const conditions = status.conditions ?? [];
  const who = current ? `ReplicaSet "${current.metadata.name ?? ''}"` : `Deployment "${deployment.metadata.name ?? ''}"`;
  if (isComplete(deployment, status))
    return withCondition(
      conditions,
      condition({ type: 'Progressing', status: 'True', reason: reasons.complete, message: `${who} has successfully progressed.` }, now),
    );
  if (isProgressing(deployment.status, status)) {
    // Always written anew: the deadline counts from its update time.
    const before = conditionOf(deployment.status?.conditions, 'Progressing');
    const wanted = condition({ type: 'Progressing', status: 'True', reason: reasons.updated, message: `${who} is progressing.` }, now);
    return [
      ...without(conditions, 'Progressing'),
      before?.status === 'True' && before.lastTransitionTime ? { ...wanted, lastTransitionTime: before.lastTransitionTime } : wanted,
    ];
  }
  if (isTimedOut(deployment, conditions, now))
    return withCondition(
      conditions,
      condition({ type: 'Progressing', status: 'False', reason: reasons.timedOut, message: `${who} has timed out progressing.` }, now),
    );
  return conditions;
}

/** The Deployment reports its ReplicaSets' failures, the current one's first. */
function withReplicaFailure(conditions: Conditions, { current, old }: Sets): Conditions {
  const failure = [...(current ? [current] : []), ...old]
    .map(({ status }) => conditionOf(status?.conditions, 'ReplicaFailure'))
    .find((found) => found);
  if (!failure) return without(conditions, 'ReplicaFailure');
  const { lastTransitionTime, ...rest } = failure;
  return withCondition(conditions, { ...rest, ...(lastTransitionTime ? { lastTransitionTime, lastUpdateTime: lastTransitionTime } : {}) });
}

/** Returns milliseconds until the deadline check of a rollout; null when none runs. */
export function deadlineMs(deployment: Deployment, status: DeploymentStatus, now: number): number | null {
  const progressing = conditionOf(status.conditions, 'Progressing');
  if (
    !hasDeadline(deployment) ||
    !progressing ||
    isComplete(deployment, status) ||
    progressing.reason === reasons.timedOut ||
    progressing.reason === reasons.complete
  )
    return null;
  return Math.max(1_000, timeOf(progressing.lastUpdateTime) + (deployment.spec?.progressDeadlineSeconds ?? 0) * 1000 - now + 1_000);
}
