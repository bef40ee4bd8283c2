import type { SyncResult } from '../client/workQueue.js';
import { strategicPatch } from '../client/api.js';
import { QueueController, type Controller } from '../client/controller.js';
import { isInvalid, isNamespaceTerminating, isNotFound, unless } from '../client/errors.js';
import { Expectations } from '../client/expectations.js';
import { controllerOf, keyOf, keyTextOf, namespaceOf, uidOf } from '../../api/meta/object.js';
import { selects } from '../../api/selectors.js';
import { timeText } from '../../api/time.js';
import { type Job, jobs } from '../../api/types/batch/v1.js';
import { type Pod, pods } from '../../api/types/core/v1.js';
import type { PodGroup } from '../../api/types/scheduling/v1alpha2.js';
import type { ManagerEnvironment } from '../environment.js';
import { ownedBy } from '../workloads/claim.js';
import { controllerIndex, follow } from '../workloads/following.js';
import { PodControl, slowStart } from '../workloads/podControl.js';
import { isReady } from '../workloads/podState.js';
import { sameMeaning } from '../../api/json/equality.js';
import { noBackoff, withOutcomes, type Backoff } from './backoff.js';
import { actionOf, JobCounts } from './counts.js';
import { factsOf, type Facts } from './facts.js';
import { inGroup } from './gang.js';
import { gangsOf, type Gangs } from './gangs.js';
import { jobPod } from './jobPod.js';
import { accountOf, closing, plan, type Account, type JobEvent, type Observed, type Plan, type PodStep, type Tally } from './plan.js';
import { isSuspended, isTracked, trackingFinalizer } from './podOutcome.js';
import type { PodOrder } from './sizing.js';
import { isFinished } from './verdict.js';

const ownName = 'kubernetes.io/job-controller';

/** Runs Jobs: keeps the required pods running, counts how they end, and sets the result. */
export function jobController(environment: ManagerEnvironment): Controller {
  const loop = new JobLoop(environment);
  const controller: QueueController = new QueueController(environment, {
    name: 'job',
    workers: environment.options['concurrent-job-syncs'],
    sync: (key) => loop.sync(key),
    backoffFirstMs: 1_000,
    backoffMaxMs: 60_000,
  });
  controller.watch(jobs);
  follow(controller, {
    ownerType: jobs,
    type: pods,
    wouldAdopt: ({ spec }, pod) => selects(spec?.selector, pod.metadata.labels),
    expectations: loop.expectations,
  });
  const orphans = orphanController(environment, loop);
  return {
    name: 'job',
    run: async (signal) => {
      loop.gangs = await gangsOf(environment, controller, signal);
      await Promise.all([controller.run(signal), orphans.run(signal)]);
    },
  };
}

/** Takes the finalizer from pods whose Job is gone. */
function orphanController(environment: ManagerEnvironment, loop: JobLoop): QueueController {
  const orphans = new QueueController(environment, { name: 'job_orphan_pod', workers: 1, sync: (key) => loop.freeOrphan(key) });
  const queueIfOrphan = (pod: Pod): void => {
    if (loop.isOrphan(pod)) orphans.queue.add(keyTextOf(pod));
  };
  orphans.needs(pods).addHandlers({
    added: (pod) => {
      loop.counts.seen(null, pod);
      queueIfOrphan(pod);
    },
    changed: (before, after) => {
      loop.seen(after);
      loop.counts.seen(before, after);
      queueIfOrphan(after);
    },
    removed: (pod) => {
      loop.gone(pod);
      loop.counts.seen(pod, null);
    },
  });
  orphans.needs(jobs).addHandlers({
    added: ({ spec }) => {
      if (spec?.managedBy !== undefined && spec.managedBy !== ownName) loop.counts.ofOthers(spec.managedBy);
    },
    removed: (job) => {
      for (const pod of loop.podsOf(job)) orphans.queue.add(keyTextOf(pod));
    },
  });
  return orphans;
}

class JobLoop {
  readonly #environment: ManagerEnvironment;
  readonly expectations: Expectations;
  readonly counts: JobCounts;
  /** Null where pods are scheduled one by one. */
  gangs: Gangs | null = null;
  readonly #control: PodControl;
  readonly #backoffs = new Map<string, Backoff>();
  /** Uids of released pods that still have the finalizer in the cache. */
  readonly #freed = new Set<string>();

  constructor(environment: ManagerEnvironment) {
    this.#environment = environment;
    this.expectations = new Expectations(environment.clock);
    this.counts = new JobCounts(environment.measures);
    this.#control = new PodControl(environment.api, environment.events);
  }

  podsOf(job: Job): readonly Pod[] {
    return this.#environment.informers.of(pods).cache.by(controllerIndex, uidOf(job));
  }
  seen(pod: Pod): void {
    if (!isTracked(pod)) this.#freed.delete(uidOf(pod));
  }
  gone(pod: Pod): void {
    this.#freed.delete(uidOf(pod));
  }

  async sync(key: string): Promise<SyncResult> {
    const { informers, clock, events } = this.#environment;
    const found = informers.of(jobs).cache.get(key);
    if (!found || isFinished(found)) {
      this.expectations.forget(key);
      this.#backoffs.delete(key);
      return;
    }
    if (found.spec?.managedBy !== undefined && found.spec.managedBy !== ownName) return;
    if (found.spec?.completionMode !== 'Indexed' && found.spec?.completionMode !== 'NonIndexed') {
      events.warning(found, 'UnknownCompletionMode', 'Skipped Job sync because completion mode is unknown');
      return;
    }
    const now = clock.now();
    const settled = this.expectations.satisfied(key);
    const job = started(found, now);
    const owned = await ownedBy(this.#environment, {
      ownerType: jobs,
      owner: job,
      type: pods,
      matches: (pod) => selects(job.spec?.selector, pod.metadata.labels),
      finalizer: trackingFinalizer,
    });
    const facts = factsOf(job, owned, this.#freed);
    const backoff = withOutcomes(this.#backoffs.get(key) ?? noBackoff, facts.newlySucceeded, facts.newlyFailed);
    const observed = { facts, backoff, settled, now };
    const steps = plan(observed, found.status ?? {});
    const done = (ok: boolean): void => this.counts.synced(job, actionOf(steps.pods, settled), ok, (clock.now() - now) / 1000);
    const againAfterMs = await this.#proceed(key, found, observed, steps).catch((error: unknown) => {
      done(false);
      throw error;
    });
    done(true);
    if (againAfterMs !== null) return { againAfterMs };
  }

  /** Executes a plan: the decision, then the pods, then the count. Returns the time of the next sync. */
  async #proceed(key: string, found: Job, observed: Observed, steps: Plan): Promise<number | null> {
    const { api } = this.#environment;
    const group = this.gangs && !steps.verdict ? await this.gangs.groupOf(found, observed.facts.pods) : null;
    const before = steps.decision ? await api.update(jobs, { ...found, status: steps.decision }, { subresource: 'status' }) : found;
    const { left, failure } = await this.#carryOut(key, observed.facts, { ...steps.pods, group });
    await this.#account(before, observed, accountOf(observed, steps, left));
    this.#backoffs.set(key, observed.backoff);
    if (failure !== null) throw asError(failure);
    return steps.againAfterMs;
  }

  async #carryOut(key: string, facts: Facts, step: PodStep & { readonly group: PodGroup | null }): Promise<Outcome> {
    const { job, active, terminating } = facts;
    const left = { active: active.length, ready: active.filter(isReady).length, terminating };
    switch (step.do) {
      case 'nothing':
        return { left, failure: null };
      case 'end': {
        const end = (pod: Pod): Promise<unknown> => unless(isNotFound, this.#control.delete(job, pod));
        return this.#removeEach(step.pods, left, end);
      }
      case 'delete':
        this.expectations.expect(key, { deletions: step.pods.map(uidOf) });
        return this.#removeEach(step.pods, left, (pod) => this.#remove(key, job, pod));
      case 'create':
        return this.#create(key, facts, step, left);
    }
  }

  async #removeEach(victims: readonly Pod[], left: Tally, remove: (pod: Pod) => Promise<unknown>): Promise<Outcome> {
    const results = await Promise.allSettled(victims.map(remove));
    const gone = victims.filter((_, index) => results[index]?.status === 'fulfilled');
    return { left: gone.reduce(without, left), failure: firstFailure(results) };
  }

  #remove(key: string, job: Job, pod: Pod): Promise<void> {
    const freeAndDelete = async (): Promise<void> => {
      await this.#free(pod);
      await this.#control.delete(job, pod);
    };
    return this.expectations.deleting(key, uidOf(pod), freeAndDelete());
  }

  async #create(
    key: string,
    facts: Facts,
    { orders, group }: { readonly orders: readonly PodOrder[]; readonly group: PodGroup | null },
    left: Tally,
  ): Promise<Outcome> {
    const { job } = facts;
    this.expectations.expect(key, { creations: orders.length });
    const { succeeded, failure } = await slowStart(orders.length, async (index) => {
      const order = orders[index];
      if (!order) return;
      const pod = jobPod(job, order);
      await this.#control.create(job, group ? inGroup(pod, group) : pod);
    });
    this.expectations.created(key, orders.length - succeeded);
    this.counts.created(facts, succeeded, failure === null ? 0 : 1);
    return { left: { ...left, active: left.active + succeeded }, failure: isNamespaceTerminating(failure) ? null : failure };
  }

  async #account(before: Job, { facts, now }: Observed, account: Account): Promise<void> {
    const job = await this.#write(before, { ...before, status: account.status });
    this.#tell(before, account.events);
    const freed = new Set<string>();
    const results = await Promise.allSettled(
      account.free.map(async (pod) => {
        await this.#free(pod);
        freed.add(uidOf(pod));
      }),
    );
    const { status, events, ended } = closing({ facts, account, status: job.status ?? {}, freed, now });
    await this.#write(job, { ...job, status });
    this.#tell(before, events);
    this.counts.counted(facts.job, before.status ?? {}, status);
    this.counts.freed(
      facts.job,
      account.free.filter((pod) => freed.has(uidOf(pod))),
    );
    if (ended) this.counts.ended(facts.job, ended);
    const failure = firstFailure(results);
    if (failure !== null) throw asError(failure);
  }

  #tell(job: Job, events: readonly JobEvent[]): void {
    for (const { type, reason, message } of events)
      if (type === 'Normal') this.#environment.events.normal(job, reason, message);
      else this.#environment.events.warning(job, reason, message);
  }

  async #write(before: Job, after: Job): Promise<Job> {
    if (sameMeaning(counters(before), counters(after)) && before.status?.uncountedTerminatedPods !== undefined) return after;
    return this.#environment.api.update(jobs, after, { subresource: 'status' });
  }

  /** Removes the tracking finalizer from a pod, unless another client has, or the pod is gone. */
  async #free(pod: Pod): Promise<void> {
    if (!isTracked(pod) || this.#freed.has(uidOf(pod))) return;
    // Names the one finalizer, which needs no version that could conflict.
    const body = { metadata: { uid: uidOf(pod), '$deleteFromPrimitiveList/finalizers': [trackingFinalizer] } };
    this.#freed.add(uidOf(pod));
    try {
      await unless((error) => isNotFound(error) || isInvalid(error), this.#environment.api.patch(pods, keyOf(pod), strategicPatch(body)));
    } catch (error) {
      this.#freed.delete(uidOf(pod));
      throw error;
    }
  }

  /** Returns whether a pod waits for a Job that no longer counts it. */
  isOrphan(pod: Pod): boolean {
    if (!isTracked(pod) || this.#freed.has(uidOf(pod))) return false;
    const owner = controllerOf(pod);
    if (!owner) return true;
    if (owner.kind !== jobs.kind) return false;
    const job = this.#environment.informers.of(jobs).cache.get(`${namespaceOf(pod)}/${owner.name}`);
    if (!job || uidOf(job) !== owner.uid) return true;
    return (job.spec?.managedBy === undefined || job.spec.managedBy === ownName) && isFinished(job);
  }

  async freeOrphan(key: string): Promise<void> {
    const { api, informers } = this.#environment;
    const pod = informers.of(pods).cache.get(key);
    if (!pod || !this.isOrphan(pod)) return;
    const owner = controllerOf(pod);
    if (owner) {
      // The cache of Jobs may lag behind that of pods.
      const job = await unless(isNotFound, api.get(jobs, { namespace: namespaceOf(pod), name: owner.name }));
      if (job && uidOf(job) === owner.uid && !isFinished(job)) return;
    }
    await this.#free(pod);
  }
}

interface Outcome {
  readonly left: Tally;
  readonly failure: unknown;
}

/** A finalizer may hold even a pod that runs nowhere; the next sync shows which are gone. */
const without = ({ active, ready, terminating }: Tally, pod: Pod): Tally => ({
  active: active - 1,
  ready: isReady(pod) ? ready - 1 : ready,
  terminating: terminating + 1,
});

const asError = (failure: unknown): Error => (failure instanceof Error ? failure : new Error(String(failure)));

const firstFailure = (results: readonly PromiseSettledResult<unknown>[]): unknown => {
  const failed = results.find((result) => result.status === 'rejected');
  return failed ? failed.reason : null;
};

const started = (job: Job, now: number): Job =>
  job.status?.startTime !== undefined || isSuspended(job) ? job : { ...job, status: { ...job.status, startTime: timeText(now) } };
const counters = ({ status }: Job): object =>
  Object.fromEntries(Object.entries(status ?? {}).filter(([name, value]) => value !== 0 || name === 'ready' || name === 'terminating'));
