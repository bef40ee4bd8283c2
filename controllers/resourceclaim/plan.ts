import { isControlledBy, isTerminating, nameOf, namespaceOf, uidOf } from '../../api/meta/object.js';
import type { Pod, PodResourceClaim } from '../../api/types/core/v1.js';
import type { ResourceClaim, ResourceClaimTemplate } from '../../api/types/resource/v1.js';
import { isFinished } from '../workloads/podState.js';

/** Claims for devices that pods bring with them, and who uses a claim. Pure. */

const finalizer = 'resource.kubernetes.io/delete-protection';
const podClaimAnnotation = 'resource.kubernetes.io/pod-claim-name';
/** Room for what makes a name unique, and for its dash. */
const nameCharactersMax = 253 - 6;

/** A pod that has ended, or was deleted before it had a node, uses nothing. */
export const isDone = (pod: Pod): boolean => isFinished(pod) || (isTerminating(pod) && !pod.spec?.nodeName);

/** What a pod asks for with a template, and has no claim for in its status. */
export const unmet = ({ spec, status }: Pod): readonly PodResourceClaim[] =>
  (spec?.resourceClaims ?? []).filter(
    ({ name, resourceClaimTemplateName }) =>
      resourceClaimTemplateName !== undefined &&
      !status?.resourceClaimStatuses?.some((each) => each.name === name && each.resourceClaimName),
  );

/** The claim that was made for one entry of a pod. */
export const claimFor = (pod: Pod, { name }: PodResourceClaim, claims: readonly ResourceClaim[]): ResourceClaim | undefined =>
  claims.find((claim) => isControlledBy(claim, pod) && claim.metadata.annotations?.[podClaimAnnotation] === name);

export function newClaim(pod: Pod, { name }: PodResourceClaim, template: ResourceClaimTemplate): ResourceClaim {
  const { labels, annotations } = template.spec.metadata ?? {};
  return {
    metadata: {
      generateName: `${`${nameOf(pod)}-${name}`.slice(0, nameCharactersMax)}-`,
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
  /** Without users an allocation goes too: another pod may need another device. */
  | { readonly do: 'status'; readonly status: ResourceClaim['status'] }
  | { readonly do: 'let go'; readonly finalizers: readonly string[] }
  | { readonly do: 'delete' };

/** `alive` says of each user whether it is there and not done; `owner` is the pod that the claim was made for. */
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
