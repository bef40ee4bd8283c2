import { isTerminating, uidOf } from '../../api/meta/object.js';
import type { Job } from '../../api/types/batch/v1.js';
import type { Pod } from '../../api/types/core/v1.js';
import { hasSucceeded, isActive, isFinished } from '../workloads/podState.js';
import { parseIndexes } from './indexes.js';
import {
  countsAsFailed,
  endsIndex,
  finishedAt,
  hasIndexBackoff,
  indexFailures,
  indexIgnoredFailures,
  indexOf,
  isCounted,
  isIndexed,
  isTracked,
} from './podOutcome.js';

export interface Facts {
  readonly job: Job;
  readonly pods: readonly Pod[];
  readonly active: readonly Pod[];
  readonly terminating: number;
  /** Finished pods that are neither counted nor listed as uncounted. */
  readonly newlySucceeded: readonly Pod[];
  readonly newlyFailed: readonly Pod[];
  readonly succeeded: number;
  readonly failed: number;
  /** Indexes of Indexed Jobs; empty for others. */
  readonly formerIndexes: ReadonlySet<number>;
  readonly succeededIndexes: ReadonlySet<number>;
  readonly failedIndexes: ReadonlySet<number>;
  /** The failed pod of each index without a successor yet. Its annotations have the failure count. */
  readonly awaitingRetry: ReadonlyMap<number, Pod>;
  readonly freed: ReadonlySet<string>;
}

/** Pure. */
export function factsOf(job: Job, pods: readonly Pod[], freed: ReadonlySet<string>): Facts {
  const { succeeded: uncountedSucceeded = [], failed: uncountedFailed = [] } = job.status?.uncountedTerminatedPods ?? {};
  const tracked = pods.filter((pod) => isTracked(pod) && !freed.has(uidOf(pod)) && (!isIndexed(job) || indexOf(pod, job) !== null));
  const newlySucceeded = tracked.filter((pod) => hasSucceeded(pod) && !uncountedSucceeded.includes(uidOf(pod)));
  const newlyFailed = tracked.filter((pod) => countsAsFailed(pod, job) && !uncountedFailed.includes(uidOf(pod)));
  const active = pods.filter(isActive);
  const indexes = indexesOf(job, tracked);
  return {
    job,
    pods,
    active,
    freed,
    newlySucceeded,
    newlyFailed,
    ...indexes,
    terminating: pods.filter((pod) => isTerminating(pod) && !isFinished(pod)).length,
    succeeded: isIndexed(job)
      ? indexes.succeededIndexes.size
      : (job.status?.succeeded ?? 0) + newlySucceeded.length + uncountedSucceeded.length,
    failed: (job.status?.failed ?? 0) + newlyFailed.filter((pod) => isCounted(pod, job)).length + uncountedFailed.length,
    awaitingRetry: hasIndexBackoff(job) ? awaitingRetry(job, tracked, active, indexes) : new Map(),
  };
}

type Indexes = Pick<Facts, 'formerIndexes' | 'succeededIndexes' | 'failedIndexes'>;

function indexesOf(job: Job, tracked: readonly Pod[]): Indexes {
  if (!isIndexed(job)) return { formerIndexes: new Set(), succeededIndexes: new Set(), failedIndexes: new Set() };
  const limit = job.spec?.completions ?? 0;
  const formerIndexes = parseIndexes(job.status?.completedIndexes, limit);
  const among = (pods: readonly Pod[]): number[] => pods.flatMap((pod) => indexOf(pod, job) ?? []);
  const failed = hasIndexBackoff(job) ? among(tracked.filter((pod) => countsAsFailed(pod, job) && endsIndex(pod, job))) : [];
  return {
    formerIndexes,
    succeededIndexes: new Set([...formerIndexes, ...among(tracked.filter(hasSucceeded))]),
    failedIndexes: new Set([...parseIndexes(job.status?.failedIndexes, limit), ...failed]),
  };
}

function awaitingRetry(
  job: Job,
  tracked: readonly Pod[],
  active: readonly Pod[],
  { succeededIndexes, failedIndexes }: Indexes,
): ReadonlyMap<number, Pod> {
  const busy = new Set(active.flatMap((pod) => indexOf(pod, job) ?? []));
  const found = new Map<number, Pod>();
  const attempts = (pod: Pod): number => indexFailures(pod) + indexIgnoredFailures(pod);
  for (const pod of tracked) {
    const index = indexOf(pod, job);
    if (index === null || !countsAsFailed(pod, job) || busy.has(index) || succeededIndexes.has(index) || failedIndexes.has(index)) continue;
    const other = found.get(index);
    if (!other || (attempts(other) <= attempts(pod) && finishedAt(other) <= finishedAt(pod))) found.set(index, pod);
  }
  return found;
}
