import * as enums from '../../../api/data/enums.js';
import {
  ageAt,
  all,
  at,
  below,
  byDefault,
  countAt,
  created,
  gate,
  hasNewGeneration,
  inOrder,
  insteadOfZero,
  invalid,
  isSet,
  joinedAt,
  knowing,
  memberAt,
  members,
  nonNegative,
  notSupported,
  objectAt,
  objectRulesWith,
  oneOf,
  optional,
  Path,
  printedSelector,
  required,
  selectorAt,
  specOf,
  textAt,
  type Draft,
  type FieldError,
  type Found,
  type JsonValue,
  type Kind,
  type Writable,
} from '../language.js';
import type * as v1 from '../../../api/types/batch/v1.js';
import { podNameWarnings } from '../apps/workloadWarnings.js';
import { podSpecGates } from '../core/podSpec/gated.js';
import { isTimeZone, scheduleProblem } from './cron/schedule.js';
import { jobTemplateSpec } from './job/spec.js';
import { jobSpecWarnings } from './jobs.js';

const specPath = Path.of('spec');
const templatePath = specPath.child('jobTemplate', 'spec');
/** A job's name adds eleven characters for the time, and must fit in a label. */
const nameMax = 52;
const zoneInSchedule = 'TZ';

const jobSpecOf = (cronJob: Draft<v1.CronJob>): Writable<v1.JobSpec> =>
  objectAt(objectAt(specOf(cronJob), 'jobTemplate') ?? {}, 'spec') ?? {};

/** `old` is null on create. Accepted values stay acceptable. */
const validateSpec = (cronJob: Draft<v1.CronJob>, old: Draft<v1.CronJob> | null): Found =>
  rules(cronJob, { before: old === null ? null : specOf(old) });

interface CronFacts {
  readonly before: Writable<v1.CronJobSpec> | null;
}

function schedule(value: string, path: Path, { before }: CronFacts, { timeZone }: Writable<v1.CronJobSpec>): FieldError[] {
  const problem = scheduleProblem(value);
  const namesZone = value.includes(zoneInSchedule);
  const mayNameZone = before?.schedule?.includes(zoneInSchedule) === true;
  return [
    ...(problem === null ? [] : [invalid(path, value, problem)]),
    ...(mayNameZone && namesZone && isSet(timeZone)
      ? [invalid(path, value, 'cannot use both timeZone field and TZ or CRON_TZ in schedule')]
      : []),
    ...(namesZone && !mayNameZone ? [invalid(path, value, 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead')] : []),
  ];
}

function timeZone(name: string, path: Path, { before }: CronFacts): FieldError[] {
  if (before?.timeZone === name) return [];
  if (name === '') return [invalid(path, name, 'timeZone must be nil or non-empty string')];
  const ofThisMachine = name.toLowerCase() === 'local';
  return [
    ...(ofThisMachine ? [invalid(path, name, 'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones')] : []),
    ...(name === 'Local' || isTimeZone(name) ? [] : [invalid(path, name, `unknown time zone ${name}`)]),
  ];
}

const count = optional(nonNegative);
const ofTemplate = members<v1.JobSpec>({
  selector: optional((given: JsonValue, path: Path) => [invalid(path, printedSelector(given), '`selector` will be auto-generated')]),
  manualSelector: (manual, path) => (manual === true ? [notSupported(path, true, ['nil', 'false'])] : []),
});

const spec = members<v1.CronJobSpec, CronFacts>({
  schedule: required(knowing(schedule)),
  startingDeadlineSeconds: count,
  timeZone: optional(knowing(timeZone)),
  concurrencyPolicy: insteadOfZero('Allow', oneOf(...enums.ConcurrencyPolicy)),
  suspend: byDefault(false),
  jobTemplate: members<v1.JobTemplateSpec>({ spec: all(jobTemplateSpec, ofTemplate) }),
  successfulJobsHistoryLimit: byDefault(3, nonNegative),
  failedJobsHistoryLimit: byDefault(1, nonNegative),
});
const template = members<v1.JobTemplateSpec>({ metadata: created(), spec: created() });
const rules = objectRulesWith<v1.CronJob, CronFacts>({ spec: created(members<v1.CronJobSpec>({ jobTemplate: created(template) }), spec) });

function validateNameLength(cronJob: Draft<v1.CronJob>): FieldError[] {
  const name = cronJob.metadata.name ?? '';
  return name.length > nameMax ? [invalid(Path.of('metadata', 'name'), name, `must be no more than ${nameMax} characters`)] : [];
}

function zoneWarnings(cronJob: Draft<v1.CronJob>): string[] {
  const named = textAt(cronJob, 'spec', 'schedule').includes(zoneInSchedule);
  return named
    ? [
        'cannot use TZ or CRON_TZ in spec.schedule, use timeZone instead, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/#time-zones',
      ]
    : [];
}

export const cronJobs: Kind<Draft<v1.CronJob>> = {
  name: 'cronjobs.batch',
  gated: [below('spec.jobTemplate.spec.template.spec', podSpecGates), gate('JobManagedBy', 'spec.jobTemplate.spec.managedBy')],
  metadata: { generationOf: ['spec'] },
  defaults: rules.defaults,
  validate: (cronJob) => inOrder(validateSpec(cronJob, null), validateNameLength(cronJob)),
  warnings: (cronJob, old) => [
    ...(old === null ? podNameWarnings(cronJob) : []),
    ...(hasNewGeneration(cronJob, old) ? jobSpecWarnings(jobSpecOf(cronJob), templatePath) : []),
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
