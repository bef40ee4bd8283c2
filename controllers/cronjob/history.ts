import { type Condition, nameOf, uidOf } from '../../api/meta/object.js';
import { timeOf, timeText } from '../../api/time.js';
import type { CronJob, Job } from '../../api/types/batch/v1.js';
import { isFinished } from '../job/verdict.js';

export type ActiveRef = NonNullable<NonNullable<CronJob['status']>['active']>[number];
export const activeOf = (cronJob: CronJob): readonly ActiveRef[] => cronJob.status?.active ?? [];
const isTrue =
  (type: string) =>
  ({ type: other, status }: Condition): boolean =>
    other === type && status === 'True';
const hasEnded = (job: Job, how: 'Complete' | 'Failed'): boolean => job.status?.conditions?.some(isTrue(how)) ?? false;

/** The oldest come first. No limit keeps all. */
export function superfluousJobs({ spec }: CronJob, jobs: readonly Job[]): readonly Job[] {
  const beyond = (limit: number | undefined, ended: readonly Job[]): readonly Job[] =>
    limit === undefined ? [] : [...ended].sort(byStart).slice(0, Math.max(0, ended.length - limit));
  return [
    ...beyond(
      spec?.successfulJobsHistoryLimit,
      jobs.filter((job) => hasEnded(job, 'Complete')),
    ),
    ...beyond(
      spec?.failedJobsHistoryLimit,
      jobs.filter((job) => hasEnded(job, 'Failed')),
    ),
  ];
}

/** Jobs that never started come last. */
function byStart(a: Job, b: Job): number {
  const [x, y] = [a, b].map(({ status }) => (status?.startTime === undefined ? Infinity : timeOf(status.startTime)));
  if (x !== y) return (x ?? 0) < (y ?? 0) ? -1 : 1;
  return nameOf(a) < nameOf(b) ? -1 : 1;
}

export interface Review {
  /** Active Jobs that have finished: they leave the list. */
  readonly completed: readonly { readonly job: Job; readonly condition: string }[];
  /** Unfinished Jobs outside the list. */
  readonly unexpected: readonly Job[];
  /** Entries whose Job is not in the cache: query the server before dropping them. */
  readonly unseen: readonly ActiveRef[];
  readonly lastSuccessfulTime: string | undefined;
}

export function review(cronJob: CronJob, jobs: readonly Job[]): Review {
  const listed = new Set(activeOf(cronJob).map(({ uid }) => uid));
  const existing = new Set(jobs.map(uidOf));
  const completed = jobs.filter((job) => isFinished(job) && listed.has(uidOf(job)));
  return {
    completed: completed.map((job) => ({
      job,
      condition:
        job.status?.conditions?.find(({ type, status }) => status === 'True' && (type === 'Complete' || type === 'Failed'))?.type ?? '',
    })),
    unexpected: jobs.filter((job) => !isFinished(job) && !listed.has(uidOf(job))),
    unseen: activeOf(cronJob).filter(({ uid }) => uid === undefined || !existing.has(uid)),
    lastSuccessfulTime: latestSuccess(cronJob, jobs),
  };
}

function latestSuccess({ status }: CronJob, jobs: readonly Job[]): string | undefined {
  const times = [status?.lastSuccessfulTime, ...jobs.filter((job) => hasEnded(job, 'Complete')).map((job) => job.status?.completionTime)]
    .map(timeOf)
    .filter((time) => !Number.isNaN(time));
  return times.length === 0 ? undefined : timeText(Math.max(...times));
}
