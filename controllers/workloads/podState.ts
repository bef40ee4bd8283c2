import { type Condition, isTerminating } from '../../api/meta/object.js';
import { timeOf } from '../../api/time.js';
import type { Pod, PodStatus } from '../../api/types/core/v1.js';

export const conditionOf = <C extends Condition>(conditions: readonly C[] | undefined, type: string): C | undefined =>
  conditions?.find((condition) => condition.type === type);

export const isReady = (pod: Pod): boolean => conditionOf(pod.status?.conditions, 'Ready')?.status === 'True';
export const hasSucceeded = (pod: Pod): boolean => pod.status?.phase === 'Succeeded';
export const hasFailed = (pod: Pod): boolean => pod.status?.phase === 'Failed';
export const isFinished = (pod: Pod): boolean => hasSucceeded(pod) || hasFailed(pod);
export const isActive = (pod: Pod): boolean => !isFinished(pod) && !isTerminating(pod);

/** Ready for at least `minReadySeconds`. */
export function isAvailable(pod: Pod, minReadySeconds: number, now: number): boolean {
  if (!isReady(pod)) return false;
  return minReadySeconds <= 0 || untilAvailableMs(pod, minReadySeconds, now) <= 0;
}

/** Returns milliseconds until a ready pod counts as available; 0 or less when it does. */
export function untilAvailableMs(pod: Pod, minReadySeconds: number, now: number): number {
  const since = timeOf(conditionOf(pod.status?.conditions, 'Ready')?.lastTransitionTime);
  return Number.isNaN(since) ? minReadySeconds * 1000 : since + minReadySeconds * 1000 - now;
}

export const readySince = (pod: Pod): number => timeOf(conditionOf(pod.status?.conditions, 'Ready')?.lastTransitionTime);

export function restartsOf({ containerStatuses = [], initContainerStatuses = [] }: PodStatus = {}): number {
  return Math.max(0, ...[...containerStatuses, ...initContainerStatuses].map(({ restartCount }) => restartCount ?? 0));
}
