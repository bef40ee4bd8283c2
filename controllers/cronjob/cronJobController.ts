import type { SyncResult } from '../client/workQueue.js';
import { QueueController, type Controller } from '../client/controller.js';
import { isAlreadyExists, isNamespaceTerminating, isNotFound, messageOf, unless } from '../client/errors.js';
import { isControlledBy, keyOf, keyTextOf, nameOf, uidOf } from '../../api/meta/object.js';
import { timeText } from '../../api/time.js';
import { type CronJob, cronJobs, type Job, jobs } from '../../api/types/batch/v1.js';
import type { ManagerEnvironment } from '../environment.js';
import { controllerIndex, follow } from '../workloads/following.js';
import { sameMeaning } from '../../api/json/equality.js';
import { activeOf, review, superfluousJobs, type ActiveRef } from './history.js';
import { isReadable, plan, waitAfterChange, type Plan, type Remark } from './plan.js';

export function cronJobController(environment: ManagerEnvironment): Controller {
  const loop = new CronJobLoop(environment);
  const controller: QueueController = new QueueController(environment, {
    name: 'cronjob',
    workers: environment.options['concurrent-cron-job-syncs'],
    sync: (key) => loop.sync(key),
  });
  const add = (cronJob: CronJob): void => controller.queue.add(keyTextOf(cronJob));
  controller
    .needs(cronJobs)
    .addHandlers({ added: add, removed: add, changed: (before, after) => loop.changed(controller.queue, before, after) });
  follow(controller, { ownerType: cronJobs, type: jobs, wouldAdopt: () => false });
  return controller;
}

interface Look {
  cronJob: CronJob;
}

function without(cronJob: CronJob, uids: ReadonlySet<string | undefined>): CronJob {
  const active = activeOf(cronJob).filter(({ uid }) => !uids.has(uid));
  return active.length === activeOf(cronJob).length ? cronJob : { ...cronJob, status: { ...cronJob.status, active } };
}

class CronJobLoop {
  readonly #environment: ManagerEnvironment;

  /** The zone of schedules without one. */
  readonly #localZone: string;

  constructor(environment: ManagerEnvironment, localZone = new Intl.DateTimeFormat().resolvedOptions().timeZone) {
    this.#environment = environment;

    this.#localZone = localZone;
  }

  /** A new schedule begins with its next time and does not catch up. */
  changed(queue: QueueController['queue'], before: CronJob, after: CronJob): void {
    const isNew = before.spec?.schedule !== after.spec?.schedule || before.spec?.timeZone !== after.spec?.timeZone;
    if (!isNew) {
      queue.add(keyTextOf(after));
      return;
    }
    if (!isReadable(after, this.#localZone)) {
      this.#environment.events.warning(
        after,
        'UnParseableCronJobSchedule',
        `unparseable schedule for cronjob: ${after.spec?.schedule ?? ''}`,
      );
      return;
    }
    const waitMs = waitAfterChange(after, this.#environment.clock.now(), this.#localZone);
    if (waitMs === null) queue.add(keyTextOf(after));
    else queue.addAfter(keyTextOf(after), waitMs);
  }

  async sync(key: string): Promise<SyncResult> {
    const { informers, clock } = this.#environment;
    const cronJob = informers.of(cronJobs).cache.get(key);
    if (!cronJob) return;
    const owned = informers.of(jobs).cache.by(controllerIndex, uidOf(cronJob));
    const look: Look = { cronJob };
    let again: number | null = null;
    try {
      await this.#prune(look, owned);
      await this.#review(look, owned);
      const next = plan(look.cronJob, clock.now(), this.#localZone);
      for (const remark of next.remarks) this.#tell(cronJob, remark);
      if (next.start) await this.#start(look, next.start);
      again = next.againAfterMs;
    } finally {
      // Completed steps are recorded even if the rest failed.
      await this.#write(cronJob, look.cronJob);
    }
    if (again !== null) return { againAfterMs: again };
  }

  async #prune(look: Look, owned: readonly Job[]): Promise<void> {
    for (const job of superfluousJobs(look.cronJob, owned)) await this.#delete(look, job);
  }

  async #review(look: Look, owned: readonly Job[]): Promise<void> {
    const { api, events } = this.#environment;
    const found = review(look.cronJob, owned);
    if (found.unexpected.length > 0) await this.#compareLists(look, found.unexpected);
    for (const { job, condition } of found.completed)
      events.normal(look.cronJob, 'SawCompletedJob', `Saw completed job: ${nameOf(job)}, condition: ${condition}`);
    look.cronJob = without(look.cronJob, new Set(found.completed.map(({ job }) => uidOf(job))));
    if (found.lastSuccessfulTime !== undefined)
      look.cronJob = { ...look.cronJob, status: { ...look.cronJob.status, lastSuccessfulTime: found.lastSuccessfulTime } };
    for (const ref of found.unseen) {
      // The cache may lag.
      if (await unless(isNotFound, api.get(jobs, { namespace: ref.namespace ?? '', name: ref.name ?? '' }))) continue;
      events.normal(look.cronJob, 'MissingJob', `Active job went missing: ${ref.name ?? ''}`);
      look.cronJob = without(look.cronJob, new Set([ref.uid]));
    }
  }

  /** An unlisted Job may be new and missing in the cached status; or the manager ended between the two writes. */
  async #compareLists(look: Look, unexpected: readonly Job[]): Promise<void> {
    const latest = await this.#environment.api.get(cronJobs, keyOf(look.cronJob));
    const listed = new Set(activeOf(latest).map(({ uid }) => uid));
    if (unexpected.some((job) => listed.has(uidOf(job)))) look.cronJob = latest;
    for (const job of unexpected)
      if (!listed.has(uidOf(job)))
        this.#environment.events.warning(
          look.cronJob,
          'UnexpectedJob',
          `Saw a job that the controller did not create or forgot: ${nameOf(job)}`,
        );
  }

  async #start(look: Look, { at, job, replaces }: NonNullable<Plan['start']>): Promise<void> {
    for (const ref of replaces) await this.#replace(look, ref);
    const created = await this.#create(look, job);
    if (!created) return;
    const { clock, measures } = this.#environment;
    measures.observe('cronjob_controller_job_creation_skew_duration_seconds', {}, (clock.now() - at) / 1000);
    const { namespace, name, uid, resourceVersion } = created.metadata;
    const ref: ActiveRef = {
      kind: jobs.kind,
      apiVersion: 'batch/v1',
      ...(namespace ? { namespace } : {}),
      ...(name ? { name } : {}),
      ...(uid ? { uid } : {}),
      ...(resourceVersion ? { resourceVersion } : {}),
    };
    look.cronJob = {
      ...look.cronJob,
      status: { ...look.cronJob.status, active: [...activeOf(look.cronJob), ref], lastScheduleTime: timeText(at) },
    };
  }

  async #replace(look: Look, ref: ActiveRef): Promise<void> {
    const { api, events } = this.#environment;
    const job = await api.get(jobs, { namespace: ref.namespace ?? '', name: ref.name ?? '' }).catch((error: unknown) => {
      events.warning(look.cronJob, 'FailedGet', `Get job: ${messageOf(error)}`);
      throw error;
    });
    if (!(await this.#delete(look, job))) throw new Error(`could not replace job ${keyTextOf(job)}`);
  }

  /** Returns the Job of a run that is not listed yet; null when it is listed or has another owner. */
  async #create(look: Look, job: Job): Promise<Job | null> {
    const { api, events } = this.#environment;
    try {
      const created = await api.create(jobs, job);
      events.normal(look.cronJob, 'SuccessfulCreate', `Created job ${nameOf(created)}`);
      return created;
    } catch (error) {
      if (isNamespaceTerminating(error)) return null;
      if (!isAlreadyExists(error)) {
        events.warning(look.cronJob, 'FailedCreate', `Error creating job: ${messageOf(error)}`);
        throw error;
      }
    }
    // An earlier attempt created it without writing its status.
    const there = await api.get(jobs, keyOf(job));
    return isControlledBy(there, look.cronJob) && !activeOf(look.cronJob).some(({ uid }) => uid === uidOf(there)) ? there : null;
  }

  async #delete(look: Look, job: Job): Promise<boolean> {
    const { api, events } = this.#environment;
    try {
      await api.delete(jobs, keyOf(job), { propagationPolicy: 'Background' });
    } catch (error) {
      if (!isNotFound(error)) {
        events.warning(look.cronJob, 'FailedDelete', `Deleted job: ${messageOf(error)}`);
        return false;
      }
      look.cronJob = without(look.cronJob, new Set([uidOf(job)]));
      return true;
    }
    look.cronJob = without(look.cronJob, new Set([uidOf(job)]));
    events.normal(look.cronJob, 'SuccessfulDelete', `Deleted job ${nameOf(job)}`);
    return true;
  }

  #tell(cronJob: CronJob, { type, reason, message }: Remark): void {
    const { events } = this.#environment;
    if (type === 'Normal') events.normal(cronJob, reason, message);
    else events.warning(cronJob, reason, message);
  }

  async #write(before: CronJob, after: CronJob): Promise<void> {
    if (sameMeaning(before.status, after.status)) return;
    await unless(isNotFound, this.#environment.api.update(cronJobs, after, { subresource: 'status' }));
  }
}
