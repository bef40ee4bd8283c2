import { timeOf } from '../../api/time.js';
import type { Job } from '../../api/types/batch/v1.js';
import type { Pod } from '../../api/types/core/v1.js';
import { conditionOf, restartsOf } from '../workloads/podState.js';
import type { Facts } from './facts.js';
import { parseIndexes } from './indexes.js';
import { countsAsFailed, isIndexed, isSuspended, policyMatch } from './podOutcome.js';

/** The reason for a Job's end. It is written as the interim condition until its pods are gone, then as the final one. */
export interface Verdict {
  readonly succeeds: boolean;
  readonly reason: string;
  readonly message: string;
}

export const interimType = ({ succeeds }: Verdict): string => (succeeds ? 'SuccessCriteriaMet' : 'FailureTarget');
export const finalType = ({ succeeds }: Verdict): string => (succeeds ? 'Complete' : 'Failed');

export const isFinished = ({ status }: Job): boolean =>
  ['Complete', 'Failed'].some((type) => conditionOf(status?.conditions, type)?.status === 'True');

const failure = (reason: string, message: string): Verdict => ({ succeeds: false, reason, message });

/** Returns why the Job must end early; null if it continues. Pure. */
export function verdictOf(facts: Facts, now: number): Verdict | null {
  return former(facts.job) ?? failurePolicy(facts) ?? limits(facts, now) ?? indexLimits(facts) ?? successPolicy(facts);
}

/** An earlier verdict holds. */
function former({ status }: Job): Verdict | null {
  const success = conditionOf(status?.conditions, 'SuccessCriteriaMet');
  if (success?.status === 'True') return { succeeds: true, reason: success.reason ?? '', message: success.message ?? '' };
  const target = conditionOf(status?.conditions, 'FailureTarget');
  return target?.status === 'True' ? failure(target.reason ?? '', target.message ?? '') : null;
}

function failurePolicy({ job, pods }: Facts): Verdict | null {
  for (const pod of pods) {
    const match = countsAsFailed(pod, job) ? policyMatch(pod, job) : null;
    if (match?.action === 'FailJob') return failure('PodFailurePolicy', match.message);
  }
  return null;
}

function limits({ job, failed, pods }: Facts, now: number): Verdict | null {
  if (failed > (job.spec?.backoffLimit ?? Infinity) || restartsExceeded(job, pods))
    return failure('BackoffLimitExceeded', 'Job has reached the specified backoff limit');
  return deadlineMs(job, now) === 0 ? failure('DeadlineExceeded', 'Job was active longer than specified deadline') : null;
}

/** Restarted containers fail without a failing pod. */
function restartsExceeded({ spec }: Job, pods: readonly Pod[]): boolean {
  if (spec?.template?.spec?.restartPolicy !== 'OnFailure') return false;
  const live = pods.filter(({ status }) => status?.phase === 'Running' || status?.phase === 'Pending');
  const restarts = live.reduce(
    (sum, { status }) =>
      sum +
      (status?.containerStatuses ?? []).concat(status?.initContainerStatuses ?? []).reduce((all, one) => all + (one.restartCount ?? 0), 0),
    0,
  );
  const limit = spec.backoffLimit ?? 0;
  return limit === 0 ? live.some(({ status }) => restartsOf(status) > 0) : restarts >= limit;
}

/** Null without a deadline, 0 when it has passed. Pure. */
export function deadlineMs(job: Job, now: number): number | null {
  const { activeDeadlineSeconds } = job.spec ?? {};
  const startedAt = timeOf(job.status?.startTime);
  if (activeDeadlineSeconds === undefined || Number.isNaN(startedAt) || isSuspended(job)) return null;
  return Math.max(0, startedAt + activeDeadlineSeconds * 1000 - now);
}

function indexLimits({ job, failedIndexes, succeededIndexes }: Facts): Verdict | null {
  const { maxFailedIndexes, completions = 0 } = job.spec ?? {};
  if (maxFailedIndexes !== undefined && failedIndexes.size > maxFailedIndexes)
    return failure('MaxFailedIndexesExceeded', 'Job has exceeded the specified maximal number of failed indexes');
  return failedIndexes.size > 0 && failedIndexes.size + succeededIndexes.size >= completions
    ? failure('FailedIndexes', 'Job has failed indexes')
    : null;
}

function successPolicy({ job, succeededIndexes }: Facts): Verdict | null {
  if (!isIndexed(job) || succeededIndexes.size === 0) return null;
  const rules = job.spec?.successPolicy?.rules ?? [];
  const index = rules.findIndex(({ succeededIndexes: text, succeededCount }) => {
    const wanted = text === undefined ? null : parseIndexes(text, job.spec?.completions ?? 0);
    const matched = wanted ? [...wanted].filter((one) => succeededIndexes.has(one)).length : succeededIndexes.size;
    return matched >= (succeededCount ?? wanted?.size ?? Infinity);
  });
  return index < 0 ? null : { succeeds: true, reason: 'SuccessPolicy', message: `Matched rules at index ${index}` };
}

export function completion({ spec }: Job, succeeded: number, active: number): Verdict | null {
  const done = active === 0 && (spec?.completions === undefined ? succeeded > 0 : succeeded >= spec.completions);
  return done ? { succeeds: true, reason: 'CompletionsReached', message: 'Reached expected number of succeeded pods' } : null;
}
