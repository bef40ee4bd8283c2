import { expect } from 'chai';
import fc from 'fast-check';
import type { Job, JobStatus } from '../../../../api/types/batch/v1.js';
import type { Pod } from '../../../../api/types/core/v1.js';
import { noBackoff } from '../../../../controllers/job/backoff.js';
import { factsOf } from '../../../../controllers/job/facts.js';
import { jobPod } from '../../../../controllers/job/jobPod.js';
import { accountOf, closing, plan } from '../../../../controllers/job/plan.js';
import { isTracked, trackingFinalizer } from '../../../../controllers/job/podOutcome.js';
import { isFinished } from '../../../../controllers/job/verdict.js';
import { conditionOf } from '../../../../controllers/workloads/podState.js';

/** One turn: some pods end, the Job may be suspended, and the manager may die between two writes. */
interface Turn {
  readonly ends: readonly { readonly nth: number; readonly phase: 'Succeeded' | 'Failed' }[];
  readonly suspend: boolean;
  readonly parallelism: number;
  /** The number of writes before the manager dies. */
  readonly writes: number;
}

class Died extends Error {}

/** A store with a Job and its pods. The manager may die at any write; the store counts how pods ended. */
class World {
  job: Job;
  readonly pods = new Map<string, Pod>();
  readonly ended = { Succeeded: new Set<string>(), Failed: new Set<string>() };
  #named = 0;
  #writesLeft = 0;

  constructor(spec: { readonly completions: number; readonly backoffLimit: number }) {
    this.job = {
      metadata: { name: 'j', namespace: 'n', uid: 'u' },
      spec: {
        ...spec,
        parallelism: 1,
        completionMode: 'NonIndexed',
        template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c' }] } },
      },
      status: { startTime: '2026-01-01T00:00:00Z' },
    };
  }

  befall({ ends, suspend, parallelism }: Turn): void {
    this.job = { ...this.job, spec: { ...this.job.spec, suspend, parallelism } as NonNullable<Job['spec']> };
    for (const { nth, phase } of ends) {
      const running = [...this.pods].filter(([, pod]) => pod.status?.phase === 'Running');
      const [uid, pod] = running[nth % running.length] ?? [];
      if (uid === undefined || pod === undefined) continue;
      this.pods.set(uid, { ...pod, status: { phase } });
      if (isTracked(pod)) this.ended[phase].add(uid);
    }
  }

  /** One sync of the manager with a current cache. */
  sync(writes: number): void {
    this.#writesLeft = writes;
    if (isFinished(this.job)) return;
    const facts = factsOf(this.job, [...this.pods.values()], new Set());
    const observed = { facts, backoff: noBackoff, settled: true, now: 0 };
    const steps = plan(observed, this.job.status ?? {});
    if (steps.decision) this.#write(steps.decision);
    const left = { active: facts.active.length, ready: 0, terminating: facts.terminating };
    if (steps.pods.do === 'create') for (const order of steps.pods.orders) this.#create(jobPod(this.job, order));
    if (steps.pods.do === 'delete') for (const pod of steps.pods.pods) this.#free(pod);
    if (steps.pods.do === 'delete' || steps.pods.do === 'end') for (const pod of steps.pods.pods) this.#delete(pod);
    const change = { nothing: 0, create: 1, delete: -1, end: -1 }[steps.pods.do];
    const count = steps.pods.do === 'create' ? steps.pods.orders.length : steps.pods.do === 'nothing' ? 0 : steps.pods.pods.length;
    const account = accountOf(observed, steps, { ...left, active: left.active + change * count });
    this.#write(account.status);
    for (const pod of account.free) this.#free(pod);
    this.#write(closing({ facts, account, status: account.status, freed: new Set(account.free.map(uid)), now: 0 }).status);
  }

  #spend(): void {
    if (this.#writesLeft-- <= 0) throw new Died();
  }
  #write(status: JobStatus): void {
    this.#spend();
    this.job = { ...this.job, status };
  }
  #create(pod: Pod): void {
    this.#spend();
    const name = `p${++this.#named}`;
    this.pods.set(name, { ...pod, metadata: { ...pod.metadata, name, uid: name }, status: { phase: 'Running' } });
  }
  #free(pod: Pod): void {
    this.#spend();
    const stored = this.pods.get(uid(pod));
    if (stored) this.pods.set(uid(pod), { ...stored, metadata: { ...stored.metadata, finalizers: [] } });
  }
  /** A pod with finalizers stays, as terminating. */
  #delete(pod: Pod): void {
    this.#spend();
    const stored = this.pods.get(uid(pod));
    if (!stored) return;
    if (!stored.metadata.finalizers?.includes(trackingFinalizer)) this.pods.delete(uid(pod));
    else
      this.pods.set(uid(pod), {
        ...stored,
        metadata: { ...stored.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' },
        status: { phase: 'Failed' },
      });
  }
}

const uid = (pod: Pod): string => pod.metadata.uid ?? '';

const turns = fc.array(
  fc.record({
    ends: fc.array(fc.record({ nth: fc.nat(9), phase: fc.constantFrom('Succeeded', 'Succeeded', 'Failed') }), { maxLength: 4 }),
    suspend: fc.boolean(),
    parallelism: fc.nat(4),
    writes: fc.oneof(fc.nat(12), fc.constant(1_000)),
  }),
  { maxLength: 30 },
);

function play(world: World, turn: Turn): void {
  world.befall(turn);
  try {
    world.sync(turn.writes);
  } catch (error) {
    if (!(error instanceof Died)) throw error;
  }
}

describe('controllers/job: a manager that may die at any write', () => {
  it('counts each pod that ended once, and none that it deleted itself while the Job goes on', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 6 }), fc.nat(5), turns, (completions, backoffLimit, story) => {
        const world = new World({ completions, backoffLimit });
        for (const turn of story) play(world, turn);
        // Finally it runs without failures until nothing changes.
        for (let quiet = 0; quiet < 60 && !isFinished(world.job); quiet++)
          play(world, { ends: [{ nth: 0, phase: 'Succeeded' }], suspend: false, parallelism: 2, writes: 1_000 });
        const { status } = world.job;
        expect(isFinished(world.job)).to.equal(true);
        expect(status?.uncountedTerminatedPods).to.deep.equal({});
        expect(status?.succeeded).to.equal(world.ended.Succeeded.size);
        const failedByTheirOwn = world.ended.Failed.size;
        if (conditionOf(status?.conditions, 'Complete')) {
          expect(status?.failed).to.equal(failedByTheirOwn);
          expect(status?.succeeded).to.be.at.least(completions);
        } else {
          expect(failedByTheirOwn).to.be.above(backoffLimit);
          expect(status?.failed).to.be.at.least(failedByTheirOwn);
        }
        expect([...world.pods.values()].filter(isTracked)).to.deep.equal([]);
      }),
      { numRuns: 2_000 },
    );
  });
});
