import { isControlledBy, isTerminating, nameOf, namespaceOf, uidOf } from '../../api/meta/object.js';
import type { Pod, PodResourceClaim } from '../../api/types/core/v1.js';
import type { ResourceClaim, ResourceClaimTemplate } from '../../api/types/resource/v1.js';
import { isFinished } from '../workloads/podState.js';

/** Generated device claims, and the users of a claim. Pure. */

const finalizer = 'resource.kubernetes.io/delete-protection';
const podClaimAnnotation = 'resource.kubernetes.io/pod-claim-name';
const prefixMax = 57;

/** A pod that has finished, or was deleted before it had a node, uses no claim. */
export const isDone = (pod: Pod): boolean => isFinished(pod) || (isTerminating(pod) && !pod.spec?.nodeName);

/** Returns the claim's name of a pod's entry; null where none was made from a template yet, '' where none is needed. */
export function claimNameOf({ status }: Pod, { name, resourceClaimName, resourceClaimTemplateName }: PodResourceClaim): string | null {
  if (resourceClaimTemplateName === undefined) return resourceClaimName ?? '';
  const recorded = status?.resourceClaimStatuses?.find((each) => each.name === name);
  return recorded ? (recorded.resourceClaimName ?? '') : null;
}

export const claimNamesOf = (pod: Pod): readonly string[] =>
  (pod.spec?.resourceClaims ?? []).flatMap((entry) => claimNameOf(pod, entry) || []);

export const unmet = (pod: Pod, claimNamed: (name: string) => ResourceClaim | undefined): readonly PodResourceClaim[] =>
  (pod.spec?.resourceClaims ?? []).filter((entry) => {
    if (entry.resourceClaimTemplateName === undefined) return false;
    const name = claimNameOf(pod, entry);
    if (name === '') return false;
    const claim = name === null ? undefined : claimNamed(name);
    return !claim || !isControlledBy(claim, pod);
  });

/** Returns claims with devices that a bound pod has not reserved: its scheduler did not support claims. */
export function unreserved(pod: Pod, claimNamed: (name: string) => ResourceClaim | undefined): readonly ResourceClaim[] {
  if (!pod.spec?.nodeName) return [];
  return claimNamesOf(pod)
    .flatMap((name) => claimNamed(name) ?? [])
    .filter(({ status }) => status?.allocation && !status.reservedFor?.some(({ uid }) => uid === uidOf(pod)));
}

export function reservedFor(claim: ResourceClaim, pod: Pod): ResourceClaim {
  const user = { resource: 'pods', name: nameOf(pod), uid: uidOf(pod) };
  return { ...claim, status: { ...claim.status, reservedFor: [...(claim.status?.reservedFor ?? []), user] } };
}

/** Shortens both names in proportion to the available room. */
function prefixOf(pod: string, entry: string): string {
  const whole = `${pod}-${entry}-`;
  if (whole.length <= prefixMax) return whole;
  const part = (name: string): string => name.slice(0, Math.floor((name.length * prefixMax) / whole.length));
  return `${part(pod)}-${part(entry)}`;
}

export const claimFor = (pod: Pod, { name }: PodResourceClaim, claims: readonly ResourceClaim[]): ResourceClaim | undefined =>
  claims.find((claim) => isControlledBy(claim, pod) && claim.metadata.annotations?.[podClaimAnnotation] === name);

export function newClaim(pod: Pod, { name }: PodResourceClaim, template: ResourceClaimTemplate): ResourceClaim {
  const { labels, annotations } = template.spec.metadata ?? {};
  return {
    metadata: {
      generateName: prefixOf(nameOf(pod), name),
      namespace: namespaceOf(pod),
      ...(labels ? { labels } : {}),
      annotations: { ...annotations, [podClaimAnnotation]: name },
      ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: nameOf(pod), uid: uidOf(pod), controller: true }],
    },
    spec: template.spec.spec,
  };
}

export type ClaimStep =
  | { readonly do: 'nothing' }
  /** Also removes an unused allocation, since another pod may need another device. */
  | { readonly do: 'status'; readonly status: ResourceClaim['status'] }
  | { readonly do: 'let go'; readonly finalizers: readonly string[] }
  | { readonly do: 'delete' };

/** `alive` returns whether a user exists and is unfinished; `owner` is the pod of the claim. */
export function claimStep(claim: ResourceClaim, alive: (uid: string) => boolean, owner: Pod | null): ClaimStep {
  const { finalizers = [] } = claim.metadata;
  const users = claim.status?.reservedFor ?? [];
  const kept = users.filter(({ resource, apiGroup = '', uid }) => resource !== 'pods' || apiGroup !== '' || alive(uid));
  const isHeld = finalizers.includes(finalizer);
  const { allocation, reservedFor: _, devices, ...rest } = claim.status ?? {};
  const free = isHeld && kept.length === 0;
  if (kept.length < users.length || (free && isTerminating(claim) && allocation)) {
    const status = {
      ...rest,
      ...(kept.length > 0 ? { reservedFor: kept } : {}),
      ...(allocation && !free ? { allocation } : {}),
      ...(devices && !free ? { devices } : {}),
    };
    return { do: 'status', status };
  }
  if (free && isTerminating(claim) && !allocation) return { do: 'let go', finalizers: finalizers.filter((name) => name !== finalizer) };
  if (kept.length === 0 && !isTerminating(claim) && owner && isDone(owner)) return { do: 'delete' };
  return { do: 'nothing' };
}
