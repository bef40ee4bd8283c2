import type { SyncResult } from '../client/workQueue.js';
import { QueueController, type Controller } from '../client/controller.js';
import { isConflict, messageOf } from '../client/errors.js';
import { keyTextOf, nameOf } from '../../api/meta/object.js';
import { nodes, type Pod, pods, type Service, services } from '../../api/types/core/v1.js';
import { endpointSlices } from '../../api/types/discovery/v1.js';
import type { ManagerEnvironment } from '../environment.js';
import { followPods } from '../services/followPods.js';
import { followsPods, podsBehind } from '../services/membership.js';
import { TriggerTimes } from '../services/triggerTimes.js';
import { followSlices, serviceIndex } from '../slices/followSlices.js';
import { PendingWrites, staleAgainMs } from '../slices/pendingWrites.js';
import { SliceCounts } from '../slices/sliceCounts.js';
import { isManagedBy, writeSlices } from '../slices/sliceWrites.js';
import { planSlices, type SlicesPlan } from './plan.js';
import { manager } from './slice.js';
import { asksForTopology } from './topologyHints.js';
import { shareFacts, zoneShares } from './zoneShares.js';

const families = ['IPv4', 'IPv6'] as const;

export function endpointSliceController(environment: ManagerEnvironment): Controller {
  const { options } = environment;
  const loop = new EndpointSliceLoop(environment);
  const controller: QueueController = new QueueController(environment, {
    name: 'endpoint_slice',
    workers: options['concurrent-service-endpoint-syncs'],
    sync: (key) => loop.sync(key),
    backoffFirstMs: 1_000,
    backoffMaxMs: 100_000,
  });
  controller.watch(services);
  followPods(controller, options['endpointslice-updates-batch-period']);
  followSlices(controller, manager, loop.pending);
  const queueZoned = (): void => {
    for (const service of environment.informers.of(services).cache.list())
      if (asksForTopology(service)) controller.queue.add(keyTextOf(service));
  };
  controller.needs(nodes).addHandlers({
    added: (node) => {
      for (const key of loop.waitingFor(nameOf(node))) controller.queue.add(key);
      queueZoned();
    },
    // Most node reports, sent every few seconds, do not matter here.
    changed: (before, after) => {
      if (before !== after && shareFacts(before) !== shareFacts(after)) queueZoned();
    },
    removed: queueZoned,
  });
  return controller;
}

class EndpointSliceLoop {
  readonly #environment: ManagerEnvironment;
  readonly pending: PendingWrites;
  readonly #triggers = new TriggerTimes();
  /** Services with topology hints, by key and family. */
  readonly #zoned = new Set<string>();
  readonly #waiting = new Map<string, Set<string>>();
  /** The last event about pods that a Service cannot have. */
  readonly #skipped = new Map<string, string>();
  readonly #counts: SliceCounts;

  constructor(environment: ManagerEnvironment) {
    this.#environment = environment;
    this.pending = new PendingWrites(environment.clock);
    this.#counts = new SliceCounts(environment.measures, 'endpoint_slice_controller');
  }

  /** Returns and forgets Services that lack a pod because its node is unknown. */
  waitingFor(node: string): Iterable<string> {
    const keys = this.#waiting.get(node) ?? [];
    this.#waiting.delete(node);
    return keys;
  }

  async sync(key: string): Promise<SyncResult> {
    const { api, informers, options } = this.#environment;
    const service = informers.of(services).cache.get(key);
    if (!service) {
      this.#forget(key);
      return;
    }
    if (!followsPods(service)) return;
    const selected = podsBehind(service, informers.of(pods).cache);
    const slices = informers
      .of(endpointSlices)
      .cache.by(serviceIndex, key)
      .filter((slice) => isManagedBy(manager, slice));
    if (this.pending.isStale(key, slices)) {
      this.#synced('stale');
      return { againAfterMs: staleAgainMs };
    }
    const plan = planSlices({
      service,
      pods: selected,
      slices,
      nodeOf: (name) => informers.of(nodes).cache.get(name),
      zoneShares: () => zoneShares(informers.of(nodes).cache.list()),
      endpointsMax: options['max-endpoints-per-slice'],
      triggerTime: this.#triggers.next(service, selected),
    });
    try {
      await writeSlices(api, service, plan, this.pending);
    } catch (error) {
      this.#synced('error');
      if (!isConflict(error)) this.#report(service, messageOf(error));
      throw error;
    }
    this.#synced('success');
    this.#counts.wrote(key, slices, plan);
    this.#tellOfTopology(service, plan);
    this.#tellOfStranded(service, plan.stranded);
  }

  #synced(result: 'success' | 'stale' | 'error'): void {
    this.#environment.measures.count('endpoint_slice_controller_syncs', { result });
  }

  #report(service: Service, message: string): void {
    this.#environment.events.warning(
      service,
      'FailedToUpdateEndpointSlices',
      `Error updating Endpoint Slices for Service ${keyTextOf(service)}: ${message}`,
    );
  }

  /** Records an event at begin and end, and for each impossible request. */
  #tellOfTopology(service: Service, { topology }: SlicesPlan): void {
    const { events } = this.#environment;
    const disabled = (family: string, message: string): void =>
      events.warning(service, 'TopologyAwareHintsDisabled', `${message}, addressType: ${family}`);
    for (const family of families) {
      const word = `${keyTextOf(service)} ${family}`;
      const state = topology.find((entry) => entry.family === family);
      if (!state) {
        if (this.#zoned.delete(word)) disabled(family, 'Topology Aware Hints has been disabled');
        continue;
      }
      if (state.refusal !== null) {
        this.#zoned.delete(word);
        disabled(family, state.refusal);
        continue;
      }
      if (!this.#zoned.has(word))
        events.normal(service, 'TopologyAwareHintsEnabled', `Topology Aware Hints has been enabled, addressType: ${family}`);
      this.#zoned.add(word);
    }
  }

  /** Waits for the nodes of pods, and reports all of them when the set has changed. */
  #tellOfStranded(service: Service, stranded: readonly Pod[]): void {
    const key = keyTextOf(service);
    for (const { spec } of stranded) {
      const node = spec?.nodeName ?? '';
      this.#waiting.set(node, (this.#waiting.get(node) ?? new Set()).add(key));
    }
    const each = stranded.map((pod) => `skipping Pod ${nameOf(pod)} for Service ${key}: Node ${pod.spec?.nodeName ?? ''} Not Found`);
    const message = each.length > 1 ? `[${each.join(', ')}]` : each.join('');
    if (message !== '' && message !== this.#skipped.get(key)) this.#report(service, message);
    if (message === '') this.#skipped.delete(key);
    else this.#skipped.set(key, message);
  }

  #forget(key: string): void {
    this.#counts.forget(key);
    this.pending.forget(key);
    this.#skipped.delete(key);
    this.#triggers.forget(key);
    for (const family of families) this.#zoned.delete(`${key} ${family}`);
    for (const keys of this.#waiting.values()) keys.delete(key);
  }
}
