import { expect } from 'chai';
import { type Job, jobs, type JobSpec } from '../../../../api/types/batch/v1.js';
import { remainingMs } from '../../../../controllers/ttlafterfinished/remaining.js';
import { ttlController } from '../../../../controllers/ttlafterfinished/ttlController.js';
import { controllerWorld, type ControllerWorld } from '../../../fixtures/controllerHarness.js';

const finished = (seconds: number | undefined, type = 'Complete', at = '2026-01-01T00:00:00Z'): Job => ({
  metadata: { name: 'j', namespace: 'n' },
  spec: { ...(seconds === undefined ? {} : { ttlSecondsAfterFinished: seconds }) } as JobSpec,
  status: { conditions: [{ type, status: 'True', lastTransitionTime: at }] },
});

describe('controllers/ttlafterfinished/remaining', () => {
  const now = Date.parse('2026-01-01T00:01:00Z');
  const cases: readonly (readonly [string, Job, number | null])[] = [
    ['time is left', finished(90), 30_000],
    ['time is over', finished(60), 0],
    ['long over', finished(10, 'Failed'), -50_000],
    ['at once', finished(0), -60_000],
    ['no wish', finished(undefined), null],
    ['still runs', finished(10, 'Suspended'), null],
    ['is being deleted', { ...finished(10), metadata: { name: 'j', deletionTimestamp: '2026-01-01T00:00:00Z' } }, null],
  ];
  for (const [about, job, wanted] of cases) it(about, () => expect(remainingMs(job, now)).to.equal(wanted));
  it('does not guess when a Job ended', () =>
    expect(() => remainingMs(finished(1, 'Complete', ''), now)).to.throw('unable to find the time when the Job n/j finished'));
});

describe('controllers/ttlafterfinished/ttlController', () => {
  let world: ControllerWorld;
  beforeEach(() => {
    world = controllerWorld();
  });
  afterEach(() => world.stop());

  it('deletes a Job with its pods when its time is over, and not before', async () => {
    const [job] = world.api.seed(jobs, finished(30));
    await world.start(ttlController);
    await world.advance(29_999);
    expect(await world.writes()).to.deep.equal([]);
    await world.advance(1);
    expect(await world.writes()).to.deep.equal([
      {
        verb: 'delete',
        type: 'jobs.batch',
        key: 'n/j',
        options: { propagationPolicy: 'Foreground', preconditions: { uid: job?.metadata.uid } },
      },
    ]);
  });

  it('looks at a Job that finishes later', async () => {
    world.api.seed(jobs, { ...finished(5), status: {} });
    await world.start(ttlController);
    await world.advance(60_000);
    expect(await world.writes()).to.deep.equal([]);
    world.api.change(jobs, 'n/j', (job) => ({ ...job, status: finished(5, 'Failed', '2026-01-01T00:01:00Z').status ?? {} }));
    await world.advance(5_000);
    expect((await world.writes()).map(({ verb }) => verb)).to.deep.equal(['delete']);
  });

  it('asks once more before it deletes: the time may have been prolonged', async () => {
    world.api.seed(jobs, finished(1));
    world.api.before = ({ verb }) => {
      if (verb === 'get') world.api.change(jobs, 'n/j', (job) => ({ ...job, spec: { ttlSecondsAfterFinished: 100 } as JobSpec }));
    };
    await world.start(ttlController);
    await world.advance(1_000);
    expect(await world.writes()).to.deep.equal([]);
    await world.advance(99_000);
    expect((await world.writes()).map(({ verb }) => verb)).to.deep.equal(['delete']);
  });
});
