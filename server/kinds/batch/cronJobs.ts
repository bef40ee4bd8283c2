import type { CronJob, JobSpec } from '../../../api/types/batch/v1.js';
import type { JsonValue } from '../../../api/object.js';
import { ensureObject, objectAt, setDefault, setTextDefault } from '../../../api/json/defaulting.js';
import { memberAt, textAt } from '../../../api/json/members.js';
import { invalid, notSupported, Path, required, type FieldError } from '../../registry/validation/field.js';
import { printedSelector } from '../../registry/validation/printed.js';
import { nonNegative } from '../../registry/validation/values.js';
import { ageAt, at, countAt, joinedAt, selectorAt } from '../cells.js';
import { podNameWarnings } from '../apps/workloadWarnings.js';
import { podSpecGates } from '../core/podSpec/gated.js';
import { below, gate } from '../gated.js';
import { hasNewGeneration } from '../warnings.js';
import type { Draft, Kind, Writable } from '../kind.js';
import { specOf } from '../parts.js';
import { isTimeZone, scheduleProblem } from './cron/schedule.js';
import { setJobTemplateDefaults } from './job/defaults.js';
import { validateJobTemplateSpec } from './job/spec.js';
import { jobSpecWarnings } from './jobs.js';
import { inOrder, type Found } from '../../registry/validation/ofEach.js';

const specPath = Path.of('spec');
const template = specPath.child('jobTemplate', 'spec');
/** A job's name adds eleven characters for the time, and must fit in a label. */
const nameMax = 52;
const policies = ['Allow', 'Forbid', 'Replace'];
const zoneInSchedule = 'TZ';

const jobSpecOf = (cronJob: Draft<CronJob>): Writable<JobSpec> => objectAt(objectAt(specOf(cronJob), 'jobTemplate') ?? {}, 'spec') ?? {};

function setDefaults(cronJob: Draft<CronJob>): void {
  const spec = ensureObject(cronJob, 'spec');
  const template = ensureObject(spec, 'jobTemplate');
  ensureObject(template, 'metadata');
  setJobTemplateDefaults(ensureObject(template, 'spec'));
  setTextDefault(spec, 'concurrencyPolicy', 'Allow');
  setDefault(spec, 'suspend', false);
  setDefault(spec, 'successfulJobsHistoryLimit', 3);
  setDefault(spec, 'failedJobsHistoryLimit', 1);
}

/** `old` is null on create. Accepted values stay acceptable. */
function validateSpec(cronJob: Draft<CronJob>, old: Draft<CronJob> | null): Found {
  const spec = specOf(cronJob);
  const before = old === null ? null : specOf(old);
  const policy = textAt(spec, 'concurrencyPolicy');
  return inOrder(
    validateSchedule(textAt(spec, 'schedule'), spec.timeZone, before === null ? '' : textAt(before, 'schedule')),
    nonNegative(spec.startingDeadlineSeconds, specPath.child('startingDeadlineSeconds')),
    before !== null && before.timeZone === spec.timeZone ? [] : validateTimeZone(spec.timeZone, specPath.child('timeZone')),
    policies.includes(policy) ? [] : [notSupported(specPath.child('concurrencyPolicy'), policy, policies)],
    validateTemplate(jobSpecOf(cronJob)),
    nonNegative(spec.successfulJobsHistoryLimit, specPath.child('successfulJobsHistoryLimit')),
    nonNegative(spec.failedJobsHistoryLimit, specPath.child('failedJobsHistoryLimit')),
  );
}

function validateSchedule(schedule: string, timeZone: JsonValue | undefined, before: string): FieldError[] {
  const path = specPath.child('schedule');
  if (schedule === '') return [required(path, '')];
  const problem = scheduleProblem(schedule);
  const namesZone = schedule.includes(zoneInSchedule);
  const mayNameZone = before.includes(zoneInSchedule);
  const both = mayNameZone && namesZone && timeZone !== undefined && timeZone !== null;
  return [
    ...(problem === null ? [] : [invalid(path, schedule, problem)]),
    ...(both ? [invalid(path, schedule, 'cannot use both timeZone field and TZ or CRON_TZ in schedule')] : []),
    ...(namesZone && !mayNameZone ? [invalid(path, schedule, 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead')] : []),
  ];
}

function validateTimeZone(value: JsonValue | undefined, path: Path): FieldError[] {
  if (value === undefined || value === null) return [];
  const name = String(value);
  if (name === '') return [invalid(path, name, 'timeZone must be nil or non-empty string')];
  const ofThisMachine = name.toLowerCase() === 'local';
  return [
    ...(ofThisMachine ? [invalid(path, name, 'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones')] : []),
    ...(name === 'Local' || isTimeZone(name) ? [] : [invalid(path, name, `unknown time zone ${name}`)]),
  ];
}

function validateTemplate(spec: Writable<JobSpec>): Found {
  return inOrder(
    validateJobTemplateSpec(spec, template),
    objectAt(spec, 'selector') === null
      ? []
      : [invalid(template.child('selector'), printedSelector(spec.selector), '`selector` will be auto-generated')],
    spec.manualSelector === true ? [notSupported(template.child('manualSelector'), true, ['nil', 'false'])] : [],
  );
}

function validateNameLength(cronJob: Draft<CronJob>): FieldError[] {
  const name = cronJob.metadata.name ?? '';
  return name.length > nameMax ? [invalid(Path.of('metadata', 'name'), name, `must be no more than ${nameMax} characters`)] : [];
}

function zoneWarnings(cronJob: Draft<CronJob>): string[] {
  const named = textAt(cronJob, 'spec', 'schedule').includes(zoneInSchedule);
  return named
    ? [
        'cannot use TZ or CRON_TZ in spec.schedule, use timeZone instead, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/#time-zones',
      ]
    : [];
}

export const cronJobs: Kind<Draft<CronJob>> = {
  name: 'cronjobs.batch',
  gated: [below('spec.jobTemplate.spec.template.spec', podSpecGates), gate('JobManagedBy', 'spec.jobTemplate.spec.managedBy')],
  metadata: { generationOf: ['spec'] },
  defaults: setDefaults,
  validate: (cronJob) => inOrder(validateSpec(cronJob, null), validateNameLength(cronJob)),
  warnings: (cronJob, old) => [
    ...(old === null ? podNameWarnings(cronJob) : []),
    ...(hasNewGeneration(cronJob, old) ? jobSpecWarnings(jobSpecOf(cronJob), template) : []),
    ...(old === null || memberAt(cronJob, 'spec', 'schedule') !== memberAt(old, 'spec', 'schedule') ? zoneWarnings(cronJob) : []),
  ],
  update: {
    review: ['objectMetaUpdate', validateSpec],
  },
  subresources: {
    status: {
      // Only the generic metadata checks run.
      review: [],
    },
  },
  cells: {
    Schedule: at('spec.schedule'),
    Timezone: at('spec.timeZone'),
    // A word, unlike the columns of other kinds.
    Suspend: (object) => (memberAt(object, 'spec', 'suspend') === true ? 'True' : 'False'),
    Active: countAt('status.active'),
    'Last Schedule': ageAt('status.lastScheduleTime'),
    Containers: joinedAt('spec.jobTemplate.spec.template.spec.containers[].name'),
    Images: joinedAt('spec.jobTemplate.spec.template.spec.containers[].image'),
    Selector: selectorAt('spec.jobTemplate.spec.selector'),
  },
};
