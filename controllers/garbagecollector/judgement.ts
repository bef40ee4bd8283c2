import type { PropagationPolicy } from '../client/api.js';
import { isTerminating, type KubeObject, type OwnerReference } from '../../api/meta/object.js';
import { foregroundFinalizer, orphanFinalizer, type Node } from './graph.js';

export type OwnerState = 'solid' | 'absent' | 'waitingForDependents';

export type Judgement =
  | { readonly do: 'nothing' }
  | { readonly do: 'keep'; readonly owners: readonly OwnerReference[] }
  | { readonly do: 'delete'; readonly policy: PropagationPolicy; readonly unblock: boolean };

/**
 * Judges an object by the state of its owners. While one exists, the object stays and loses the references to others; otherwise it is deleted, with its own or
 * its owner's policy. Pure.
 */
export function judge(latest: KubeObject, stateOf: (owner: OwnerReference) => OwnerState, dependents: readonly Node[]): Judgement {
  const owners = latest.metadata.ownerReferences ?? [];
  if (owners.length === 0) return { do: 'nothing' };
  const solid = owners.filter((owner) => stateOf(owner) === 'solid');
  if (solid.length === owners.length) return { do: 'nothing' };
  if (solid.length > 0) return { do: 'keep', owners: solid };
  const ownerWaits = owners.some((owner) => stateOf(owner) === 'waitingForDependents');
  // Two objects that own each other would wait for each other for ever.
  if (ownerWaits && dependents.length > 0)
    return { do: 'delete', policy: 'Foreground', unblock: dependents.some(({ deletingDependents }) => deletingDependents) };
  return { do: 'delete', policy: policyOf(latest), unblock: false };
}

/** The policy that finalizers already request. */
function policyOf({ metadata: { finalizers = [] } }: KubeObject): PropagationPolicy {
  if (finalizers.includes(orphanFinalizer)) return 'Orphan';
  return finalizers.includes(foregroundFinalizer) ? 'Foreground' : 'Background';
}

export const ownerState = (owner: KubeObject): OwnerState =>
  isTerminating(owner) && owner.metadata.finalizers?.includes(foregroundFinalizer) ? 'waitingForDependents' : 'solid';
