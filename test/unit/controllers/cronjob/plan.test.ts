import { expect } from 'chai';
import { superfluousJobs, review } from '../../../../controllers/cronjob/history.js';
import { plan } from '../../../../controllers/cronjob/plan.js';
import type { CronJob, Job, JobSpec } from '../../../../api/types/batch/v1.js';

const ms = (text: string): number => Date.parse(text);
const now = ms('2026-01-01T10:00:30Z');
type Spec = NonNullable<CronJob['spec']>;

function cronJob(spec: Partial<Spec> = {}, status: CronJob['status'] = {}, created = '2026-01-01T00:00:00Z'): CronJob {
  return {
    metadata: { name: 'c', namespace: 'n', uid: 'u', creationTimestamp: created },
    spec: {
      schedule: '0 * * * *',
      concurrencyPolicy: 'Allow',
      jobTemplate: { metadata: { labels: { l: 'x' }, annotations: { a: 'y' } }, spec: { parallelism: 2 } as JobSpec },
      ...spec,
    },
    status,
  };
}

interface Case {
  readonly about: string;
  readonly given: CronJob;
  readonly at?: number;
  readonly starts?: string;
  readonly remarks?: readonly string[];
  readonly again: number | null;
  readonly replaces?: number;
}

const second = 1_000;
const untilEleven = 59 * 60 * second + 30 * second + 100;
const last = (time: string): CronJob['status'] => ({ lastScheduleTime: time });
const active = { active: [{ kind: 'Job', name: 'old', namespace: 'n', uid: 'j1' }] };

const cases: readonly Case[] = [
  { about: 'a run that is due starts', given: cronJob({}, last('2026-01-01T09:00:00Z')), starts: 'c-29454360', again: untilEleven },
  { about: 'a run that was started is not started again', given: cronJob({}, last('2026-01-01T10:00:00Z')), again: untilEleven },
  {
    about: 'without an earlier run time counts from the creation',
    given: cronJob({}, {}, '2026-01-01T09:59:00Z'),
    starts: 'c-29454360',
    again: untilEleven,
  },
  { about: 'nothing was due since the creation', given: cronJob({}, {}, '2026-01-01T10:00:10Z'), again: untilEleven },
  {
    about: 'of several missed runs the last is made up for',
    given: cronJob({}, last('2025-12-30T00:00:00Z')),
    starts: 'c-29454360',
    again: untilEleven,
  },
  {
    about: 'more than a hundred missed runs are reported',
    given: cronJob({}, last('2025-12-01T00:00:00Z')),
    starts: 'c-29454360',
    again: untilEleven,
    remarks: ['Warning TooManyMissedTimes too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew'],
  },
  { about: 'exactly a hundred are not', given: cronJob({}, last('2025-12-28T06:00:00Z')), starts: 'c-29454360', again: untilEleven },
  {
    about: 'a deadline forgets earlier runs',
    given: cronJob({ startingDeadlineSeconds: 20 }, last('2025-12-01T00:00:00Z')),
    again: untilEleven,
  },
  {
    about: 'a run within the deadline starts',
    given: cronJob({ startingDeadlineSeconds: 40 }, last('2025-12-01T00:00:00Z')),
    starts: 'c-29454360',
    again: untilEleven,
  },
  {
    about: 'the last run of an uneven schedule is found',
    given: cronJob({ schedule: '0 8,9 * * *' }, last('2025-12-31T09:00:00Z')),
    starts: 'c-29454300',
    again: 22 * 3_600_000 - 30 * second + 100,
  },
  { about: 'a suspended one does nothing', given: cronJob({ suspend: true }, last('2025-12-01T00:00:00Z')), again: null },
  {
    about: 'one that is being deleted does nothing',
    given: { ...cronJob({}, last('2026-01-01T09:00:00Z')), metadata: { ...cronJob().metadata, deletionTimestamp: '2026-01-01T10:00:00Z' } },
    again: null,
  },
  {
    about: 'Forbid waits for the active run',
    given: cronJob({ concurrencyPolicy: 'Forbid' }, { ...last('2026-01-01T09:00:00Z'), ...active }),
    again: untilEleven,
    remarks: ['Normal JobAlreadyActive Not starting job because prior execution is running and concurrency policy is Forbid'],
  },
  {
    about: 'Forbid starts when nothing is active',
    given: cronJob({ concurrencyPolicy: 'Forbid' }, last('2026-01-01T09:00:00Z')),
    starts: 'c-29454360',
    again: untilEleven,
  },
  {
    about: 'Replace names what makes room',
    given: cronJob({ concurrencyPolicy: 'Replace' }, { ...last('2026-01-01T09:00:00Z'), ...active }),
    starts: 'c-29454360',
    replaces: 1,
    again: untilEleven,
  },
  {
    about: 'Allow lets it run on',
    given: cronJob({}, { ...last('2026-01-01T09:00:00Z'), ...active }),
    starts: 'c-29454360',
    again: untilEleven,
  },
  {
    about: 'a run whose Job is listed by name is not started again',
    given: cronJob({}, { ...last('2026-01-01T09:00:00Z'), active: [{ name: 'c-29454360', namespace: 'n', uid: 'j' }] }),
    again: untilEleven,
  },
  {
    about: 'a schedule in a zone',
    given: cronJob({ schedule: '0 5 * * *', timeZone: 'America/New_York' }, last('2025-12-31T10:00:00Z')),
    starts: 'c-29454360',
    again: 24 * 3_600_000 - 30 * second + 100,
  },
  {
    about: 'an unknown zone',
    given: cronJob({ timeZone: 'No/Where' }),
    again: null,
    remarks: ['Warning UnknownTimeZone invalid timeZone: "No/Where": unknown time zone No/Where'],
  },
  {
    about: 'a schedule that cannot be read',
    given: cronJob({ schedule: 'x * * * *' }),
    again: null,
    remarks: [
      'Warning UnparseableSchedule unparseable schedule: "x * * * *" : failed to parse int from x: strconv.Atoi: parsing "x": invalid syntax',
    ],
  },
  {
    about: 'a schedule that never comes',
    given: cronJob({ schedule: '0 0 31 2 *' }),
    again: null,
    remarks: ['Warning InvalidSchedule invalid schedule: 0 0 31 2 * : time difference between two schedules is less than 1 second'],
  },
  {
    about: 'a zone within the schedule works, and is reported',
    given: cronJob({ schedule: 'TZ=UTC 0 * * * *' }, last('2026-01-01T09:00:00Z')),
    starts: 'c-29454360',
    again: untilEleven,
    remarks: [
      'Warning UnsupportedSchedule CRON_TZ or TZ used in schedule "TZ=UTC 0 * * * *" is not officially supported, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details',
    ],
  },
];

describe('controllers/cronjob/plan', () => {
  for (const { about, given, at = now, starts, remarks = [], again, replaces = 0 } of cases) {
    it(about, () => {
      const found = plan(given, at, 'UTC');
      expect(found.remarks.map(({ type, reason, message }) => `${type} ${reason} ${message}`)).to.deep.equal(remarks);
      expect(found.start?.job.metadata.name).to.equal(starts);
      expect(found.start?.replaces.length ?? 0).to.equal(replaces);
      expect(found.againAfterMs).to.equal(again);
    });
  }

  it('says once that a run is too late: when the deadline passes between two looks', () => {
    // The deadline moves the beginning to just before the run, which is then slightly late.
    const given = cronJob({ startingDeadlineSeconds: 30, schedule: '* * * * *' }, last('2026-01-01T09:59:00Z'));
    expect(plan(given, ms('2026-01-01T10:00:30Z'), 'UTC').start).to.equal(null);
  });

  it('makes the Job of a run from the template', () => {
    const { start } = plan(cronJob({ timeZone: 'America/New_York' }, last('2026-01-01T09:00:00Z')), now, 'UTC');
    expect(start?.job).to.deep.equal({
      metadata: {
        name: 'c-29454360',
        namespace: 'n',
        labels: { l: 'x' },
        annotations: { a: 'y', 'batch.kubernetes.io/cronjob-scheduled-timestamp': '2026-01-01T05:00:00-05:00' },
        ownerReferences: [{ apiVersion: 'batch/v1', kind: 'CronJob', name: 'c', uid: 'u', controller: true, blockOwnerDeletion: true }],
      },
      spec: { parallelism: 2 },
    });
  });
});

describe('controllers/cronjob/history', () => {
  const job = (name: string, end: 'Complete' | 'Failed' | null, startTime?: string, completionTime?: string): Job => ({
    metadata: { name, namespace: 'n', uid: `uid of ${name}` },
    status: {
      ...(startTime ? { startTime } : {}),
      ...(completionTime ? { completionTime } : {}),
      conditions: end ? [{ type: end, status: 'True' }] : [],
    },
  });
  const times = ['2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z', '2026-01-03T00:00:00Z'] as const;
  const jobs = [
    job('s2', 'Complete', times[1], times[1]),
    job('s1', 'Complete', times[0], times[0]),
    job('f1', 'Failed', times[2]),
    job('r', null, times[0]),
    job('s0', 'Complete'),
    job('a0', 'Complete'),
  ];
  const names = (spec: Partial<Spec>): readonly (string | undefined)[] =>
    superfluousJobs(cronJob(spec), jobs).map(({ metadata }) => metadata.name);

  it('lets the oldest go, and those that never started last', () => {
    expect(names({ successfulJobsHistoryLimit: 1, failedJobsHistoryLimit: 1 })).to.deep.equal(['s1', 's2', 'a0']);
    expect(names({ successfulJobsHistoryLimit: 3, failedJobsHistoryLimit: 0 })).to.deep.equal(['s1', 'f1']);
  });

  it('keeps everything without limits', () => expect(names({})).to.deep.equal([]));

  it('tells what has become of the list', () => {
    const listed = cronJob(
      {},
      {
        active: [
          { name: 's1', uid: 'uid of s1' },
          { name: 'gone', uid: 'g', namespace: 'n' },
        ],
        lastSuccessfulTime: '2025-12-31T00:00:00Z',
      },
    );
    expect(review(listed, jobs)).to.deep.equal({
      completed: [{ job: jobs[1], condition: 'Complete' }],
      unexpected: [jobs[3]],
      unseen: [{ name: 'gone', uid: 'g', namespace: 'n' }],
      lastSuccessfulTime: times[1],
    });
  });
});
