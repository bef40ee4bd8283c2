import type { SyncResult } from '../client/workQueue.js';
import { strategicPatch } from '../client/api.js';
import { QueueController, type Controller } from '../client/controller.js';
import { isInvalid, isNamespaceTerminating, isNotFound, unless } from '../client/errors.js';
import { Expectations } from '../client/expectations.js';
import { controllerOf, isTerminating, keyOf, keyTextOf, namespaceOf, uidOf } from '../../api/meta/object.js';
import { selects } from '../../api/selectors.js';
import { timeText } from '../../api/time.js';
import { type Job, jobs, type JobStatus } from '../../api/types/batch/v1.js';
import { type Pod, pods } from '../../api/types/core/v1.js';
import type { ManagerEnvironment } from '../environment.js';
import { ownedBy } from '../workloads/claim.js';
import { controllerIndex, follow } from '../workloads/following.js';
import { PodControl, slowStart } from '../workloads/podControl.js';
import { isReady } from '../workloads/podState.js';
import { sameJson } from '../workloads/sameJson.js';
import { noBackoff, withOutcomes, type Backoff } from './backoff.js';
import { ensured } from './conditions.js';
import { count, hasUncounted, settle } from './counting.js';
import { factsOf, type Facts } from './facts.js';
import { jobPod } from './jobPod.js';
import { isEnding, isSuspended, isTracked, trackingFinalizer } from './podOutcome.js';
import { sizing, type PodOrder } from './sizing.js';
import { completion, deadlineMs, finalType, interimType, isFinished, verdictOf, type Verdict } from './verdict.js';

const ownName = 'kubernetes.io/job-controller';

/** Runs Jobs: keeps as many pods running as there is work, counts how they end, and says how the Job ends. */
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
  const orphans = new QueueController(environment, { name: 'job_orphan_pod', workers: 1, sync: (key) => loop.freeOrphan(key) });
  const queueIfOrphan = (pod: Pod): void => {
    if (loop.isOrphan(pod)) orphans.queue.add(keyTextOf(pod));
  };
  orphans.needs(pods).addHandlers({
    added: queueIfOrphan,
    changed: (_, after) => {
      loop.seen(after);
      queueIfOrphan(after);
    },
    removed: (pod) => loop.gone(pod),
  });
  orphans.needs(jobs).addHandlers({
    removed: (job) => {
      for (const pod of loop.podsOf(job)) orphans.queue.add(keyTextOf(pod));
    },
  });
  return {
    name: 'job',
    run: async (signal) => {
      await Promise.all([controller.run(signal), orphans.run(signal)]);
    },
  };
}

class JobLoop {
  readonly expectations: Expectations;
  readonly #control: PodControl;
  readonly #backoffs = new Map<string, Backoff>();
  /** Uids of pods that were freed and still have the finalizer in the cache. */
  readonly #freed = new Set<string>();

  constructor(private readonly environment: ManagerEnvironment) {
    this.expectations = new Expectations(environment.clock);
    this.#control = new PodControl(environment.api, environment.events);
  }

  podsOf(job: Job): readonly Pod[] {
    return this.environment.informers.of(pods).cache.by(controllerIndex, uidOf(job));
  }
  seen(pod: Pod): void {
    if (!isTracked(pod)) this.#freed.delete(uidOf(pod));
  }
  gone(pod: Pod): void {
    this.#freed.delete(uidOf(pod));
  }

  async sync(key: string): Promise<SyncResult> {
    const { informers, clock, events } = this.environment;
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
    const owned = await ownedBy(this.environment, {
      ownerType: jobs,
      owner: job,
      type: pods,
      matches: (pod) => selects(job.spec?.selector, pod.metadata.labels),
      finalizer: trackingFinalizer,
    });
    const facts = factsOf(job, owned, this.#freed);
    return this.#proceed(key, found, facts, { settled, now });
  }

  async #proceed(
    key: string,
    before: Job,
    facts: Facts,
    { settled, now }: { readonly settled: boolean; readonly now: number },
  ): Promise<SyncResult> {
    const { job } = facts;
    let found = before;
    const backoff = withOutcomes(this.#backoffs.get(key) ?? noBackoff, facts.newlySucceeded, facts.newlyFailed);
    let verdict = verdictOf(facts, now);
    const tally: Tally = { active: facts.active.length, ready: facts.active.filter(isReady).length, terminating: facts.terminating };
    let againAfterMs = deadlineMs(job, now);
    let failure: unknown = null;
    let status = job.status ?? {};
    let told = (): void => undefined;
    if (verdict) {
      if (facts.active.length > 0 && !isEnding(job)) found = await this.#decide(found, verdict, now);
      failure = await this.#stop(job, facts.active, tally);
      // Pods that were not reached, or not seen yet, could still be counted otherwise.
      if (tally.active > 0 || !settled) verdict = null;
    } else {
      if (settled && !isTerminating(job)) {
        const managed = await this.#manage(key, facts, backoff, tally, now);
        failure = managed.failure;
        againAfterMs = earlier(againAfterMs, managed.againAfterMs);
        if (!completion(job, facts.succeeded, tally.active)) ({ status, told } = this.#withSuspension(job, now));
      }
      verdict = completion(job, facts.succeeded, tally.active);
    }
    await this.#account(found, { ...facts, job: { ...job, status } }, { verdict, tally, now, told });
    this.#backoffs.set(key, backoff);
    if (failure !== null) throw failure instanceof Error ? failure : new Error(String(failure));
    if (againAfterMs !== null) return { againAfterMs };
  }

  /** The decision is written before anything is deleted: should a conflict or an end of the manager come between, the next look must not take these pods for failures. */
  #decide(found: Job, verdict: Verdict, now: number): Promise<Job> {
    return this.environment.api.update(
      jobs,
      { ...found, status: { ...found.status, ...this.#interim(found.status ?? {}, verdict, now) } },
      { subresource: 'status' },
    );
  }

  /** Deletes what runs, because the Job ends. The finalizers stay: these pods count as failed. */
  async #stop(job: Job, active: readonly Pod[], tally: Tally): Promise<unknown> {
    const results = await Promise.allSettled(
      active.map(async (pod) => {
        await unless(isNotFound, this.#control.delete(job, pod));
        removeFrom(tally, pod);
      }),
    );
    return firstFailure(results);
  }

  async #manage(
    key: string,
    facts: Facts,
    backoff: Backoff,
    tally: Tally,
    now: number,
  ): Promise<{ readonly failure: unknown; readonly againAfterMs: number | null }> {
    const plan = sizing(facts, backoff, now);
    switch (plan.do) {
      case 'nothing':
        return { failure: null, againAfterMs: null };
      case 'wait':
        return { failure: null, againAfterMs: plan.ms };
      case 'delete':
        return { failure: await this.#remove(key, facts.job, plan.pods, tally), againAfterMs: null };
      case 'create':
        return { failure: await this.#create(key, facts.job, plan.orders, tally), againAfterMs: plan.againAfterMs };
    }
  }

  async #remove(key: string, job: Job, victims: readonly Pod[], tally: Tally): Promise<unknown> {
    this.expectations.expect(key, { deletions: victims.map(uidOf) });
    const results = await Promise.allSettled(
      victims.map(async (pod) => {
        try {
          await this.#free(pod);
          if (
            (await unless(
              isNotFound,
              this.#control.delete(job, pod).then(() => true),
            )) === null
          )
            this.expectations.deleted(key, uidOf(pod));
          removeFrom(tally, pod);
        } catch (error) {
          this.expectations.deleted(key, uidOf(pod));
          throw error;
        }
      }),
    );
    return firstFailure(results);
  }

  async #create(key: string, job: Job, orders: readonly PodOrder[], tally: Tally): Promise<unknown> {
    this.expectations.expect(key, { creations: orders.length });
    const { succeeded, failure } = await slowStart(orders.length, async (index) => {
      const order = orders[index];
      if (order) await this.#control.create(job, jobPod(job, order));
    });
    this.expectations.created(key, orders.length - succeeded);
    tally.active += succeeded;
    return isNamespaceTerminating(failure) ? null : failure;
  }

  /** `told` says so in an event, once it is written. */
  #withSuspension(job: Job, now: number): { readonly status: JobStatus; readonly told: () => void } {
    const status = job.status ?? {};
    const suspended = isSuspended(job);
    const [value, reason, message] = suspended
      ? (['True', 'JobSuspended', 'Job suspended'] as const)
      : (['False', 'JobResumed', 'Job resumed'] as const);
    const conditions = ensured(status.conditions ?? [], 'Suspended', value, reason, message, now);
    if (!conditions) return { status, told: () => undefined };
    const told = (): void => this.environment.events.normal(job, suspended ? 'Suspended' : 'Resumed', message);
    // The deadline must not run on while the Job sleeps.
    const { startTime: _, ...rest } = status;
    return { told, status: suspended ? { ...rest, conditions } : { ...rest, conditions, startTime: timeText(now) } };
  }

  /** Writes counters, frees pods, and at last says how the Job ended. */
  async #account(
    found: Job,
    facts: Facts,
    {
      verdict,
      tally,
      now,
      told,
    }: { readonly verdict: Verdict | null; readonly tally: Tally; readonly now: number; readonly told: () => void },
  ): Promise<void> {
    const { status, free, partial } = count(facts, verdict && (verdict.succeeds ? 'success' : 'failure'));
    let job: Job = {
      ...found,
      status: {
        ...status,
        active: tally.active,
        ready: tally.ready,
        terminating: tally.terminating,
        ...this.#interim(status, verdict, now),
      },
    };
    job = await this.#write(found, job);
    told();
    const freed = new Set<string>();
    const results = await Promise.allSettled(
      free.map(async (pod) => {
        await this.#free(pod);
        freed.add(uidOf(pod));
      }),
    );
    const tracked = new Set(
      facts.pods.filter((pod) => isTracked(pod) && !freed.has(uidOf(pod)) && !facts.freed.has(uidOf(pod))).map(uidOf),
    );
    const settledStatus = settle(job.status ?? {}, tracked);
    const failure = firstFailure(results);
    const done = failure === null && verdict !== null && !partial && !hasUncounted(settledStatus) && tally.terminating === 0;
    const final = done ? this.#final(settledStatus, verdict, now) : settledStatus;
    await this.#write(job, { ...job, status: final });
    if (done) this.#announce(found, verdict);
    if (failure !== null) throw failure instanceof Error ? failure : new Error(String(failure));
  }

  #interim(status: JobStatus, verdict: Verdict | null, now: number): Partial<JobStatus> {
    if (!verdict) return {};
    const conditions = ensured(status.conditions ?? [], interimType(verdict), 'True', verdict.reason, verdict.message, now);
    return conditions ? { conditions } : {};
  }

  #final(status: JobStatus, verdict: Verdict, now: number): JobStatus {
    const conditions =
      ensured(status.conditions ?? [], finalType(verdict), 'True', verdict.reason, verdict.message, now) ?? status.conditions ?? [];
    return { ...status, conditions, ...(verdict.succeeds ? { completionTime: timeText(now) } : {}) };
  }

  #announce(job: Job, verdict: Verdict): void {
    const { events } = this.environment;
    if (!verdict.succeeds) {
      events.warning(job, verdict.reason, verdict.message);
      return;
    }
    const { completions } = job.spec ?? {};
    if (completions !== undefined && (job.status?.succeeded ?? 0) > completions)
      events.warning(job, 'TooManySucceededPods', 'Too many succeeded pods running after completion count reached');
    events.normal(job, 'Completed', 'Job completed');
  }

  async #write(before: Job, after: Job): Promise<Job> {
    if (sameJson(counters(before), counters(after)) && before.status?.uncountedTerminatedPods !== undefined) return after;
    return this.environment.api.update(jobs, after, { subresource: 'status' });
  }

  /** Takes the tracking finalizer from a pod. Someone else may have done so, or the pod be gone. */
  async #free(pod: Pod): Promise<void> {
    if (!isTracked(pod) || this.#freed.has(uidOf(pod))) return;
    // Names the one finalizer, so that no version is needed: this controller may not read single pods, and a conflict would leave it without an answer.
    const body = { metadata: { uid: uidOf(pod), '$deleteFromPrimitiveList/finalizers': [trackingFinalizer] } };
    this.#freed.add(uidOf(pod));
    try {
      await unless((error) => isNotFound(error) || isInvalid(error), this.environment.api.patch(pods, keyOf(pod), strategicPatch(body)));
    } catch (error) {
      this.#freed.delete(uidOf(pod));
      throw error;
    }
  }

  /** Whether a pod waits for a Job that will not count it any more. */
  isOrphan(pod: Pod): boolean {
    if (!isTracked(pod) || this.#freed.has(uidOf(pod))) return false;
    const owner = controllerOf(pod);
    if (!owner) return true;
    if (owner.kind !== jobs.kind) return false;
    const job = this.environment.informers.of(jobs).cache.get(`${namespaceOf(pod)}/${owner.name}`);
    if (!job || uidOf(job) !== owner.uid) return true;
    return (job.spec?.managedBy === undefined || job.spec.managedBy === ownName) && isFinished(job);
  }

  async freeOrphan(key: string): Promise<void> {
    const { api, informers } = this.environment;
    const pod = informers.of(pods).cache.get(key);
    if (!pod || !this.isOrphan(pod)) return;
    const owner = controllerOf(pod);
    if (owner) {
      // The cache of Jobs may be behind that of pods.
      const job = await unless(isNotFound, api.get(jobs, { namespace: namespaceOf(pod), name: owner.name }));
      if (job && uidOf(job) === owner.uid && !isFinished(job)) return;
    }
    await this.#free(pod);
  }
}

interface Tally {
  active: number;
  ready: number;
  terminating: number;
}

/** A pod that is bound ends in its own time; any other is gone at once, unless a finalizer holds it. */
function removeFrom(tally: Tally, pod: Pod): void {
  tally.active--;
  if (isReady(pod)) tally.ready--;
  if (pod.spec?.nodeName) tally.terminating++;
}

const firstFailure = (results: readonly PromiseSettledResult<unknown>[]): unknown => {
  const failed = results.find((result) => result.status === 'rejected');
  return failed ? failed.reason : null;
};

const earlier = (a: number | null, b: number | null): number | null => (a === null ? b : b === null ? a : Math.min(a, b));
const started = (job: Job, now: number): Job =>
  job.status?.startTime !== undefined || isSuspended(job) ? job : { ...job, status: { ...job.status, startTime: timeText(now) } };
const counters = ({ status }: Job): object =>
  Object.fromEntries(Object.entries(status ?? {}).filter(([name, value]) => value !== 0 || name === 'ready' || name === 'terminating'));
