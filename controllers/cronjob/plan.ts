import { isTerminating, nameOf, namespaceOf } from '../../api/meta/object.js';
import { timeOf, timeText } from '../../api/time.js';
import { type CronJob, cronJobs, type Job } from '../../api/types/batch/v1.js';
import { controllerReference } from '../workloads/claim.js';
import { activeOf, type ActiveRef } from './history.js';
import { dueAt, nextLookMs } from './due.js';
import { scheduleOf, type Schedule } from './schedule.js';
import { zonedText, zoneOf } from './zones.js';

export interface Remark {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

export interface Plan {
  readonly remarks: readonly Remark[];
  readonly start: {
    readonly at: number;
    readonly job: Job;
    readonly replaces: readonly ActiveRef[];
  } | null;
  readonly againAfterMs: number | null;
}

const timestampAnnotation = 'batch.kubernetes.io/cronjob-scheduled-timestamp';

const warning = (reason: string, message: string): Remark => ({ type: 'Warning', reason, message });
const idle = (...remarks: readonly Remark[]): Plan => ({ remarks, start: null, againAfterMs: null });

/** Decides whether to start a run. `cronJob` lists the active ones; `localZone` applies to schedules without a zone. Pure. */
export function plan(cronJob: CronJob, now: number, localZone: string): Plan {
  const { spec } = cronJob;
  if (!spec || isTerminating(cronJob)) return idle();
  if (spec.timeZone !== undefined && !zoneOf(spec.timeZone))
    return idle(warning('UnknownTimeZone', `invalid timeZone: ${JSON.stringify(spec.timeZone)}: unknown time zone ${spec.timeZone}`));
  if (spec.suspend) return idle();
  const old = spec.schedule.includes('TZ')
    ? [
        warning(
          'UnsupportedSchedule',
          `CRON_TZ or TZ used in schedule ${JSON.stringify(spec.schedule)} is not officially supported, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details`,
        ),
      ]
    : [];
  const read = scheduleOf(spec.schedule, spec.timeZone ?? localZone);
  if (!read.ok)
    return idle(...old, warning('UnparseableSchedule', `unparseable schedule: ${JSON.stringify(spec.schedule)} : ${read.message}`));
  const next = atSchedule(cronJob, read.schedule, now);
  return { ...next, remarks: [...old, ...next.remarks] };
}

function atSchedule(cronJob: CronJob, schedule: Schedule, now: number): Plan {
  const { spec } = cronJob;
  const due = dueAt(cronJob, schedule, now, true);
  if (due.kind === 'invalid') return idle(warning('InvalidSchedule', `invalid schedule: ${spec?.schedule ?? ''} : ${due.message}`));
  if (due.kind === 'none') return { remarks: [], start: null, againAfterMs: nextLookMs(cronJob, schedule, now) };
  const many =
    due.missed === 'many'
      ? [warning('TooManyMissedTimes', 'too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew')]
      : [];
  const objection = objectionTo(cronJob, due.at, now);
  if (objection) return { remarks: [...many, ...objection.remarks], start: null, againAfterMs: nextLookMs(cronJob, schedule, now) };
  const started: CronJob = { ...cronJob, status: { ...cronJob.status, lastScheduleTime: timeText(due.at) } };
  const start = { at: due.at, job: jobOf(cronJob, due.at), replaces: spec?.concurrencyPolicy === 'Replace' ? activeOf(cronJob) : [] };
  return { remarks: many, start, againAfterMs: nextLookMs(started, schedule, now) };
}

function objectionTo(cronJob: CronJob, at: number, now: number): { readonly remarks: readonly Remark[] } | null {
  const { spec, status } = cronJob;
  const active = activeOf(cronJob);
  if (spec?.startingDeadlineSeconds !== undefined && at + spec.startingDeadlineSeconds * 1000 < now) {
    return {
      remarks: [warning('MissSchedule', `Missed scheduled time to start a job: ${new Date(at).toUTCString().replace('GMT', '+0000')}`)],
    };
  }
  if (active.some(({ name }) => name === jobName(cronJob, at)) || timeOf(status?.lastScheduleTime) === at) return { remarks: [] };
  if (spec?.concurrencyPolicy !== 'Forbid' || active.length === 0) return null;
  return {
    remarks: [
      {
        type: 'Normal',
        reason: 'JobAlreadyActive',
        message: 'Not starting job because prior execution is running and concurrency policy is Forbid',
      },
    ],
  };
}

/** The minute in the name prevents a second start of a run. */
const jobName = (cronJob: CronJob, at: number): string => `${nameOf(cronJob)}-${Math.floor(at / 60_000)}`;

function jobOf(cronJob: CronJob, at: number): Job {
  const { metadata, spec } = cronJob.spec?.jobTemplate ?? {};
  const zone = zoneOf(cronJob.spec?.timeZone ?? '');
  return {
    metadata: {
      name: jobName(cronJob, at),
      namespace: namespaceOf(cronJob),
      ...(metadata?.labels ? { labels: metadata.labels } : {}),
      annotations: { ...metadata?.annotations, ...(zone ? { [timestampAnnotation]: zonedText(at, zone) } : {}) },
      ownerReferences: [controllerReference(cronJobs, cronJob)],
    },
    ...(spec ? { spec } : {}),
  };
}

export const isReadable = ({ spec }: CronJob, localZone: string): boolean =>
  (spec?.timeZone === undefined || zoneOf(spec.timeZone) !== null) && scheduleOf(spec?.schedule ?? '', spec?.timeZone ?? localZone).ok;

/** Returns the time until the next sync after a change of schedule; null when unknown. Pure. */
export function waitAfterChange(cronJob: CronJob, now: number, localZone: string): number | null {
  const read = scheduleOf(cronJob.spec?.schedule ?? '', cronJob.spec?.timeZone ?? localZone);
  return read.ok ? nextLookMs(cronJob, read.schedule, now) : null;
}
