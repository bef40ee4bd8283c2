import { isTerminating, uidOf } from '../../api/meta/object.js';
import type { Deployment, DeploymentStatus, ReplicaSet } from '../../api/types/apps/v1.js';
import type { Pod } from '../../api/types/core/v1.js';
import { conditionOf, isFinished } from '../workloads/podState.js';
import { sameMeaning } from '../../api/json/equality.js';
import { actualTotal, currentSize, hasDeadline, isRolling, replicasOf } from './limits.js';
import { currentAnnotations, newSet, nextRevision, revisionAnnotation, revisionOf, sizeAnnotations, split } from './revisions.js';
import { rollbackOf, type Rollback } from './rollback.js';
import { rollingStep, scale, superfluous, wasScaled, type Resize } from './scaling.js';
import { allOf, condition, counted, deadlineMs, isComplete, reasons, rolloutStatus, withCondition, type Sets } from './status.js';
import type { NextSync } from '../workloads/nextSync.js';

/** The inputs of a decision about a Deployment. `pods` has the pods of each set, by uid. */
export interface Observed {
  readonly deployment: Deployment;
  readonly sets: readonly ReplicaSet[];
  readonly pods: ReadonlyMap<string, readonly Pod[]>;
  readonly now: number;
}

/** Steps in order. A failure ends the plan; the next plan uses the then current state. */
export type Action =
  /** The loop handles a name that is taken. */
  | { readonly do: 'create'; readonly set: ReplicaSet }
  | { readonly do: 'resize'; readonly set: ReplicaSet; readonly replicas: number; readonly annotations: Readonly<Record<string, string>> }
  | {
      readonly do: 'annotate';
      readonly set: ReplicaSet;
      readonly annotations: Readonly<Record<string, string>>;
      readonly minReadySeconds: number;
    }
  | { readonly do: 'delete'; readonly set: ReplicaSet }
  | ({ readonly do: 'rollback' } & Rollback)
  /** The Deployment with its new status and revision annotation. */
  | { readonly do: 'status'; readonly deployment: Deployment };

export interface Plan extends NextSync {
  readonly actions: readonly Action[];
}

/** Decides the next steps of a Deployment. Pure. */
export function plan(observed: Observed): Plan {
  const { deployment: seen, sets, now } = observed;
  if (isTerminating(seen)) return withStatus(observed, seen, [], counted(seen, split(seen, sets), now));
  const deployment = withPause(seen, now);
  if (deployment.spec?.paused) return paused(observed, deployment);
  const rollback = rollingBack(observed, deployment);
  if (rollback !== null) return rollback;
  if (wasScaled(deployment, sets)) return scaled(observed, deployment);
  return isRolling(deployment) ? rolling(observed, deployment) : recreating(observed, deployment);
}

/** A pause suspends the deadline, which begins anew at its end. */
function withPause(deployment: Deployment, now: number): Deployment {
  const progressing = conditionOf(deployment.status?.conditions, 'Progressing');
  if (!hasDeadline(deployment) || progressing?.reason === reasons.timedOut) return deployment;
  const isPaused = deployment.spec?.paused === true;
  if (isPaused === (progressing?.reason === reasons.paused)) return deployment;
  const [reason, message] = isPaused ? [reasons.paused, 'Deployment is paused'] : [reasons.resumed, 'Deployment is resumed'];
  return withConditions(
    deployment,
    withCondition(deployment.status?.conditions ?? [], condition({ type: 'Progressing', status: 'Unknown', reason, message }, now)),
  );
}

const withConditions = (deployment: Deployment, conditions: NonNullable<DeploymentStatus['conditions']>): Deployment => ({
  ...deployment,
  status: { ...deployment.status, conditions },
});

function paused(observed: Observed, deployment: Deployment): Plan {
  const found = existing(deployment, observed);
  const resizes = scale(found.deployment, found.sets);
  const actions = [
    ...found.actions,
    ...resizes.map((resize) => resizing(deployment, resize)),
    ...superfluous(deployment, found.sets.old, revisionOf).map((set) => ({ do: 'delete', set }) as const),
  ];
  return withStatus(observed, found.deployment, actions, counted(found.deployment, resized(found.sets, resizes), observed.now));
}

function scaled(observed: Observed, deployment: Deployment): Plan {
  const found = existing(deployment, observed);
  const resizes = scale(found.deployment, found.sets);
  // Unchanged sets must also record the new desired size, or the Deployment would seem scaled for ever.
  const others = allOf(found.sets)
    .filter((set) => replicasOf(set) > 0 && !resizes.some((resize) => uidOf(resize.set) === uidOf(set)))
    .map((set) => ({ set, size: replicasOf(set) }));
  const actions = [...found.actions, ...[...resizes, ...others].map((resize) => resizing(deployment, resize))];
  return withStatus(observed, found.deployment, actions, counted(found.deployment, resized(found.sets, resizes), observed.now));
}

/** Rolls back first, so that the sets do not follow the old template. */
function rollingBack(observed: Observed, deployment: Deployment): Plan | null {
  if (rollbackOf(deployment, []) === null) return null;
  const { sets, actions } = ensured(deployment, observed);
  const rollback = rollbackOf(deployment, allOf(sets));
  return { actions: [...actions, ...(rollback === null ? [] : [{ do: 'rollback' as const, ...rollback }])], againAfterMs: null };
}

function rolling(observed: Observed, deployment: Deployment): Plan {
  const found = ensured(deployment, observed);
  return finished(observed, deployment, found, rollingStep(found.deployment, found.sets));
}

function recreating(observed: Observed, deployment: Deployment): Plan {
  const before = existing(deployment, observed);
  const down = before.sets.old.filter((set) => replicasOf(set) > 0).map((set) => ({ set, size: 0 }));
  if (down.length > 0 || oldPodsRun(before.sets, observed.pods)) {
    const status = rolloutStatus(before.deployment, resized(before.sets, down), observed.now);
    return withStatus(observed, before.deployment, [...before.actions, ...down.map((resize) => resizing(deployment, resize))], status);
  }
  const found = before.sets.current ? before : ensured(deployment, observed);
  const { current } = found.sets;
  const up = current && replicasOf(current) !== replicasOf(deployment) ? [{ set: current, size: replicasOf(deployment) }] : [];
  return finished(observed, deployment, found, up);
}

function oldPodsRun({ current, old }: Sets, pods: Observed['pods']): boolean {
  if (actualTotal(old) > 0) return true;
  return [...pods].some(([uid, owned]) => (!current || uid !== uidOf(current)) && owned.some((pod) => !isFinished(pod)));
}

interface Found {
  readonly deployment: Deployment;
  readonly sets: Sets;
  readonly actions: readonly Action[];
}

function existing(deployment: Deployment, { sets, now }: Observed): Found {
  const { current, old } = split(deployment, sets);
  if (!current) return { deployment, sets: { current, old }, actions: [] };
  const annotations = currentAnnotations(deployment, current, nextRevision(old));
  const minReadySeconds = deployment.spec?.minReadySeconds ?? 0;
  const differs = !sameMeaning(annotations, current.metadata.annotations) || minReadySeconds !== (current.spec?.minReadySeconds ?? 0);
  const changed = differs
    ? { ...current, metadata: { ...current.metadata, annotations }, spec: { ...current.spec, minReadySeconds } }
    : current;
  const known =
    hasDeadline(deployment) && !conditionOf(deployment.status?.conditions, 'Progressing')
      ? withConditions(
          deployment,
          withCondition(
            deployment.status?.conditions ?? [],
            condition(
              {
                type: 'Progressing',
                status: 'True',
                reason: reasons.found,
                message: `Found new replica set "${current.metadata.name ?? ''}"`,
              },
              now,
            ),
          ),
        )
      : deployment;
  return {
    deployment: withRevision(known, annotations[revisionAnnotation] ?? ''),
    sets: { current: changed, old },
    actions: differs ? [{ do: 'annotate', set: current, annotations, minReadySeconds }] : [],
  };
}

const withRevision = (deployment: Deployment, revision: string): Deployment => ({
  ...deployment,
  metadata: { ...deployment.metadata, annotations: { ...deployment.metadata.annotations, [revisionAnnotation]: revision } },
});

function ensured(deployment: Deployment, observed: Observed): Found {
  const found = existing(deployment, observed);
  if (found.sets.current) return found;
  const { old } = found.sets;
  const revision = nextRevision(old);
  const set = newSet(deployment, currentSize(deployment, old, 0), revision);
  const before = deployment.status?.conditions ?? [];
  const conditions = hasDeadline(deployment)
    ? withCondition(
        before,
        condition(
          { type: 'Progressing', status: 'True', reason: reasons.created, message: `Created new replica set "${set.metadata.name ?? ''}"` },
          observed.now,
        ),
      )
    : before;
  return {
    deployment: withConditions(withRevision(deployment, String(revision)), conditions),
    sets: { current: set, old },
    actions: [{ do: 'create', set }],
  };
}

function finished(observed: Observed, deployment: Deployment, found: Found, resizes: readonly Resize[]): Plan {
  const actions = [...found.actions, ...resizes.map((resize) => resizing(deployment, resize))];
  const status = rolloutStatus(found.deployment, resized(found.sets, resizes), observed.now);
  const spare =
    actions.length === 0 && found.deployment.status && isComplete(found.deployment, found.deployment.status)
      ? superfluous(found.deployment, found.sets.old, revisionOf)
      : [];
  return withStatus(observed, found.deployment, [...actions, ...spare.map((set) => ({ do: 'delete', set }) as const)], status);
}

function resizing(deployment: Deployment, { set, size }: Resize): Action {
  return { do: 'resize', set, replicas: size, annotations: { ...set.metadata.annotations, ...sizeAnnotations(deployment) } };
}

function resized({ current, old }: Sets, resizes: readonly Resize[]): Sets {
  const change = (set: ReplicaSet): ReplicaSet => {
    const resize = resizes.find((candidate) => uidOf(candidate.set) === uidOf(set));
    return resize ? { ...set, spec: { ...set.spec, replicas: resize.size } } : set;
  };
  return { current: current && change(current), old: old.map(change) };
}

function withStatus(
  { deployment: observed, now }: Observed,
  deployment: Deployment,
  actions: readonly Action[],
  status: DeploymentStatus,
): Plan {
  const after: Deployment = { ...deployment, status };
  const same = sameStatus(observed.status, status) && sameMeaning(observed.metadata.annotations, after.metadata.annotations);
  return { actions: same ? actions : [...actions, { do: 'status', deployment: after }], againAfterMs: deadlineMs(deployment, status, now) };
}

function sameStatus(before: DeploymentStatus | undefined, after: DeploymentStatus): boolean {
  // Omits zero numbers, except those that may be unknown.
  const filled = (status: DeploymentStatus): object =>
    Object.fromEntries(Object.entries(status).filter(([name, value]) => value !== 0 || name === 'terminatingReplicas'));
  return before?.observedGeneration === after.observedGeneration && sameMeaning(filled(before ?? {}), filled(after));
}
