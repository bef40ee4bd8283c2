import type { Deployment, ReplicaSet } from '../../api/types/apps/v1.js';
import { scaled } from '../../api/intOrPercent.js';

/** The permitted distances of a rolling update from the desired number. Pure. */

const noDeadline = 2_147_483_647;

export const replicasOf = ({ spec }: { readonly spec?: { readonly replicas?: number } }): number => spec?.replicas ?? 1;
export const isRolling = ({ spec }: Deployment): boolean => spec?.strategy?.type !== 'Recreate';
export const hasDeadline = ({ spec }: Deployment): boolean =>
  spec?.progressDeadlineSeconds !== undefined && spec.progressDeadlineSeconds !== noDeadline;

/** Both together are never 0, or nothing could move. */
function fences(deployment: Deployment): { readonly surge: number; readonly unavailable: number } {
  const { maxSurge: surge, maxUnavailable: unavailable } = deployment.spec?.strategy?.rollingUpdate ?? {};
  const above = scaled(surge, replicasOf(deployment), 'up');
  const below = scaled(unavailable, replicasOf(deployment), 'down');
  return { surge: above, unavailable: above === 0 && below === 0 ? 1 : below };
}

export const maxSurge = (deployment: Deployment): number => (isRolling(deployment) ? fences(deployment).surge : 0);
export const maxUnavailable = (deployment: Deployment): number =>
  isRolling(deployment) && replicasOf(deployment) > 0 ? Math.min(fences(deployment).unavailable, replicasOf(deployment)) : 0;

export const wantedTotal = (sets: readonly ReplicaSet[]): number => sets.reduce((sum, set) => sum + replicasOf(set), 0);
export const actualTotal = (sets: readonly ReplicaSet[]): number => sets.reduce((sum, { status }) => sum + (status?.replicas ?? 0), 0);
export const readyTotal = (sets: readonly ReplicaSet[]): number => sets.reduce((sum, { status }) => sum + (status?.readyReplicas ?? 0), 0);
export const availableTotal = (sets: readonly ReplicaSet[]): number =>
  sets.reduce((sum, { status }) => sum + (status?.availableReplicas ?? 0), 0);

export function currentSize(deployment: Deployment, all: readonly ReplicaSet[], current: number): number {
  const wanted = replicasOf(deployment);
  if (!isRolling(deployment)) return wanted;
  const room = wanted + maxSurge(deployment) - wantedTotal(all);
  return room <= 0 ? current : current + Math.min(room, wanted - current);
}
