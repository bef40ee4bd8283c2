import { isTerminating, keyOf, keyTextOf, nameOf } from '../../api/meta/object.js';
import { type Node, nodes, type Service, services } from '../../api/types/core/v1.js';
import { mergePatch } from '../client/api.js';
import { QueueController, type Controller } from '../client/controller.js';
import { isNotFound, messageOf, unless } from '../client/errors.js';
import type { ManagerEnvironment } from '../environment.js';
import { conditionOf } from '../workloads/podState.js';
import { sameMeaning } from '../../api/json/equality.js';
import type { LoadBalancers } from './provider.js';

const finalizer = 'service.kubernetes.io/load-balancer-cleanup';
const excluded = 'node.kubernetes.io/exclude-from-external-load-balancers';
const leaving = 'ToBeDeletedByClusterAutoscaler';

/** Services of a load balancer class belong to another controller. Pure. */
const wantsBalancer = (service: Service): boolean =>
  service.spec?.type === 'LoadBalancer' && service.spec.loadBalancerClass === undefined && !isTerminating(service);

/** Returns nodes that a balancer may send to, by name. Pure. */
const hostsOf = (all: readonly Node[]): readonly Node[] =>
  all
    .filter(
      ({ metadata, spec, status }) =>
        metadata.labels?.[excluded] === undefined &&
        !spec?.taints?.some(({ key }) => key === leaving) &&
        conditionOf(status?.conditions, 'Ready')?.status === 'True',
    )
    .sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));

const namesOf = (all: readonly Node[]): string => all.map(nameOf).join(' ');

/** Null without a cloud that has balancers. */
export function serviceBalancerController(environment: ManagerEnvironment): Controller | null {
  const balancers = environment.cloud?.loadBalancers;
  return balancers ? new ServiceBalancers(environment, balancers).controller : null;
}

class ServiceBalancers {
  readonly controller: QueueController;
  readonly #environment: ManagerEnvironment;
  readonly #balancers: LoadBalancers;
  /** Service -> the hosts last given to its balancer. */
  readonly #given = new Map<string, string>();
  /** Services whose balancer needs a full update, not only of hosts. */
  readonly #changed = new Set<string>();

  constructor(environment: ManagerEnvironment, balancers: LoadBalancers) {
    this.#environment = environment;
    this.#balancers = balancers;
    this.controller = new QueueController(environment, {
      name: 'service',
      workers: environment.options['concurrent-service-syncs'],
      sync: (key) => this.#sync(key),
    });
    this.#follow();
  }

  #follow(): void {
    const { cache } = this.#environment.informers.of(services);
    const queue = (service: Service): void => this.controller.queue.add(keyTextOf(service));
    this.controller.needs(services).addHandlers({
      added: queue,
      changed: (before, after) => {
        if (sameMeaning(before.spec, after.spec) && isTerminating(before) === isTerminating(after)) return;
        this.#changed.add(keyTextOf(after));
        queue(after);
      },
      removed: queue,
    });
    const queueAll = (): void => cache.list().filter(wantsBalancer).forEach(queue);
    this.controller.needs(nodes).addHandlers({
      added: queueAll,
      removed: queueAll,
      changed: (before, after) => {
        if (hostsOf([before]).length !== hostsOf([after]).length) queueAll();
      },
    });
  }

  async #sync(key: string): Promise<void> {
    const service = this.#environment.informers.of(services).cache.get(key);
    if (!service) {
      this.#given.delete(key);
      return;
    }
    if (!wantsBalancer(service)) {
      if (service.metadata.finalizers?.includes(finalizer)) await this.#remove(service, key);
      return;
    }
    if (this.#given.has(key) && !this.#changed.has(key)) {
      await this.#setHosts(service, key);
      return;
    }
    await this.#ensure(service, key);
    this.#changed.delete(key);
  }

  async #ensure(service: Service, key: string): Promise<void> {
    const { events, measures } = this.#environment;
    const { finalizers = [] } = service.metadata;
    if (!finalizers.includes(finalizer)) await this.#patch(service, { metadata: { finalizers: [...finalizers, finalizer] } });
    events.normal(service, 'EnsuringLoadBalancer', 'Ensuring load balancer');
    const to = this.#hosts();
    if (to.length === 0) events.warning(service, 'UnAvailableLoadBalancer', 'There are no available nodes for LoadBalancer');
    const loadBalancer = await this.#reporting(service, 'SyncLoadBalancerFailed', 'Error syncing load balancer', () =>
      this.#balancers.ensure(service, to),
    );
    this.#given.set(key, namesOf(to));
    measures.count('service_controller_loadbalancer_sync_total', {});
    if (!sameMeaning(service.status?.loadBalancer, loadBalancer)) await this.#patch(service, { status: { loadBalancer } });
    events.normal(service, 'EnsuredLoadBalancer', 'Ensured load balancer');
  }

  async #remove(service: Service, key: string): Promise<void> {
    const { events } = this.#environment;
    events.normal(service, 'DeletingLoadBalancer', 'Deleting load balancer');
    await this.#reporting(service, 'DeleteLoadBalancerFailed', 'Error deleting load balancer', () => this.#balancers.remove(service));
    this.#given.delete(key);
    const { finalizers = [] } = service.metadata;
    const kept = finalizers.filter((name) => name !== finalizer);
    await this.#patch(service, { metadata: { finalizers: kept }, status: { loadBalancer: null } });
    events.normal(service, 'DeletedLoadBalancer', 'Deleted load balancer');
  }

  async #setHosts(service: Service, key: string): Promise<void> {
    const { events, measures } = this.#environment;
    const to = this.#hosts();
    if (this.#given.get(key) === namesOf(to)) return;
    await this.#reporting(service, 'UpdateLoadBalancerFailed', 'Error updating load balancer with new hosts', async () => {
      try {
        await this.#balancers.setHosts(service, to);
      } catch (error) {
        measures.count('service_controller_nodesync_error_total', {});
        throw error;
      }
    });
    this.#given.set(key, namesOf(to));
    events.normal(service, 'UpdatedLoadBalancer', 'Updated load balancer with new hosts');
  }

  #hosts(): readonly Node[] {
    return hostsOf(this.#environment.informers.of(nodes).cache.list());
  }

  /** Writes a warning about a failure of the cloud, which the queue retries. */
  async #reporting<T>(service: Service, reason: string, message: string, act: () => Promise<T>): Promise<T> {
    try {
      return await act();
    } catch (error) {
      this.#environment.events.warning(service, reason, `${message}: ${messageOf(error)}`);
      throw error;
    }
  }

  async #patch(service: Service, body: object): Promise<void> {
    await unless(isNotFound, this.#environment.api.patch(services, keyOf(service), mergePatch(body), { subresource: 'status' }));
  }
}
