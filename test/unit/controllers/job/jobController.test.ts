import { expect } from 'chai';
import { jobController } from '../../../../controllers/job/jobController.js';
import { type Job, jobs, type JobSpec } from '../../../../api/types/batch/v1.js';
import { type ContainerStatus, type Pod, pods } from '../../../../api/types/core/v1.js';
import { controllerWorld, type ControllerWorld } from '../../../fixtures/controllerHarness.js';
import { refusal, type Write } from '../../../fixtures/memoryApi.js';

const job = (spec: Partial<JobSpec> = {}): Job => ({
  metadata: { name: 'j', namespace: 'n', uid: 'u' },
  spec: {
    parallelism: 1,
    completions: 1,
    backoffLimit: 1,
    completionMode: 'NonIndexed',
    selector: { matchLabels: { job: 'j' } },
    template: { metadata: { labels: { job: 'j' } }, spec: { restartPolicy: 'Never', containers: [{ name: 'c' }] } },
    ...spec,
  },
});
const lines = (writes: readonly Write[]): readonly string[] =>
  writes.map(({ verb, type, key, subresource, refused }) => [verb, type, key, subresource, refused].filter(Boolean).join(' '));

describe('controllers/job/jobController', () => {
  let world: ControllerWorld;
  beforeEach(() => {
    world = controllerWorld();
  });
  afterEach(() => world.stop());
  const status = () => world.api.peek(jobs, 'n/j')?.status;
  const conditions = () => (status()?.conditions ?? []).map(({ type, status: value, reason }) => `${type} ${value} ${reason ?? ''}`);
  const end = (name: string, phase: string): Pod =>
    world.api.change(pods, `n/${name}`, (pod) => ({
      ...pod,
      status: {
        phase,
        containerStatuses: [
          {
            name: 'c',
            state: { terminated: { exitCode: phase === 'Failed' ? 1 : 0, finishedAt: new Date(world.clock.now()).toISOString() } },
          } as ContainerStatus,
        ],
      },
    }));

  it('starts, counts a success in three steps, and completes', async () => {
    world.api.seed(jobs, job());
    await world.start(jobController);
    expect(lines(await world.writes())).to.deep.equal(['create pods n/j-', 'update jobs.batch n/j status']);
    expect(status()).to.deep.include({ active: 1, startTime: '2026-01-01T00:00:00Z' });
    end('j-00001', 'Succeeded');
    await world.advance(2_000);
    const writes = await world.writes();
    expect(lines(writes)).to.deep.equal(['update jobs.batch n/j status', 'patch pods n/j-00001', 'update jobs.batch n/j status']);
    expect((writes[0]?.body as Job).status?.uncountedTerminatedPods).to.deep.equal({
      succeeded: [world.api.peek(pods, 'n/j-00001')?.metadata.uid],
    });
    expect(status()).to.deep.include({ succeeded: 1, active: 0, completionTime: '2026-01-01T00:00:00Z', uncountedTerminatedPods: {} });
    expect(conditions()).to.deep.equal(['SuccessCriteriaMet True CompletionsReached', 'Complete True CompletionsReached']);
    expect(world.api.peek(pods, 'n/j-00001')?.metadata.finalizers).to.deep.equal([]);
    expect(world.events).to.deep.equal(['Normal SuccessfulCreate n/j: Created pod: j-00001', 'Normal Completed n/j: Job completed']);
  });

  it('waits before it tries again, and fails beyond its limit', async () => {
    world.api.seed(jobs, job());
    await world.start(jobController);
    end('j-00001', 'Failed');
    await world.advance(9_900);
    expect([world.api.all(pods).length, status()?.failed]).to.deep.equal([1, 1]);
    await world.advance(200);
    expect(world.api.all(pods)).to.have.length(2);
    end('j-00002', 'Failed');
    await world.advance(1_000);
    expect(conditions()).to.deep.equal(['FailureTarget True BackoffLimitExceeded', 'Failed True BackoffLimitExceeded']);
    expect(world.events.at(-1)).to.equal('Warning BackoffLimitExceeded n/j: Job has reached the specified backoff limit');
    expect(world.api.all(pods).every(({ metadata }) => (metadata.finalizers ?? []).length === 0)).to.equal(true);
  });

  it('is counted: looks, pods made, pods that ended, and the end', async () => {
    world.api.seed(
      jobs,
      job({ completions: 2, podFailurePolicy: { rules: [{ action: 'Count', onExitCodes: { operator: 'In', values: [1] } }] } }),
    );
    world.api.seed(jobs, { ...job({ managedBy: 'example.com/other' }), metadata: { name: 'other', namespace: 'n', uid: 'o' } });
    await world.start(jobController);
    end('j-00001', 'Failed');
    await world.advance(11_000);
    end('j-00002', 'Succeeded');
    await world.advance(2_000);
    end('j-00003', 'Succeeded');
    await world.advance(2_000);
    const of = (name: string): readonly string[] =>
      [...world.counts]
        .filter(([key]) => key.startsWith(`job_controller_${name} `))
        .map(([key, count]) => `${key.replace(/^\S+ /, '')} ${count}`);
    const mode = '"completion_mode":"NonIndexed"';
    expect(of('jobs_finished_total')).to.deep.equal([`{${mode},"result":"succeeded","reason":"CompletionsReached"} 1`]);
    expect(of('job_pods_finished_total').toSorted()).to.deep.equal([`{${mode},"result":"failed"} 1`, `{${mode},"result":"succeeded"} 2`]);
    expect(of('job_pods_creation_total')).to.deep.equal([
      '{"reason":"new","status":"succeeded"} 1',
      '{"reason":"recreate_terminating_or_failed","status":"succeeded"} 2',
    ]);
    expect(of('pod_failures_handled_by_failure_policy_total')).to.deep.equal(['{"action":"Count"} 1']);
    expect(of('terminated_pods_tracking_finalizer_total').toSorted()).to.deep.equal(['{"event":"add"} 3', '{"event":"delete"} 3']);
    expect(of('jobs_by_external_controller_total')).to.deep.equal(['{"controller_name":"example.com/other"} 1']);
    const looks = of('job_syncs_total').map((line) => line.replace(/ \d+$/, ''));
    expect(looks).to.include(`{${mode},"result":"success","action":"pods_created"}`);
    expect(of('job_sync_duration_seconds').map((line) => line.replace(/ \d+$/, ''))).to.deep.equal(looks);
  });

  it('counts no pod twice when it dies between the steps', async () => {
    world.api.seed(jobs, job({ completions: 3 }));
    world.api.seed(jobs, {
      ...job({ completions: 3 }),
      status: { startTime: '2026-01-01T00:00:00Z', succeeded: 1, uncountedTerminatedPods: { succeeded: ['gone', 'here'] } },
    });
    world.api.seed(pods, {
      metadata: {
        name: 'p',
        namespace: 'n',
        uid: 'here',
        labels: { job: 'j' },
        finalizers: ['batch.kubernetes.io/job-tracking'],
        ownerReferences: [{ apiVersion: 'batch/v1', kind: 'Job', name: 'j', uid: 'u', controller: true }],
      },
      status: { phase: 'Succeeded' },
    });
    await world.start(jobController);
    await world.advance(2_000);
    expect(status()).to.deep.include({ succeeded: 3, uncountedTerminatedPods: {} });
    expect(conditions()).to.include('Complete True CompletionsReached');
  });

  it('sleeps and wakes', async () => {
    world.api.seed(jobs, job({ suspend: true }));
    await world.start(jobController);
    expect([conditions(), world.api.all(pods), status()?.startTime]).to.deep.equal([['Suspended True JobSuspended'], [], undefined]);
    await world.advance(5_000);
    world.api.change(jobs, 'n/j', (each) => ({ ...each, spec: { ...(each.spec as JobSpec), suspend: false } }));
    await world.advance(1_000);
    expect([conditions(), world.api.all(pods).length, status()?.startTime]).to.deep.equal([
      ['Suspended False JobResumed'],
      1,
      '2026-01-01T00:00:05Z',
    ]);
    world.api.change(jobs, 'n/j', (each) => ({ ...each, spec: { ...(each.spec as JobSpec), suspend: true } }));
    await world.advance(1_000);
    expect([conditions(), world.api.all(pods), status()?.failed ?? 0]).to.deep.equal([['Suspended True JobSuspended'], [], 0]);
    expect(world.events.filter((event) => /Suspended|Resumed/.test(event))).to.deep.equal([
      'Normal Suspended n/j: Job suspended',
      'Normal Resumed n/j: Job resumed',
      'Normal Suspended n/j: Job suspended',
    ]);
  });

  it('tells of it once that it sleeps, though its first write is refused', async () => {
    world.api.seed(jobs, job({ suspend: true }));
    let refusals = 1;
    world.api.before = ({ verb }) => {
      if (verb === 'update' && refusals-- > 0) throw refusal(500, 'InternalError');
    };
    await world.start(jobController);
    await world.advance(5_000);
    expect(world.events).to.deep.equal(['Normal Suspended n/j: Job suspended']);
  });

  it('ends at its deadline, and deletes what runs', async () => {
    world.api.seed(jobs, job({ activeDeadlineSeconds: 30 }));
    await world.start(jobController);
    await world.advance(29_000);
    expect(conditions()).to.deep.equal([]);
    await world.advance(3_000);
    expect([conditions(), world.api.all(pods)]).to.deep.equal([
      ['FailureTarget True DeadlineExceeded', 'Failed True DeadlineExceeded'],
      [],
    ]);
  });

  for (const held of [true, false])
    it(`says what it has come to, and ends when its pods are gone${held ? ', which a finalizer of others delays' : ''}`, async () => {
      const template = { ...job().spec?.template, metadata: { labels: { job: 'j' }, finalizers: held ? ['example.com/hold'] : [] } };
      world.api.seed(jobs, job({ parallelism: 2, completions: 2, backoffLimit: 0, template } as Partial<JobSpec>));
      await world.start(jobController);
      await world.writes();
      end('j-00001', 'Failed');
      await world.advance(2_000);
      const reported = (await world.writes())
        .map(({ body }) => (body as Partial<Job> | undefined)?.status)
        .filter((each) => each !== undefined)
        .map(({ terminating, conditions: all }) => [terminating, all?.at(-1)?.type]);
      expect(reported[0]).to.deep.equal([0, 'FailureTarget']);
      expect(reported).to.deep.include([1, 'FailureTarget']);
      const ended = ['FailureTarget True BackoffLimitExceeded', 'Failed True BackoffLimitExceeded'];
      if (held) {
        expect([status()?.terminating, conditions()]).to.deep.equal([1, ended.slice(0, 1)]);
        world.api.change(pods, 'n/j-00002', ({ metadata, ...pod }) => ({ ...pod, metadata: { ...metadata, finalizers: [] } }));
        world.api.evaporate(pods, 'n/j-00002');
        await world.advance(2_000);
      }
      expect([status()?.failed, status()?.terminating, conditions()]).to.deep.equal([2, 0, ended]);
    });

  for (const refused of [1, 2, 3]) {
    it(`counts no pod as failed that it deletes itself, though write ${refused} of its status meets a conflict`, async () => {
      world.api.seed(
        jobs,
        job({ completionMode: 'Indexed', completions: 3, parallelism: 3, successPolicy: { rules: [{ succeededIndexes: '0' }] } }),
      );
      await world.start(jobController);
      for (const {
        metadata: { name = '' },
      } of world.api.all(pods))
        world.api.change(pods, `n/${name}`, (pod) => ({ ...pod, spec: { ...pod.spec, nodeName: 'x' } }));
      await world.advance(2_000);
      let writes = 0;
      world.api.before = ({ verb, type }) => {
        if (verb === 'update' && type === 'jobs.batch' && ++writes === refused) throw refusal(409, 'Conflict');
      };
      end('j-0-00001', 'Succeeded');
      await world.advance(5_000);
      for (const { metadata } of world.api.all(pods)) if (metadata.deletionTimestamp) world.api.evaporate(pods, `n/${metadata.name ?? ''}`);
      await world.advance(5_000);
      expect([status()?.failed ?? 0, status()?.succeeded, conditions()]).to.deep.equal([
        0,
        1,
        ['SuccessCriteriaMet True SuccessPolicy', 'Complete True SuccessPolicy'],
      ]);
    });
  }

  it('leaves Jobs of another controller, and of an unheard-of mode, alone', async () => {
    world.api.seed(jobs, job({ managedBy: 'example.com/other' }), {
      ...job({ completionMode: 'Odd' }),
      metadata: { name: 'odd', namespace: 'n' },
    });
    await world.start(jobController);
    expect(await world.writes()).to.deep.equal([]);
    expect(world.events).to.deep.equal(['Warning UnknownCompletionMode n/odd: Skipped Job sync because completion mode is unknown']);
  });

  it('frees the pods of a Job that is gone, and of one that has ended', async () => {
    const ended: Job = {
      ...job(),
      metadata: { name: 'ended', namespace: 'n', uid: 'e' },
      status: { conditions: [{ type: 'Complete', status: 'True' }] },
    };
    const tracked = (name: string, owner: string, uid: string): Pod => ({
      metadata: {
        name,
        namespace: 'n',
        finalizers: ['batch.kubernetes.io/job-tracking'],
        ownerReferences: [{ apiVersion: 'batch/v1', kind: 'Job', name: owner, uid, controller: true }],
      },
      status: { phase: 'Running' },
    });
    world.api.seed(jobs, ended);
    world.api.seed(pods, tracked('a', 'gone', 'g'), tracked('b', 'ended', 'e'), tracked('c', 'ended', 'former'));
    await world.start(jobController);
    expect(world.api.all(pods).map(({ metadata }) => metadata.finalizers)).to.deep.equal([[], [], []]);
  });

  it('believes the server before it frees a pod of a Job that the cache does not have', async () => {
    world.api.seed(pods, {
      metadata: {
        name: 'a',
        namespace: 'n',
        labels: { job: 'j' },
        finalizers: ['batch.kubernetes.io/job-tracking'],
        ownerReferences: [{ apiVersion: 'batch/v1', kind: 'Job', name: 'j', uid: 'u', controller: true }],
      },
      status: { phase: 'Running' },
    });
    world.api.before = ({ verb, type }) => {
      if (verb === 'get' && type === 'jobs.batch' && !world.api.peek(jobs, 'n/j')) world.api.seed(jobs, job());
    };
    await world.start(jobController);
    expect(world.api.peek(pods, 'n/a')?.metadata.finalizers).to.deep.equal(['batch.kubernetes.io/job-tracking']);
  });

  it('tries again when no pod can be made, without counting that as a failure', async () => {
    world.api.seed(jobs, job());
    let refuses = true;
    world.api.before = ({ verb }) => {
      if (refuses && verb === 'create') throw refusal(403, 'Forbidden', 'exceeded quota');
    };
    await world.start(jobController);
    await world.advance(3_000);
    expect([status()?.failed ?? 0, status()?.active ?? 0]).to.deep.equal([0, 0]);
    refuses = false;
    await world.advance(60_000);
    expect(status()?.active).to.equal(1);
  });
});
