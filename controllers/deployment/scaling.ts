import { uidOf } from '../../api/meta/object.js';
import type { Deployment, ReplicaSet } from '../../api/types/apps/v1.js';
import { currentSize, isRolling, maxSurge, maxUnavailable, replicasOf, wantedTotal } from './limits.js';
import { desiredAnnotation, maxAnnotation, newestFirst, oldestFirst } from './revisions.js';
import { allOf, type Sets } from './status.js';

export interface Resize {
  readonly set: ReplicaSet;
  readonly size: number;
}

const isInUse = (set: ReplicaSet): boolean => replicasOf(set) > 0;

/** Returns whether the Deployment's size changed since the last scaling of its sets. Pure. */
export function wasScaled(deployment: Deployment, sets: readonly ReplicaSet[]): boolean {
  return sets.filter(isInUse).some(({ metadata }) => {
    const desired = metadata.annotations?.[desiredAnnotation];
    return desired !== undefined && Number(desired) !== replicasOf(deployment);
  });
}

/** Returns the sizes after scaling: during a rollout all sets grow or shrink in proportion. Pure. */
export function scale(deployment: Deployment, sets: Sets): readonly Resize[] {
  const only = onlyActiveOrLatest(sets);
  if (only) return replicasOf(only) === replicasOf(deployment) ? [] : [{ set: only, size: replicasOf(deployment) }];
  if (isSaturated(deployment, sets.current)) return sets.old.filter(isInUse).map((set) => ({ set, size: 0 }));
  return isRolling(deployment) ? inProportion(deployment, allOf(sets).filter(isInUse)) : [];
}

function onlyActiveOrLatest(sets: Sets): ReplicaSet | null {
  const inUse = allOf(sets).filter(isInUse);
  if (inUse.length > 1) return null;
  return inUse[0] ?? sets.current ?? newestFirst(sets.old)[0] ?? null;
}

function isSaturated(deployment: Deployment, current: ReplicaSet | null): boolean {
  if (!current) return false;
  const wanted = replicasOf(deployment);
  return (
    replicasOf(current) === wanted &&
    Number(current.metadata.annotations?.[desiredAnnotation]) === wanted &&
    (current.status?.availableReplicas ?? 0) === wanted
  );
}

function inProportion(deployment: Deployment, sets: readonly ReplicaSet[]): readonly Resize[] {
  const wanted = replicasOf(deployment);
  const toAdd = (wanted > 0 ? wanted + maxSurge(deployment) : 0) - wantedTotal(sets);
  // The first one gets the rounding: the largest, and among equals the newer when growing, the older when shrinking.
  const order = toAdd > 0 ? newestFirst(sets) : oldestFirst(sets);
  const sorted = order.sort((a, b) => replicasOf(b) - replicasOf(a));
  let added = 0;
  const sizes = sorted.map((set) => {
    const share = proportion(set, deployment, toAdd, added);
    added += share;
    return { set, size: replicasOf(set) + share };
  });
  return sizes.map(({ set, size }, index) => ({ set, size: index === 0 ? Math.max(0, size + toAdd - added) : size }));
}

function proportion(set: ReplicaSet, deployment: Deployment, toAdd: number, added: number): number {
  if (replicasOf(set) === 0 || toAdd === 0 || toAdd === added) return 0;
  const share = fraction(set, deployment);
  return toAdd > 0 ? Math.min(share, toAdd - added) : Math.max(share, toAdd - added);
}

function fraction(set: ReplicaSet, deployment: Deployment): number {
  if (replicasOf(deployment) === 0) return -replicasOf(set);
  const before = Number(set.metadata.annotations?.[maxAnnotation] ?? '0') || (deployment.status?.replicas ?? 0);
  if (before === 0) return 0;
  return Math.round((replicasOf(set) * (replicasOf(deployment) + maxSurge(deployment))) / before) - replicasOf(set);
}

/** Returns the next step of a rolling update: grow the current set, or else shrink old ones. Pure. */
export function rollingStep(deployment: Deployment, { current, old }: Sets): readonly Resize[] {
  if (!current) return [];
  const grown = growCurrent(deployment, current, allOf({ current, old }));
  return grown ? [grown] : shrinkOld(deployment, current, old);
}

function growCurrent(deployment: Deployment, current: ReplicaSet, all: readonly ReplicaSet[]): Resize | null {
  const size = replicasOf(current);
  const wanted = replicasOf(deployment);
  if (size === wanted) return null;
  const next = size > wanted ? wanted : currentSize(deployment, all, size);
  return next === size ? null : { set: current, size: next };
}

function shrinkOld(deployment: Deployment, current: ReplicaSet, old: readonly ReplicaSet[]): readonly Resize[] {
  if (wantedTotal(old) === 0) return [];
  const minAvailable = replicasOf(deployment) - maxUnavailable(deployment);
  const unavailableNew = replicasOf(current) - (current.status?.availableReplicas ?? 0);
  const most = wantedTotal([...old, current]) - minAvailable - unavailableNew;
  if (most <= 0) return [];
  const sizes = new Map(old.map((set) => [uidOf(set), replicasOf(set)]));
  const take = (budget: number, from: (set: ReplicaSet, size: number) => number): void => {
    for (const set of oldestFirst(old)) {
      const size = sizes.get(uidOf(set)) ?? 0;
      const count = Math.min(budget, Math.max(0, from(set, size)));
      budget -= count;
      sizes.set(uidOf(set), size - count);
    }
  };
  // Unavailable pods go first, which costs no available ones.
  take(most, (set, size) => size - (set.status?.availableReplicas ?? 0));
  take(Math.max(0, lastingTotal([...old, current]) - minAvailable), (_, size) => size);
  return old.map((set) => ({ set, size: sizes.get(uidOf(set)) ?? 0 })).filter(({ set, size }) => size !== replicasOf(set));
}

/** Returns the available pods that remain at the new sizes. The status also counts those about to be deleted. */
const lastingTotal = (sets: readonly ReplicaSet[]): number =>
  sets.reduce((sum, set) => sum + Math.min(set.status?.availableReplicas ?? 0, replicasOf(set)), 0);

/** Returns old sets without pods beyond the revision history limit, oldest first. Pure. */
export function superfluous(
  deployment: Deployment,
  old: readonly ReplicaSet[],
  revision: (set: ReplicaSet) => bigint,
): readonly ReplicaSet[] {
  const limit = deployment.spec?.revisionHistoryLimit;
  if (limit === undefined) return [];
  const alive = old.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const oldest = [...alive]
    .sort((a, b) => Number(revision(a) > revision(b)) - Number(revision(a) < revision(b)))
    .slice(0, Math.max(0, alive.length - limit));
  return oldest.filter(
    (set) =>
      (set.status?.replicas ?? 0) === 0 && replicasOf(set) === 0 && (set.metadata.generation ?? 0) <= (set.status?.observedGeneration ?? 0),
  );
}
