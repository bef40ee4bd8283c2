import { controllerOf, isTerminating, nameOf, uidOf } from '../../api/meta/object.js';
import type { PersistentVolumeClaim, Pod } from '../../api/types/core/v1.js';

/** Which pods keep a claim from going. Pure. */

export const finalizer = 'kubernetes.io/pvc-protection';

/** Names of the claims of a pod: those it names, and those made for it. */
export const claimsOf = (pod: Pod): readonly string[] =>
  (pod.spec?.volumes ?? []).flatMap(
    (volume) => volume.persistentVolumeClaim?.claimName ?? (volume['ephemeral'] === undefined ? [] : `${nameOf(pod)}-${volume.name}`),
  );

/** A pod that no node was given to does not count: the node agent will not start it with a claim that is going. */
export function uses(pod: Pod, claim: PersistentVolumeClaim): boolean {
  if (!pod.spec?.nodeName) return false;
  return (pod.spec.volumes ?? []).some(
    (volume) =>
      volume.persistentVolumeClaim?.claimName === nameOf(claim) ||
      (volume['ephemeral'] !== undefined && `${nameOf(pod)}-${volume.name}` === nameOf(claim) && controllerOf(claim)?.uid === uidOf(pod)),
  );
}

/** What is to be done about the finalizer of a claim; whether it is used counts only where it may be released. */
export function protectionOf(claim: PersistentVolumeClaim): 'nothing' | 'add' | 'release' {
  const has = claim.metadata.finalizers?.includes(finalizer) ?? false;
  if (isTerminating(claim)) return has ? 'release' : 'nothing';
  return has ? 'nothing' : 'add';
}
