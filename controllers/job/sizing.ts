import type { Pod } from '../../api/types/core/v1.js';
import { podsToDelete } from '../workloads/deletionOrder.js';
import { isFinished } from '../workloads/podState.js';
import { remainingMs, type Backoff } from './backoff.js';
import type { Facts } from './facts.js';
import {
  finishedAt,
  hasIndexBackoff,
  indexFailures,
  indexIgnoredFailures,
  indexOf,
  isCounted,
  isIndexed,
  isSuspended,
  replacesFailedOnly,
} from './podOutcome.js';

export interface PodOrder {
  /** Null for Jobs without indexes. */
  readonly index: number | null;
  /** Failures of the index so far; null if not counted by index. */
  readonly failures: number | null;
  readonly ignoredFailures: number;
}

export type Sizing =
  | { readonly do: 'nothing' }
  /** Deletes excess pods, which do not count. */
  | { readonly do: 'delete'; readonly pods: readonly Pod[] }
  | { readonly do: 'create'; readonly orders: readonly PodOrder[]; readonly againAfterMs: number | null }
  | { readonly do: 'wait'; readonly ms: number };

const burst = 500;

/** Decides how to reach the desired number of running pods: by deletions or creations. Pure. */
export function sizing(facts: Facts, backoff: Backoff, now: number): Sizing {
  const { job, active } = facts;
  const wanted = isSuspended(job) ? 0 : wantedActive(facts);
  const victims = excess(facts, Math.max(0, active.length - wanted), now).slice(0, burst);
  if (victims.length > 0) return { do: 'delete', pods: victims };
  const missing = Math.min(burst, wanted - active.length - (replacesFailedOnly(job) ? facts.terminating : 0));
  if (missing <= 0) return { do: 'nothing' };
  if (hasIndexBackoff(job)) return independent(facts, missing, now);
  const waitMs = remainingMs(backoff, now);
  if (waitMs > 0) return { do: 'wait', ms: waitMs };
  const orders = isIndexed(job)
    ? freeIndexes(facts, missing).map((index) => ({ index, failures: null, ignoredFailures: 0 }))
    : Array.from({ length: missing }, () => ({ index: null, failures: null, ignoredFailures: 0 }));
  return { do: 'create', orders, againAfterMs: null };
}

function wantedActive({ job, active, succeeded, failedIndexes }: Facts): number {
  const { parallelism = 1, completions } = job.spec ?? {};
  // One success suffices without completions, and running pods may finish.
  if (completions === undefined) return succeeded > 0 ? active.length : parallelism;
  return Math.min(parallelism, Math.max(0, completions - succeeded - failedIndexes.size));
}

function excess({ job, active }: Facts, atLeast: number, now: number): readonly Pod[] {
  const misplaced = isIndexed(job) ? withoutOwnIndex(active, (pod) => indexOf(pod, job), now) : [];
  if (misplaced.length >= atLeast) return misplaced;
  const rest = active.filter((pod) => !misplaced.includes(pod));
  return [...misplaced, ...podsToDelete(rest, atLeast - misplaced.length, { now })];
}

/** Returns pods without a possible index, and all but one of each index. */
function withoutOwnIndex(active: readonly Pod[], indexOfPod: (pod: Pod) => number | null, now: number): readonly Pod[] {
  const byIndex = new Map<number | null, Pod[]>();
  for (const pod of active) byIndex.set(indexOfPod(pod), [...(byIndex.get(indexOfPod(pod)) ?? []), pod]);
  return [...byIndex].flatMap(([index, pods]) => (index === null ? pods : podsToDelete(pods, pods.length - 1, { now })));
}

/** Returns the lowest indexes that have neither finished nor run. */
function freeIndexes({ job, active, pods, succeededIndexes, failedIndexes }: Facts, count: number): number[] {
  const occupying = replacesFailedOnly(job) ? pods.filter((pod) => !isFinished(pod)) : active;
  const taken = new Set([...succeededIndexes, ...failedIndexes, ...occupying.flatMap((pod) => indexOf(pod, job) ?? [])]);
  const free: number[] = [];
  for (let index = 0; index < (job.spec?.completions ?? 0) && free.length < count; index++) if (!taken.has(index)) free.push(index);
  return free;
}

function independent(facts: Facts, count: number, now: number): Sizing {
  const candidates = freeIndexes(facts, Infinity).map((index) => ({ index, ...retryOf(facts, index, now) }));
  const ready = candidates.filter(({ waitMs }) => waitMs === 0).slice(0, count);
  const waits = candidates.map(({ waitMs }) => waitMs).filter((ms) => ms > 0);
  const againAfterMs = waits.length > 0 ? Math.min(...waits) : null;
  if (ready.length > 0)
    return {
      do: 'create',
      orders: ready.map(({ index, failures, ignoredFailures }) => ({ index, failures, ignoredFailures })),
      againAfterMs,
    };
  return againAfterMs === null ? { do: 'nothing' } : { do: 'wait', ms: againAfterMs };
}

function retryOf(
  { job, awaitingRetry }: Facts,
  index: number,
  now: number,
): { readonly failures: number; readonly ignoredFailures: number; readonly waitMs: number } {
  const last = awaitingRetry.get(index);
  if (!last) return { failures: 0, ignoredFailures: 0, waitMs: 0 };
  const counted = isCounted(last, job) ? 1 : 0;
  const failures = indexFailures(last) + counted;
  const ignoredFailures = indexIgnoredFailures(last) + 1 - counted;
  return { failures, ignoredFailures, waitMs: remainingMs({ failures: failures + ignoredFailures, lastFailureAt: finishedAt(last) }, now) };
}
