import { expect } from 'chai';
import { cronJobController } from '../../../../controllers/cronjob/cronJobController.js';
import { type CronJob, cronJobs, type Job, jobs, type JobSpec } from '../../../../api/types/batch/v1.js';
import { controllerWorld, type ControllerWorld } from '../../../fixtures/controllerHarness.js';
import { refusal, type Write } from '../../../fixtures/memoryApi.js';

const minuteMs = 60_000;
/** The fake clock begins at 2026-01-01T00:00:00Z; this schedule begins a minute later. */
const cron = (spec: Partial<NonNullable<CronJob['spec']>> = {}, status: CronJob['status'] = {}): CronJob => ({
  metadata: { name: 'c', namespace: 'n', uid: 'u' },
  spec: { schedule: '* * * * *', timeZone: 'Etc/UTC', jobTemplate: { spec: { suspend: true } as JobSpec }, ...spec },
  status,
});
const owner = { apiVersion: 'batch/v1', kind: 'CronJob', name: 'c', uid: 'u', controller: true, blockOwnerDeletion: true };
const owned = (name: string, status: Job['status'] = {}): Job => ({
  metadata: { name, namespace: 'n', uid: `uid-of-${name}`, ownerReferences: [owner] },
  status,
});
const ref = (name: string, uid = `uid-of-${name}`) => ({ kind: 'Job', apiVersion: 'batch/v1', namespace: 'n', name, uid });
const succeeded = {
  completionTime: '2026-01-01T00:00:10Z',
  startTime: '2026-01-01T00:00:00Z',
  conditions: [{ type: 'Complete', status: 'True' }],
};

/** Writes as lines, with only the status of their bodies. */
const lines = (writes: readonly Write[]): readonly string[] =>
  writes.map(({ verb, type, key, subresource, refused }) => [verb, type, key, subresource, refused].filter(Boolean).join(' '));
const statusOf = (world: ControllerWorld): CronJob['status'] => world.api.peek(cronJobs, 'n/c')?.status;

describe('controllers/cronjob/cronJobController', () => {
  let world: ControllerWorld;
  beforeEach(() => {
    world = controllerWorld();
  });
  afterEach(() => world.stop());

  it('starts a Job when its minute comes, lists it, and the next one a minute later', async () => {
    world.api.seed(cronJobs, cron());
    await world.start(cronJobController);
    expect(await world.writes()).to.deep.equal([]);
    await world.advance(minuteMs + 99);
    expect(await world.writes()).to.deep.equal([]);
    await world.advance(1);
    expect(lines(await world.writes())).to.deep.equal(['create jobs.batch n/c-29453761', 'update cronjobs.batch n/c status']);
    expect(statusOf(world)?.lastScheduleTime).to.equal('2026-01-01T00:01:00Z');
    expect(statusOf(world)?.active?.map(({ kind, apiVersion, namespace, name }) => ({ kind, apiVersion, namespace, name }))).to.deep.equal([
      { kind: 'Job', apiVersion: 'batch/v1', namespace: 'n', name: 'c-29453761' },
    ]);
    expect(world.events).to.deep.equal(['Normal SuccessfulCreate n/c: Created job c-29453761']);
    await world.advance(minuteMs);
    expect(lines(await world.writes())).to.deep.equal(['create jobs.batch n/c-29453762', 'update cronjobs.batch n/c status']);
    expect(statusOf(world)?.active).to.have.length(2);
  });

  it('takes finished Jobs from the list, and remembers the last success', async () => {
    world.api.seed(cronJobs, cron({ suspend: true }, { active: [ref('a'), ref('b')] }));
    world.api.seed(jobs, owned('a', succeeded), owned('b'));
    await world.start(cronJobController);
    expect(lines(await world.writes())).to.deep.equal(['update cronjobs.batch n/c status']);
    expect(statusOf(world)).to.deep.equal({ active: [ref('b')], lastSuccessfulTime: '2026-01-01T00:00:10Z' });
    expect(world.events).to.deep.equal(['Normal SawCompletedJob n/c: Saw completed job: a, condition: Complete']);
  });

  it('asks the server before it drops a Job that the cache does not have', async () => {
    world.api.seed(cronJobs, cron({ suspend: true }, { active: [ref('a')] }));
    await world.start(cronJobController);
    expect(statusOf(world)).to.deep.equal({ active: [] });
    expect(world.events).to.deep.equal(['Normal MissingJob n/c: Active job went missing: a']);
  });

  it('tells of a Job that it does not know, and leaves it alone', async () => {
    world.api.seed(cronJobs, cron({ suspend: true }));
    world.api.seed(jobs, owned('x'));
    await world.start(cronJobController);
    expect(await world.writes()).to.deep.equal([]);
    expect(world.events).to.deep.equal(['Warning UnexpectedJob n/c: Saw a job that the controller did not create or forgot: x']);
  });

  it('replaces what is active', async () => {
    world.api.seed(cronJobs, cron({ concurrencyPolicy: 'Replace' }, { active: [ref('a')], lastScheduleTime: '2025-12-31T23:59:00Z' }));
    world.api.seed(jobs, owned('a'));
    await world.start(cronJobController);
    const writes = await world.writes();
    expect(lines(writes)).to.deep.equal(['delete jobs.batch n/a', 'create jobs.batch n/c-29453760', 'update cronjobs.batch n/c status']);
    expect(writes[0]?.options).to.deep.equal({ propagationPolicy: 'Background' });
    expect(statusOf(world)?.active?.map(({ name }) => name)).to.deep.equal(['c-29453760']);
    expect(world.events).to.deep.equal([
      'Normal SuccessfulDelete n/c: Deleted job a',
      'Normal SuccessfulCreate n/c: Created job c-29453760',
    ]);
  });

  it('lists a Job that an earlier try has created without saying so', async () => {
    world.api.seed(cronJobs, cron({}, { lastScheduleTime: '2025-12-31T23:59:00Z' }));
    world.api.before = ({ verb, type }) => {
      if (verb === 'create' && type === 'jobs.batch' && !world.api.peek(jobs, 'n/c-29453760')) world.api.seed(jobs, owned('c-29453760'));
    };
    await world.start(cronJobController);
    expect(lines(await world.writes()).slice(0, 2)).to.deep.equal([
      'create jobs.batch n/c-29453760 AlreadyExists',
      'update cronjobs.batch n/c status',
    ]);
    expect(statusOf(world)?.active?.map(({ name, uid }) => [name, uid])).to.deep.equal([['c-29453760', 'uid-of-c-29453760']]);
  });

  it('does not touch a Job of the same name that somebody else owns', async () => {
    world.api.seed(cronJobs, cron({}, { lastScheduleTime: '2025-12-31T23:59:00Z' }));
    world.api.seed(jobs, { metadata: { name: 'c-29453760', namespace: 'n' } });
    await world.start(cronJobController);
    expect(lines(await world.writes())).to.deep.equal(['create jobs.batch n/c-29453760 AlreadyExists']);
    expect(statusOf(world)).to.deep.equal({ lastScheduleTime: '2025-12-31T23:59:00Z' });
  });

  it('tells of a refused creation and tries again', async () => {
    world.api.seed(cronJobs, cron({}, { lastScheduleTime: '2025-12-31T23:59:00Z' }));
    let refusals = 1;
    world.api.before = ({ verb }) => {
      if (verb === 'create' && refusals-- > 0) throw refusal(403, 'Forbidden', 'exceeded quota');
    };
    await world.start(cronJobController);
    expect(world.events).to.deep.equal(['Warning FailedCreate n/c: Error creating job: exceeded quota']);
    await world.advance(10);
    expect(statusOf(world)?.active).to.have.length(1);
  });

  it('creates nothing in a namespace that goes away, and says nothing', async () => {
    world.api.seed(cronJobs, cron({}, { lastScheduleTime: '2025-12-31T23:59:00Z' }));
    world.api.before = ({ verb }) => {
      if (verb === 'create') throw refusal(403, 'Forbidden', 'no', { causes: [{ reason: 'NamespaceTerminating' }] });
    };
    await world.start(cronJobController);
    expect([world.events, world.errors]).to.deep.equal([[], []]);
  });

  it('keeps as much history as is asked for, also while suspended', async () => {
    world.api.seed(cronJobs, cron({ suspend: true, successfulJobsHistoryLimit: 1 }));
    world.api.seed(jobs, owned('a', { ...succeeded, startTime: '2026-01-01T00:00:05Z' }), owned('b', succeeded));
    await world.start(cronJobController);
    expect(lines(await world.writes())).to.deep.equal(['delete jobs.batch n/b', 'update cronjobs.batch n/c status']);
  });

  it('says so when a new schedule cannot be read, and waits for the next', async () => {
    world.api.seed(cronJobs, cron({ schedule: '0 0 29 2 *' }));
    await world.start(cronJobController);
    world.api.change(cronJobs, 'n/c', (object) => ({ ...object, spec: { ...cron().spec, schedule: 'x * * * *', jobTemplate: {} } }));
    await world.advance(5 * minuteMs);
    expect(world.events).to.deep.equal(['Warning UnParseableCronJobSchedule n/c: unparseable schedule for cronjob: x * * * *']);
    world.api.change(cronJobs, 'n/c', (object) => ({ ...object, spec: { ...cron().spec, schedule: '* * * * *', jobTemplate: {} } }));
    await world.advance(2 * minuteMs);
    expect(lines(await world.writes())[0]).to.match(/^create jobs\.batch /);
  });

  it('makes up for nothing when the schedule changes: the new one begins with its next time', async () => {
    world.api.seed(cronJobs, cron({ schedule: '0 0 29 2 *' }, { lastScheduleTime: '2025-12-31T22:00:00Z' }));
    await world.start(cronJobController);
    await world.advance(30 * minuteMs);
    world.api.change(cronJobs, 'n/c', (object) => ({ ...object, spec: { ...cron().spec, schedule: '0 * * * *', jobTemplate: {} } }));
    await world.advance(29 * minuteMs);
    expect(await world.writes()).to.deep.equal([]);
    await world.advance(2 * minuteMs);
    expect(lines(await world.writes())).to.deep.equal(['create jobs.batch n/c-29453820', 'update cronjobs.batch n/c status']);
  });
});
