import { QueueController, type Controller } from '../client/controller.js';
import { isConflict, messageOf } from '../client/errors.js';
import { keyTextOf, nameOf, namespaceOf } from '../client/object.js';
import type { ManagerEnvironment } from '../environment.js';
import { nodes, pods, services, type Pod, type Service } from '../kinds/core.js';
import { endpointSlices } from '../kinds/others.js';
import { followPods } from '../services/followPods.js';
import { followsPods, isSelected } from '../services/membership.js';
import { TriggerTimes } from '../services/triggerTimes.js';
import { followSlices, serviceIndex } from '../slices/followSlices.js';
import { PendingWrites } from '../slices/pendingWrites.js';
import { isManagedBy, writeSlices } from '../slices/sliceWrites.js';
import { planSlices } from './plan.js';
import { manager } from './slice.js';

/** While the cache lags behind our own writes, a change of it calls; this is for one that never comes. */
const staleAgainMs = 5_000;

/** Keeps the slices of each Service equal to the pods that it selects. */
export function endpointSliceController(environment: ManagerEnvironment): Controller {
  const { options } = environment;
  const loop = new EndpointSliceLoop(environment);
  const controller: QueueController = new QueueController(environment, {
    name: 'endpoint_slice', workers: options['concurrent-service-endpoint-syncs'], sync: key => loop.sync(key), backoffFirstMs: 1_000, backoffMaxMs: 100_000,
  });
  controller.watch(services);
  followPods(controller, options['endpointslice-updates-batch-period']);
  followSlices(controller, manager, loop.pending);
  controller.needs(nodes).addHandlers({ added: node => { for (const key of loop.waitingFor(nameOf(node))) controller.queue.add(key); } });
  return controller;
}

export class EndpointSliceLoop {
  readonly pending: PendingWrites;
  readonly #triggers = new TriggerTimes();
  /** Services by the node that they wait for. */
  readonly #waiting = new Map<string, Set<string>>();

  constructor(private readonly environment: ManagerEnvironment) { this.pending = new PendingWrites(environment.clock); }

  /** The Services that miss a pod because its node is not known, and forgets them. */
  waitingFor(node: string): Iterable<string> {
    const keys = this.#waiting.get(node) ?? [];
    this.#waiting.delete(node);
    return keys;
  }

  async sync(key: string): Promise<void | { readonly againAfterMs: number }> {
    const { api, informers, options } = this.environment;
    const service = informers.of(services).cache.get(key);
    if (!service) { this.#forget(key); return; }
    if (!followsPods(service)) return;
    const selected = informers.of(pods).cache.inNamespace(namespaceOf(service)).filter(pod => isSelected(service, pod));
    const slices = informers.of(endpointSlices).cache.by(serviceIndex, key).filter(slice => isManagedBy(manager, slice));
    if (this.pending.isStale(key, slices)) return { againAfterMs: staleAgainMs };
    const plan = planSlices({ service, pods: selected, slices, nodeOf: name => informers.of(nodes).cache.get(name), endpointsMax: options['max-endpoints-per-slice'], triggerTime: this.#triggers.next(service, selected) });
    try {
      await writeSlices(api, service, plan, this.pending);
    } catch (error) {
      if (!isConflict(error)) this.#complain(service, messageOf(error));
      throw error;
    }
    for (const pod of this.#await(key, plan.stranded)) this.#complain(service, `skipping Pod ${nameOf(pod)} for Service ${key}: Node ${pod.spec?.nodeName ?? ''} Not Found`);
  }

  #complain(service: Service, message: string): void {
    this.environment.events.warning(service, 'FailedToUpdateEndpointSlices', `Error updating Endpoint Slices for Service ${keyTextOf(service)}: ${message}`);
  }

  /** Those that nobody waited for yet. */
  #await(key: string, stranded: readonly Pod[]): readonly Pod[] {
    return stranded.filter(({ spec }) => {
      const node = spec?.nodeName ?? '';
      const keys = this.#waiting.get(node) ?? new Set();
      this.#waiting.set(node, keys);
      return !keys.has(key) && keys.add(key);
    });
  }

  #forget(key: string): void {
    this.pending.forget(key);
    this.#triggers.forget(key);
    for (const keys of this.#waiting.values()) keys.delete(key);
  }
}
