import { uidOf } from '../../api/meta/object.js';
import type { Job, JobStatus } from '../../api/types/batch/v1.js';
import type { Pod } from '../../api/types/core/v1.js';
import { hasSucceeded } from '../workloads/podState.js';
import type { Facts } from './facts.js';
import { indexesText } from './indexes.js';
import { countsAsFailed, hasIndexBackoff, indexOf, isCounted, isIndexed, isTracked } from './podOutcome.js';

/**
 * Counts finished pods exactly once, although a pod and its Job cannot be changed together. Three steps: record the pod's uid in the Job's status as
 * uncounted; remove the pod's finalizer; increase the counter and drop the uid. After a restart, the status shows the progress. Pure.
 */
export interface Counting {
  readonly status: JobStatus;
  /** Pods to release from their finalizer once that status is written. */
  readonly free: readonly Pod[];
  /** True when more is left for the next sync. */
  readonly partial: boolean;
}

/** Bound on the uids in a status. */
const uncountedMax = 500;

export function count(facts: Facts, ends: 'success' | 'failure' | null): Counting {
  const { job, pods, freed } = facts;
  const tracked = pods.filter((pod) => isTracked(pod) && !freed.has(uidOf(pod)));
  const settled = settle(job.status ?? {}, new Set(tracked.map(uidOf)));
  const succeeded = [...(settled.uncountedTerminatedPods?.succeeded ?? [])];
  const failed = [...(settled.uncountedTerminatedPods?.failed ?? [])];
  const indexes = new Set(facts.formerIndexes);
  const free: Pod[] = [];
  const isFull = (): boolean => indexes.size - facts.formerIndexes.size + succeeded.length + failed.length >= uncountedMax;
  for (const pod of inOrderOfIndex(tracked, job)) {
    if (isFull()) break;
    if (ends === null && !mayGo(facts, pod)) continue;
    free.push(pod);
    note(pod, job, { succeeded, failed, indexes }, ends === 'failure');
  }
  return {
    free,
    partial: isFull(),
    status: {
      ...settled,
      uncountedTerminatedPods: uncounted(succeeded, failed),
      ...(isIndexed(job) ? { succeeded: indexes.size, completedIndexes: indexesText(indexes) } : {}),
      ...(hasIndexBackoff(job) ? { failedIndexes: indexesText(facts.failedIndexes) } : {}),
    },
  };
}

const uncounted = (succeeded: readonly string[], failed: readonly string[]): NonNullable<JobStatus['uncountedTerminatedPods']> => ({
  ...(succeeded.length > 0 ? { succeeded } : {}),
  ...(failed.length > 0 ? { failed } : {}),
});

export function settle(status: JobStatus, tracked: ReadonlySet<string>): JobStatus {
  const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {};
  const keep = (uids: readonly string[]): readonly string[] => uids.filter((uid) => tracked.has(uid));
  const gone = (uids: readonly string[]): number => uids.length - keep(uids).length;
  return {
    ...status,
    succeeded: (status.succeeded ?? 0) + gone(succeeded),
    failed: (status.failed ?? 0) + gone(failed),
    uncountedTerminatedPods: uncounted(keep(succeeded), keep(failed)),
  };
}

export const hasUncounted = ({ uncountedTerminatedPods: { succeeded = [], failed = [] } = {} }: JobStatus): boolean =>
  succeeded.length + failed.length > 0;

/** Returns whether a running Job does not need the pod's finalizer. */
function mayGo({ job, awaitingRetry }: Facts, pod: Pod): boolean {
  if (job.metadata.deletionTimestamp !== undefined || hasSucceeded(pod)) return true;
  if (!countsAsFailed(pod, job)) return false;
  const index = indexOf(pod, job);
  return index === null || awaitingRetry.get(index) !== pod;
}

interface Lists {
  readonly succeeded: string[];
  readonly failed: string[];
  readonly indexes: Set<number>;
}

/** All running pods fail with a failing Job; those of a successful one do not count. */
function note(pod: Pod, job: Job, { succeeded, failed, indexes }: Lists, allFail: boolean): void {
  const uid = uidOf(pod);
  const index = isIndexed(job) ? indexOf(pod, job) : null;
  const known = !isIndexed(job) || index !== null;
  if (hasSucceeded(pod) && !failed.includes(uid)) {
    // An index counts once, however often seen, so no uid is needed.
    if (index !== null) indexes.add(index);
    else if (known && !succeeded.includes(uid)) succeeded.push(uid);
  } else if ((countsAsFailed(pod, job) || allFail) && known && !failed.includes(uid) && isCounted(pod, job)) failed.push(uid);
}

function inOrderOfIndex(pods: readonly Pod[], job: Job): readonly Pod[] {
  return isIndexed(job) ? [...pods].sort((a, b) => (indexOf(a, job) ?? Infinity) - (indexOf(b, job) ?? Infinity)) : pods;
}
