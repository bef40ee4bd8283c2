import { type KubeObject, nameOf, type OwnerReference } from '../../api/meta/object.js';
import { type StatefulSet, statefulSets } from '../../api/types/apps/v1.js';
import { type PersistentVolumeClaim, type Pod, pods } from '../../api/types/core/v1.js';
import { apiVersionOf, groupOf, type Resource } from '../../api/meta/resource.js';
import { controllerReference } from '../workloads/claim.js';
import { sameMeaning } from '../../api/json/equality.js';
import { isInRange, ordinalOf } from './identity.js';

/**
 * The owner of a pod's claims, with which the garbage collector deletes them: the set where claims go with the set, a condemned pod where they go on scale
 * down. Pure.
 */

type Owner = 'set' | 'pod' | null;

function wantedOwner(set: StatefulSet, pod: Pod): Owner {
  const { whenDeleted, whenScaled } = set.spec?.persistentVolumeClaimRetentionPolicy ?? {};
  if (whenScaled === 'Delete' && !isInRange(set, ordinalOf(pod))) return 'pod';
  return whenDeleted === 'Delete' ? 'set' : null;
}

const names = (reference: OwnerReference, type: Resource, owner: KubeObject): boolean =>
  reference.kind === type.kind && groupOf(reference.apiVersion) === type.group && reference.name === nameOf(owner);
const isOwn = (reference: OwnerReference, set: StatefulSet, pod: Pod): boolean =>
  names(reference, statefulSets, set) || names(reference, pods, pod);

/** Returns whether another controller owns a claim, so that the set's retention policy is ignored. */
export function isOthers(claim: PersistentVolumeClaim, set: StatefulSet, pod: Pod): boolean {
  const { whenDeleted, whenScaled } = set.spec?.persistentVolumeClaimRetentionPolicy ?? {};
  return (
    (whenDeleted === 'Delete' || whenScaled === 'Delete') &&
    (claim.metadata.ownerReferences ?? []).some((reference) => reference.controller && !isOwn(reference, set, pod))
  );
}

/** Returns the claim with its desired owners, or null if unchanged. Another controller's claim is left alone. */
export function withOwners(claim: PersistentVolumeClaim, set: StatefulSet, pod: Pod): PersistentVolumeClaim | null {
  const before = claim.metadata.ownerReferences ?? [];
  const others = before.filter((reference) => !isOwn(reference, set, pod));
  const wanted = others.some(({ controller }) => controller) ? null : wantedOwner(set, pod);
  const own = wanted === null ? [] : [wanted === 'set' ? controllerReference(statefulSets, set) : controllerReference(pods, pod)];
  const ownerReferences = [...others, ...own];
  return sameMeaning(before, ownerReferences) ? null : { ...claim, metadata: { ...claim.metadata, ownerReferences } };
}

/** Returns whether a claim is about to be deleted with a former pod of the same name: new pods must not mount it. */
export function isStale(claim: PersistentVolumeClaim, set: StatefulSet, podName: string, podUid: string): boolean {
  if (set.spec?.persistentVolumeClaimRetentionPolicy?.whenScaled !== 'Delete') return false;
  return (claim.metadata.ownerReferences ?? []).some(
    ({ kind, apiVersion, name, uid }) => kind === pods.kind && apiVersion === apiVersionOf(pods) && name === podName && uid !== podUid,
  );
}
