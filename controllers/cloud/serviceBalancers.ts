import { isTerminating, keyOf, keyTextOf, nameOf } from '../../api/meta/object.js';
import { type LoadBalancerStatus, type Node, nodes, type Service, services } from '../../api/types/core/v1.js';
import { mergePatch } from '../client/api.js';
import { QueueController, type Controller } from '../client/controller.js';
import { isNotFound, messageOf, unless } from '../client/errors.js';
import type { ManagerEnvironment } from '../environment.js';
import { conditionOf } from '../workloads/podState.js';
import { sameJson } from '../workloads/sameJson.js';

const finalizer = 'service.kubernetes.io/load-balancer-cleanup';
const excluded = 'node.kubernetes.io/exclude-from-external-load-balancers';
const leaving = 'ToBeDeletedByClusterAutoscaler';

/** Services of a load balancer class belong to another controller. Pure. */
const wantsBalancer = (service: Service): boolean =>
  service.spec?.type === 'LoadBalancer' && service.spec.loadBalancerClass === undefined && !isTerminating(service);

/** Nodes that a balancer may send to, sorted by name. Pure. */
const hostsOf = (all: readonly Node[]): readonly Node[] =>
  all
    .filter(
      ({ metadata, spec, status }) =>
        metadata.labels?.[excluded] === undefined &&
        !spec?.taints?.some(({ key }) => key === leaving) &&
        conditionOf(status?.conditions, 'Ready')?.status === 'True',
    )
    .sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));

/** Lets the cloud balance external traffic for services of type LoadBalancer. */
export function serviceBalancerController(environment: ManagerEnvironment): Controller | null {
  const { api, cloud, events, informers, measures, options } = environment;
  const balancers = cloud?.loadBalancers;
  if (!balancers) return null;
  const { cache } = informers.of(services);
  const hosts = (): readonly Node[] => hostsOf(informers.of(nodes).cache.list());
  /** Service -> the hosts last given to its balancer. */
  const given = new Map<string, string>();
  const namesOf = (all: readonly Node[]): string => all.map(nameOf).join(' ');
  const patch = async (service: Service, body: object): Promise<void> => {
    await unless(isNotFound, api.patch(services, keyOf(service), mergePatch(body), { subresource: 'status' }));
  };
  const ensure = async (service: Service, key: string): Promise<void> => {
    const { finalizers = [] } = service.metadata;
    if (!finalizers.includes(finalizer)) await patch(service, { metadata: { finalizers: [...finalizers, finalizer] } });
    events.normal(service, 'EnsuringLoadBalancer', 'Ensuring load balancer');
    const to = hosts();
    if (to.length === 0) events.warning(service, 'UnAvailableLoadBalancer', 'There are no available nodes for LoadBalancer');
    let loadBalancer: LoadBalancerStatus;
    try {
      loadBalancer = await balancers.ensure(service, to);
    } catch (error) {
      events.warning(service, 'SyncLoadBalancerFailed', `Error syncing load balancer: ${messageOf(error)}`);
      throw error;
    }
    given.set(key, namesOf(to));
    measures.count('service_controller_loadbalancer_sync_total', {});
    if (!sameJson(service.status?.loadBalancer, loadBalancer)) await patch(service, { status: { loadBalancer } });
    events.normal(service, 'EnsuredLoadBalancer', 'Ensured load balancer');
  };
  const remove = async (service: Service, key: string): Promise<void> => {
    events.normal(service, 'DeletingLoadBalancer', 'Deleting load balancer');
    try {
      await balancers.remove(service);
    } catch (error) {
      events.warning(service, 'DeleteLoadBalancerFailed', `Error deleting load balancer: ${messageOf(error)}`);
      throw error;
    }
    given.delete(key);
    const { finalizers = [] } = service.metadata;
    await patch(service, { metadata: { finalizers: finalizers.filter((name) => name !== finalizer) }, status: { loadBalancer: null } });
    events.normal(service, 'DeletedLoadBalancer', 'Deleted load balancer');
  };
  const sync = async (key: string): Promise<void> => {
    const service = cache.get(key);
    if (!service) {
      given.delete(key);
      return;
    }
    if (!wantsBalancer(service)) {
      if (service.metadata.finalizers?.includes(finalizer)) await remove(service, key);
      return;
    }
    if (given.has(key) && !changed.has(key)) {
      await setHosts(service, key);
      return;
    }
    await ensure(service, key);
    changed.delete(key);
  };
  /** Services whose balancer needs a full update, not only of its hosts. */
  const changed = new Set<string>();
  const setHosts = async (service: Service, key: string): Promise<void> => {
    const to = hosts();
    if (given.get(key) === namesOf(to)) return;
    try {
      await balancers.setHosts(service, to);
    } catch (error) {
      measures.count('service_controller_nodesync_error_total', {});
      events.warning(service, 'UpdateLoadBalancerFailed', `Error updating load balancer with new hosts: ${messageOf(error)}`);
      throw error;
    }
    given.set(key, namesOf(to));
    events.normal(service, 'UpdatedLoadBalancer', 'Updated load balancer with new hosts');
  };
  const controller: QueueController = new QueueController(environment, {
    name: 'service',
    workers: options['concurrent-service-syncs'],
    sync,
  });
  controller.needs(services).addHandlers({
    added: (service) => controller.queue.add(keyTextOf(service)),
    changed: (before, after) => {
      if (sameJson(before.spec, after.spec) && isTerminating(before) === isTerminating(after)) return;
      changed.add(keyTextOf(after));
      controller.queue.add(keyTextOf(after));
    },
    removed: (service) => controller.queue.add(keyTextOf(service)),
  });
  const queueAll = (): void => {
    for (const service of cache.list()) if (wantsBalancer(service)) controller.queue.add(keyTextOf(service));
  };
  controller.needs(nodes).addHandlers({
    added: queueAll,
    removed: queueAll,
    changed: (before, after) => {
      if (hostsOf([before]).length !== hostsOf([after]).length) queueAll();
    },
  });
  return controller;
}
