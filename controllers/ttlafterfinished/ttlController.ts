import type { SyncResult } from '../client/workQueue.js';
import { QueueController, type Controller } from '../client/controller.js';
import { isConflict, isNotFound, unless } from '../client/errors.js';
import { isTerminating, keyOf, keyTextOf, parseKey, uidOf } from '../../api/meta/object.js';
import { type Job, jobs } from '../../api/types/batch/v1.js';
import type { ManagerEnvironment } from '../environment.js';
import { remainingMs } from './remaining.js';

export function ttlController(environment: ManagerEnvironment): Controller {
  const controller = new QueueController(environment, {
    name: 'ttl_jobs_to_delete',
    workers: environment.options['concurrent-ttl-after-finished-syncs'],
    sync: (key) => syncFinishedJob(environment, key),
  });
  const add = (job: Job): void => {
    if (job.spec?.ttlSecondsAfterFinished !== undefined && !isTerminating(job)) controller.queue.add(keyTextOf(job));
  };
  controller.needs(jobs).addHandlers({ added: add, changed: (_, after) => add(after) });
  return controller;
}

async function syncFinishedJob({ api, informers, clock, measures }: ManagerEnvironment, key: string): Promise<SyncResult> {
  const cached = informers.of(jobs).cache.get(key);
  const waitMs = cached ? remainingMs(cached, clock.now()) : null;
  if (waitMs === null) return;
  if (waitMs > 0) return { againAfterMs: waitMs };
  // A client may just have raised the TTL.
  const latest = await unless(isNotFound, api.get(jobs, parseKey(key)));
  const stillMs = latest ? remainingMs(latest, clock.now()) : null;
  if (latest === null || stillMs === null) return;
  if (stillMs > 0) return { againAfterMs: stillMs };
  const deleted = api
    .delete(jobs, keyOf(latest), { propagationPolicy: 'Foreground', preconditions: { uid: uidOf(latest) } })
    .then(() => measures.observe('ttl_after_finished_controller_job_deletion_duration_seconds', {}, -stillMs / 1000));
  await unless((error) => isNotFound(error) || isConflict(error), deleted);
}
