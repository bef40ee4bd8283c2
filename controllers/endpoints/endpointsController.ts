import { QueueController, type Controller } from '../client/controller.js';
import type { SyncResult } from '../client/workQueue.js';
import { isConflict, isNamespaceTerminating, isNotFound, messageOf, unless } from '../client/errors.js';
import { keyTextOf, parseKey } from '../../api/meta/object.js';
import { endpoints, type Endpoints, pods, services } from '../../api/types/core/v1.js';
import type { ManagerEnvironment } from '../environment.js';
import { followPods } from '../services/followPods.js';
import { followsPods, podsBehind } from '../services/membership.js';
import { PendingWrites, staleAgainMs } from '../slices/pendingWrites.js';
import { TriggerTimes } from '../services/triggerTimes.js';
import { planEndpoints } from './plan.js';
import { locksElection } from '../../api/meta/election.js';

/** Keeps the Endpoints of each Service equal to its selected pods, for clients that do not read slices. */
export function endpointsController(environment: ManagerEnvironment): Controller {
  const { options } = environment;
  const loop = new EndpointsLoop(environment);
  const { cache } = environment.informers.of(endpoints);
  const controller: QueueController = new QueueController(environment, {
    name: 'endpoint',
    workers: options['concurrent-endpoint-syncs'],
    sync: (key) => loop.sync(key),
    backoffFirstMs: 1_000,
    backoffMaxMs: 100_000,
    // Removes Endpoints of Services that were deleted while no manager ran. Later ones without a Service belong to users.
    background: async () => {
      for (const object of cache.list()) if (!locksElection(object.metadata)) controller.queue.add(keyTextOf(object));
    },
  });
  controller.watch(services);
  followPods(controller, options['endpoint-updates-batch-period']);
  const queue = (object: Endpoints): void => {
    if (environment.informers.of(services).cache.get(keyTextOf(object))) controller.queue.add(keyTextOf(object));
  };
  controller.needs(endpoints).addHandlers({
    added: queue,
    changed: (before, after) => {
      if (before !== after) queue(after);
    },
    removed: (object) => {
      loop.pending.sawEnd(keyTextOf(object), object);
      queue(object);
    },
  });
  return controller;
}

class EndpointsLoop {
  readonly #environment: ManagerEnvironment;
  readonly #triggers = new TriggerTimes();
  /** A plan that ignores own writes creates twice, and loses the trigger time. */
  readonly pending: PendingWrites;

  constructor(environment: ManagerEnvironment) {
    this.#environment = environment;
    this.pending = new PendingWrites(environment.clock);
  }

  async sync(key: string): Promise<SyncResult> {
    const { api, informers } = this.#environment;
    const service = informers.of(services).cache.get(key);
    const current = informers.of(endpoints).cache.get(key) ?? null;
    if (!service) {
      this.#triggers.forget(key);
      this.pending.forget(key);
      if (current && !locksElection(current.metadata)) await unless(isNotFound, api.delete(endpoints, parseKey(key)));
      return;
    }
    if (!followsPods(service)) return;
    if (this.pending.isStale(key, current ? [current] : [])) return { againAfterMs: staleAgainMs };
    const selected = podsBehind(service, informers.of(pods).cache);
    const wanted = planEndpoints({ service, pods: selected, current, triggerTime: this.#triggers.next(service, selected) });
    if (wanted) await this.#write(wanted, current === null);
  }

  async #write(wanted: Endpoints, isNew: boolean): Promise<void> {
    const { api, events } = this.#environment;
    const key = keyTextOf(wanted);
    // A new object lacks a kind.
    const about = { apiVersion: 'v1', kind: 'Endpoints', ...wanted };
    try {
      const written = await unless(isNamespaceTerminating, isNew ? api.create(endpoints, wanted) : api.update(endpoints, wanted));
      if (written) this.pending.wrote(key, written);
    } catch (error) {
      if (isNew) events.warning(about, 'FailedToCreateEndpoint', `Failed to create endpoint for service ${key}: ${messageOf(error)}`);
      else if (!isConflict(error)) events.warning(about, 'FailedToUpdateEndpoint', `Failed to update endpoint ${key}: ${messageOf(error)}`);
      throw error;
    }
  }
}
