import { isTerminating, nameOf, uidOf } from '../../api/meta/object.js';
import type { ControllerRevision, StatefulSet, StatefulSetStatus } from '../../api/types/apps/v1.js';
import type { PersistentVolumeClaim, Pod } from '../../api/types/core/v1.js';
import { nextAvailabilityMs } from '../replicaset/plan.js';
import { templateOf } from '../revisions/history.js';
import { isAvailable, isFinished } from '../workloads/podState.js';
import { claimsOf, corrected, identityMatches, isInRange, newPod, ordinalOf, replicasOf, startOf, storageMatches } from './identity.js';
import { isStale, withOwners } from './retention.js';
import { rollout } from './rollout.js';
import { statusOf } from './status.js';
import type { NextSync } from '../workloads/nextSync.js';

export interface Observed {
  readonly set: StatefulSet;
  /** Its own. */
  readonly pods: readonly Pod[];
  readonly claimOf: (name: string) => PersistentVolumeClaim | undefined;
  readonly current: ControllerRevision;
  readonly update: ControllerRevision;
  readonly collisions: number;
  /** Replaces one pod at a time, even if the set allows more. */
  readonly oneAtATime?: boolean;
  readonly now: number;
}

export type Action =
  /** `claims` are created first; `ending` are terminating claims, which make it fail. */
  | { readonly do: 'create'; readonly pod: Pod; readonly claims: readonly PersistentVolumeClaim[]; readonly ending: readonly string[] }
  | { readonly do: 'claim'; readonly pod: Pod; readonly claims: readonly PersistentVolumeClaim[] }
  | { readonly do: 'own'; readonly pod: Pod; readonly claim: PersistentVolumeClaim }
  | { readonly do: 'correct'; readonly pod: Pod; readonly claims: readonly PersistentVolumeClaim[] }
  | { readonly do: 'delete'; readonly pod: Pod };

export interface Plan extends NextSync {
  /** Stages run in sequence; a failure ends the plan. The order within a stage counts only where `inOrder`. */
  readonly stages: readonly (readonly Action[])[];
  readonly inOrder: boolean;
  readonly status: StatefulSetStatus;
}

interface Step {
  readonly actions: readonly Action[];
  readonly blocks: boolean;
}

const isInOrder = ({ spec }: StatefulSet): boolean => spec?.podManagementPolicy !== 'Parallel';

/** Decides the next steps of a StatefulSet. Pure. */
export function plan(observed: Observed): Plan {
  const { set, pods, now } = observed;
  const inOrder = isInOrder(set);
  const againAfterMs = nextAvailabilityMs(
    pods.filter((pod) => !isTerminating(pod)),
    set.spec?.minReadySeconds ?? 0,
    now,
  );
  const stages = isTerminating(set) ? [] : stagesOf(observed, inOrder);
  // A pod deleted by a rollout no longer has the current revision.
  const updating = stages.length === stageCount ? (stages.at(-1)?.length ?? 0) : 0;
  return { stages: stages.filter((stage) => stage.length > 0), inOrder, status: statusOf(observed, updating), againAfterMs };
}

const stageCount = 4;

function stagesOf(observed: Observed, inOrder: boolean): (readonly Action[])[] {
  const { set } = observed;
  const replicas = replicasAt(observed);
  const condemned = observed.pods
    .filter((pod) => ordinalOf(pod) >= 0 && !isInRange(set, ordinalOf(pod)))
    .sort((a, b) => ordinalOf(b) - ordinalOf(a));
  const living = collect(replicas, inOrder, (replica) => replicaStep(observed, replica, inOrder));
  if (living.blocks) return [living.actions];
  const owning = condemned.flatMap((pod) => owners(observed, pod));
  const firstUnavailable =
    [...replicas.map(({ pod }) => pod), ...[...condemned].reverse()].find((pod) => isUnavailable(observed, pod)) ?? null;
  const going = collect(condemned, inOrder, (pod) => condemnedStep(observed, pod, firstUnavailable, inOrder));
  if (going.blocks || set.spec?.updateStrategy?.type === 'OnDelete') return [living.actions, owning, going.actions];
  const victims = rollout({
    set,
    update: observed.update,
    replicas: replicas.map(({ pod }) => pod),
    isUnavailable: (pod) => isUnavailable(observed, pod),
    oneAtATime: observed.oneAtATime ?? false,
  });
  return [living.actions, owning, going.actions, victims.map((pod) => ({ do: 'delete', pod }))];
}

/** Ordered, a blocking step ends the walk; otherwise nothing blocks. */
function collect<T>(items: readonly T[], inOrder: boolean, step: (item: T) => Step): Step {
  const actions: Action[] = [];
  for (const item of items) {
    const { actions: more, blocks } = step(item);
    actions.push(...more);
    if (blocks && inOrder) return { actions, blocks: true };
  }
  return { actions, blocks: false };
}

interface Replica {
  readonly pod: Pod;
  readonly exists: boolean;
}

/** Returns each ordinal's pod, missing ones in the form to create. */
function replicasAt({ set, pods, current, update }: Observed): readonly Replica[] {
  const known = new Map(pods.map((pod) => [ordinalOf(pod), pod]));
  return Array.from({ length: replicasOf(set) }, (_, index) => {
    const ordinal = startOf(set) + index;
    const pod = known.get(ordinal);
    if (pod) return { pod, exists: true };
    const revision = staysCurrent(set, index) ? current : update;
    return { pod: newPod(set, templateOf(revision) ?? set.spec?.template, nameOf(revision), ordinal), exists: false };
  });
}

/** Pods below the partition of a rolling update keep their revision. */
function staysCurrent({ spec, status }: StatefulSet, index: number): boolean {
  const { type = 'RollingUpdate', rollingUpdate } = spec?.updateStrategy ?? {};
  if (type !== 'RollingUpdate') return false;
  return index < (rollingUpdate ? (rollingUpdate.partition ?? 0) : (status?.currentReplicas ?? 0));
}

const isRunning = ({ status }: Pod): boolean => status?.phase === 'Running';
const isUnavailable = ({ set, now }: Pick<Observed, 'set' | 'now'>, pod: Pod): boolean =>
  !isRunning(pod) || !isAvailable(pod, set.spec?.minReadySeconds ?? 0, now) || isTerminating(pod);

function replicaStep(observed: Observed, { pod, exists }: Replica, inOrder: boolean): Step {
  const { set } = observed;
  if (isFinished(pod)) return { actions: isTerminating(pod) ? [] : [{ do: 'delete', pod }], blocks: true };
  if (!exists) return creation(observed, pod);
  const pending = pod.status?.phase === 'Pending' ? lacking(observed, pod).missing : [];
  const claims: readonly Action[] = pending.length > 0 ? [{ do: 'claim', pod, claims: pending }] : [];
  const owning = isTerminating(pod) ? [] : owners(observed, pod);
  if (inOrder && isUnavailable(observed, pod)) return { actions: [...claims, ...owning], blocks: true };
  const isRight = identityMatches(pod) && storageMatches(set, pod);
  return {
    actions: [
      ...claims,
      ...owning,
      ...(isRight ? [] : [{ do: 'correct', pod: corrected(set, pod), claims: lacking(observed, pod).missing } as const]),
    ],
    blocks: false,
  };
}

/** A pod waits for the deletion of a claim that goes with its predecessor. */
function creation(observed: Observed, pod: Pod): Step {
  const { set, claimOf } = observed;
  const stale = [...claimsOf(set, ordinalOf(pod)).values()].some(({ metadata: { name = '' } }) => {
    const claim = claimOf(name);
    return claim !== undefined && isStale(claim, set, nameOf(pod), uidOf(pod));
  });
  if (stale) return { actions: [], blocks: true };
  const { missing, ending } = lacking(observed, pod);
  return { actions: [{ do: 'create', pod, claims: missing, ending }], blocks: true };
}

function lacking(
  { set, claimOf }: Observed,
  pod: Pod,
): { readonly missing: readonly PersistentVolumeClaim[]; readonly ending: readonly string[] } {
  const claims = [...claimsOf(set, ordinalOf(pod)).values()];
  const known = claims.flatMap((claim) => claimOf(nameOf(claim)) ?? []);
  return { missing: claims.filter((claim) => !claimOf(nameOf(claim))), ending: known.filter(isTerminating).map(nameOf) };
}

function owners({ set, claimOf }: Observed, pod: Pod): readonly Action[] {
  return [...claimsOf(set, ordinalOf(pod)).values()].flatMap((wanted) => {
    const claim = claimOf(nameOf(wanted));
    const changed = claim && withOwners(claim, set, pod);
    return changed ? [{ do: 'own', pod, claim: changed } as const] : [];
  });
}

/** Ordered sets remove one pod at a time, from the highest, while all others are healthy; the first unhealthy one may always go. */
function condemnedStep(observed: Observed, pod: Pod, firstUnavailable: Pod | null, inOrder: boolean): Step {
  if (isTerminating(pod)) return { actions: [], blocks: true };
  if (inOrder && isUnavailable(observed, pod) && pod !== firstUnavailable) return { actions: [], blocks: true };
  return { actions: [{ do: 'delete', pod }], blocks: true };
}
