import { isTerminating, nameOf } from '../../api/meta/object.js';
import { timeOf, timeText } from '../../api/time.js';
import type { Pod } from '../../api/types/core/v1.js';
import type { Condition } from '../../api/types/meta/v1.js';
import type { PodDisruptionBudget } from '../../api/types/policy/v1.js';
import { scaled } from '../../api/intOrPercent.js';
import { conditionOf, isReady } from '../workloads/podState.js';

/** Time after which a pod with a granted eviction counts again. */
const deletionMs = 120_000;

export type BudgetStatus = NonNullable<PodDisruptionBudget['status']>;

export interface Expectation {
  readonly expected: number;
  readonly desired: number;
}

/** Returns whether the desired scale of the pods' controllers is needed: a plain minimum needs no total. */
export const needsScale = ({ spec }: PodDisruptionBudget): boolean =>
  spec?.maxUnavailable !== undefined || typeof spec?.minAvailable === 'string';

/** `scale` is the desired total of all controllers, used only if `needsScale`. */
export function expectation({ spec }: PodDisruptionBudget, pods: readonly Pod[], scale: number): Expectation {
  const { maxUnavailable, minAvailable } = spec ?? {};
  if (maxUnavailable !== undefined) return { expected: scale, desired: Math.max(0, scale - scaled(maxUnavailable, scale, 'up')) };
  if (typeof minAvailable === 'number') return { expected: pods.length, desired: minAvailable };
  return minAvailable === undefined ? { expected: 0, desired: 0 } : { expected: scale, desired: scaled(minAvailable, scale, 'up') };
}

export interface Disrupted {
  readonly pods: Readonly<Record<string, string>>;
  readonly overdue: readonly Pod[];
  /** Time until the next one is overdue; null without any. */
  readonly againAfterMs: number | null;
}

/** Returns granted evictions of pods that do not terminate yet: awaited and overdue ones. */
export function stillDisrupted({ status }: PodDisruptionBudget, pods: readonly Pod[], now: number): Disrupted {
  const granted = pods.flatMap((pod) => {
    const since = status?.disruptedPods?.[nameOf(pod)];
    return since === undefined || isTerminating(pod) ? [] : [{ pod, since, leftMs: timeOf(since) + deletionMs - now }];
  });
  const awaited = granted.filter(({ leftMs }) => leftMs >= 0);
  return {
    pods: Object.fromEntries(awaited.map(({ pod, since }) => [nameOf(pod), since])),
    overdue: granted.filter(({ leftMs }) => leftMs < 0).map(({ pod }) => pod),
    againAfterMs: awaited.length === 0 ? null : Math.min(...awaited.map(({ leftMs }) => leftMs)) + 1,
  };
}

export interface StatusInput {
  readonly budget: PodDisruptionBudget;
  readonly pods: readonly Pod[];
  readonly expectation: Expectation;
  readonly disrupted: Disrupted;
  readonly now: number;
}

export function statusOf({ budget, pods, expectation: { expected, desired }, disrupted, now }: StatusInput): BudgetStatus {
  const currentHealthy = pods.filter((pod) => !isTerminating(pod) && disrupted.pods[nameOf(pod)] === undefined && isReady(pod)).length;
  // A budget without pods must not allow evictions before this controller has seen the first pods.
  const disruptionsAllowed = expected <= 0 ? 0 : Math.max(0, currentHealthy - desired);
  const { generation = 0 } = budget.metadata;
  const [status, reason] = disruptionsAllowed > 0 ? (['True', 'SufficientPods'] as const) : (['False', 'InsufficientPods'] as const);
  return {
    observedGeneration: generation,
    disruptionsAllowed,
    currentHealthy,
    desiredHealthy: desired,
    expectedPods: expected,
    ...(Object.keys(disrupted.pods).length > 0 ? { disruptedPods: disrupted.pods } : {}),
    conditions: withCondition(
      budget.status?.conditions,
      { type: 'DisruptionAllowed', status, reason, message: '', observedGeneration: generation },
      now,
    ),
  };
}

/** Returns the status of an uncomputable budget, which allows no disruptions. */
export function failedStatus({ status }: PodDisruptionBudget, message: string, now: number): BudgetStatus {
  const failed = {
    type: 'DisruptionAllowed',
    status: 'False',
    reason: 'SyncFailed',
    message,
    observedGeneration: status?.observedGeneration ?? 0,
  };
  return { ...status, disruptionsAllowed: 0, conditions: withCondition(status?.conditions, failed, now) };
}

/** Replaces a condition in its place; the time changes only with the status. */
function withCondition(
  before: readonly Condition[] = [],
  wanted: Omit<Condition, 'lastTransitionTime'>,
  now: number,
): readonly Condition[] {
  const old = conditionOf(before, wanted.type);
  const dated = {
    ...wanted,
    lastTransitionTime: old?.status === wanted.status && old.lastTransitionTime ? old.lastTransitionTime : timeText(now),
  };
  return old ? before.map((condition) => (condition === old ? dated : condition)) : [...before, dated];
}
