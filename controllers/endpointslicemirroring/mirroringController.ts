import type { SyncResult } from '../client/workQueue.js';
import { QueueController, type Controller } from '../client/controller.js';
import { isNotFound, unless } from '../client/errors.js';
import { keyOf, keyTextOf } from '../../api/meta/object.js';
import { endpoints, type Endpoints, services } from '../../api/types/core/v1.js';
import { type EndpointSlice, endpointSlices } from '../../api/types/discovery/v1.js';
import type { ManagerEnvironment } from '../environment.js';
import { hasSelector } from '../services/membership.js';
import { followSlices, serviceIndex } from '../slices/followSlices.js';
import { PendingWrites, staleAgainMs } from '../slices/pendingWrites.js';
import { SliceCounts } from '../slices/sliceCounts.js';
import { isManagedBy, writeSlices } from '../slices/sliceWrites.js';
import { isToBeMirrored, manager, planMirror } from './plan.js';

/** Keeps slices equal to Endpoints that users write for Services without selectors. */
export function endpointSliceMirroringController(environment: ManagerEnvironment): Controller {
  const { options } = environment;
  const loop = new MirroringLoop(environment);
  const controller: QueueController = new QueueController(environment, {
    name: 'endpoint_slice_mirroring',
    workers: options['mirroring-concurrent-service-endpoint-syncs'],
    sync: (key) => loop.sync(key),
    backoffFirstMs: 1_000,
    backoffMaxMs: 100_000,
  });
  controller.watch(services);
  const queue = (object: Endpoints): void => {
    if (isToBeMirrored(object)) controller.queue.addAfter(keyTextOf(object), options['mirroring-endpointslice-updates-batch-period']);
  };
  controller.needs(endpoints).addHandlers({
    added: queue,
    removed: queue,
    changed: (before, after) => {
      if (before === after) return;
      queue(before);
      queue(after);
    },
  });
  followSlices(controller, manager, loop.pending);
  return controller;
}

class MirroringLoop {
  readonly #environment: ManagerEnvironment;
  readonly pending: PendingWrites;
  readonly #counts: SliceCounts;

  constructor(environment: ManagerEnvironment) {
    this.#environment = environment;
    this.pending = new PendingWrites(environment.clock);
    this.#counts = new SliceCounts(environment.measures, 'endpoint_slice_mirroring_controller');
  }

  async sync(key: string): Promise<SyncResult> {
    const { clock, measures } = this.#environment;
    const startedAt = clock.elapsed();
    try {
      return await this.#reach(key);
    } finally {
      measures.observe('endpoint_slice_mirroring_controller_endpoints_sync_duration', {}, (clock.elapsed() - startedAt) / 1000);
    }
  }

  async #reach(key: string): Promise<SyncResult> {
    const { api, informers, options, measures } = this.#environment;
    const source = informers.of(endpoints).cache.get(key);
    const service = informers.of(services).cache.get(key);
    const slices = informers
      .of(endpointSlices)
      .cache.by(serviceIndex, key)
      .filter((slice) => isManagedBy(manager, slice));
    if (!source || !service || hasSelector(service) || !isToBeMirrored(source)) {
      await this.#removeAll(key, slices);
      return;
    }
    if (this.pending.isStale(key, slices)) return { againAfterMs: staleAgainMs };
    const plan = planMirror(source, slices, options['mirroring-max-endpoints-per-subset']);
    this.#tell(source, plan);
    measures.observe('endpoint_slice_mirroring_controller_addresses_skipped_per_sync', {}, plan.invalid + plan.excess);
    await writeSlices(api, source, plan, this.pending);
    this.#counts.wrote(key, slices, plan);
  }

  #tell(source: Endpoints, { invalid, excess }: { readonly invalid: number; readonly excess: number }): void {
    const { events, options } = this.#environment;
    if (invalid > 0) events.warning(source, 'InvalidIPAddress', `Skipped ${invalid} invalid IP addresses when mirroring to EndpointSlices`);
    if (excess > 0)
      events.warning(
        source,
        'TooManyAddressesToMirror',
        `A max of ${options['mirroring-max-endpoints-per-subset']} addresses can be mirrored to EndpointSlices per Endpoints subset. ${invalid + excess} addresses were skipped`,
      );
  }

  async #removeAll(key: string, slices: readonly EndpointSlice[]): Promise<void> {
    this.pending.forget(key);
    this.#counts.forget(key);
    for (const slice of slices) await unless(isNotFound, this.#environment.api.delete(endpointSlices, keyOf(slice)));
  }
}
