import { controllerOf, isTerminating, nameOf, uidOf } from '../../api/meta/object.js';
import type { PersistentVolumeClaim, PersistentVolumeClaimCondition, Pod } from '../../api/types/core/v1.js';

/** Decides which pods keep a claim. Pure. */

export const finalizer = 'kubernetes.io/pvc-protection';

/** Returns names of a pod's claims, including those made for it. */
export const claimsOf = (pod: Pod): readonly string[] =>
  (pod.spec?.volumes ?? []).flatMap(
    (volume) => volume.persistentVolumeClaim?.claimName ?? (volume['ephemeral'] === undefined ? [] : `${nameOf(pod)}-${volume.name}`),
  );

/** An unbound pod does not count: no kubelet starts it with a deleted claim. */
export function uses(pod: Pod, claim: PersistentVolumeClaim): boolean {
  return (pod.spec?.nodeName ?? '') !== '' && names(pod, claim);
}

const names = (pod: Pod, claim: PersistentVolumeClaim): boolean =>
  (pod.spec?.volumes ?? []).some(
    (volume) =>
      volume.persistentVolumeClaim?.claimName === nameOf(claim) ||
      (volume['ephemeral'] !== undefined && `${nameOf(pod)}-${volume.name}` === nameOf(claim) && controllerOf(claim)?.uid === uidOf(pod)),
  );

/** The condition with the time since which no pod has used a claim (feature PersistentVolumeClaimUnusedSinceTime). */
const unused = 'Unused';
const ended: ReadonlySet<unknown> = new Set(['Succeeded', 'Failed']);

/**
 * Returns a claim's conditions with its use by the given pods of its namespace; null if unchanged. A pod counts from when it names the claim, with or without
 * a node, until it has finished. `now` is RFC 3339 with seconds.
 */
export function withUse(claim: PersistentVolumeClaim, pods: readonly Pod[], now: string): readonly PersistentVolumeClaimCondition[] | null {
  const isUsed = pods.some((pod) => !ended.has(pod.status?.phase) && names(pod, claim));
  const said: PersistentVolumeClaimCondition = isUsed
    ? { type: unused, status: 'False', reason: 'PodUsingPVC', message: 'A pod is currently referencing this PVC' }
    : { type: unused, status: 'True', reason: 'NoPodsUsingPVC', message: 'No pods are currently referencing this PVC' };
  const conditions = claim.status?.conditions ?? [];
  if (conditions.some(({ type, status }) => type === unused && status === said.status)) return null;
  return [...conditions.filter(({ type }) => type !== unused), { ...said, lastTransitionTime: now }];
}

/** Decides on the finalizer of a claim; its use counts only where it may be released. */
export function protectionOf(claim: PersistentVolumeClaim): 'nothing' | 'add' | 'release' {
  const has = claim.metadata.finalizers?.includes(finalizer) ?? false;
  if (isTerminating(claim)) return has ? 'release' : 'nothing';
  return has ? 'nothing' : 'add';
}
