import { createdAt } from '../../api/meta/object.js';
import { timeOf } from '../../api/time.js';
import type { CronJob } from '../../api/types/batch/v1.js';
import type { Schedule } from './schedule.js';

/** Due runs of a cron job. Pure. */
export type Due =
  /** The schedule has fewer than two times (the 31st of February, say). */
  | { readonly kind: 'invalid'; readonly message: string }
  | { readonly kind: 'none'; readonly since: number }
  /** `missed` is set for too many runs to catch up on. */
  | { readonly kind: 'run'; readonly at: number; readonly missed: 'few' | 'many' };

/** The reference's limit. Only the last missed run is caught up; the number decides whether to warn. */
const missedMax = 100;
/** The next sync comes a little late rather than early. */
const lateMs = 100;

const reason = 'time difference between two schedules is less than 1 second';

/** Returns the latest run due at `now`. `withDeadline` ignores runs before the starting deadline. */
export function dueAt(cronJob: CronJob, schedule: Schedule, now: number, withDeadline: boolean): Due {
  const since = beginning(cronJob, now, withDeadline);
  const first = schedule.next(since);
  if (first === null) return { kind: 'invalid', message: reason };
  if (now < first) return { kind: 'none', since };
  const second = schedule.next(first);
  if (second !== null && now < second) return { kind: 'run', at: first, missed: 'few' };
  if (second === null || second - first < 1_000) return { kind: 'invalid', message: reason };
  // Estimated from the first two, as counting a year of minutes would take long.
  const missed = Math.floor((now - first) / (second - first)) + 1;
  // The reference starts from the estimate and can miss the last run of an uneven schedule; this finds it always.
  return { kind: 'run', at: schedule.last(first, now) ?? first, missed: missed > missedMax ? 'many' : 'few' };
}

function beginning(cronJob: CronJob, now: number, withDeadline: boolean): number {
  const last = timeOf(cronJob.status?.lastScheduleTime);
  const since = Number.isNaN(last) ? createdAt(cronJob) : last;
  const deadline = cronJob.spec?.startingDeadlineSeconds;
  return withDeadline && deadline !== undefined ? Math.max(since, now - deadline * 1000) : since;
}

/** Returns the time until the next sync of a cron job; null for never. */
export function nextLookMs(cronJob: CronJob, schedule: Schedule, now: number): number | null {
  const due = dueAt(cronJob, schedule, now, false);
  const from = due.kind === 'run' ? due.at : due.kind === 'none' ? due.since : now;
  const next = schedule.next(from);
  return next === null ? null : next + lateMs - now;
}
