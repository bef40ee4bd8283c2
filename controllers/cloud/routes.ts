import { strategicPatch } from '../client/api.js';
import type { Controller } from '../client/controller.js';
import { isNotFound, messageOf, unless } from '../client/errors.js';
import { every } from '../client/workQueue.js';
import { keyOf, nameOf } from '../../api/meta/object.js';
import { timeText } from '../../api/time.js';
import { type Node, type NodeCondition, nodes } from '../../api/types/core/v1.js';
import { holdsRange, parseCidr, type Cidr } from '../addresses/cidr.js';
import type { ManagerEnvironment } from '../environment.js';
import { conditionOf } from '../workloads/podState.js';
import type { Route } from './provider.js';

const textOf = ({ node, range }: Route): string => `${node} ${range}`;

/** Returns missing routes, and routes within the cluster's ranges to nodes that no longer exist. Pure. */
export function routePlan(
  all: readonly Node[],
  routes: readonly Route[],
  cluster: readonly Cidr[],
): { readonly create: readonly Route[]; readonly remove: readonly Route[] } {
  const wanted = all.flatMap((node) => (node.spec?.podCIDRs ?? []).map((range) => ({ node: nameOf(node), range })));
  const present = new Set(routes.map(textOf));
  const needed = new Set(wanted.map(textOf));
  const isOurs = ({ range }: Route): boolean => {
    const cidr = parseCidr(range);
    return cidr !== null && cluster.some((outer) => holdsRange(outer, cidr));
  };
  return {
    create: wanted.filter((route) => !present.has(textOf(route))),
    remove: routes.filter((route) => !needed.has(textOf(route)) && isOurs(route)),
  };
}

const networkCondition = (isThere: boolean, now: number): NodeCondition => ({
  type: 'NetworkUnavailable',
  status: isThere ? 'False' : 'True',
  reason: isThere ? 'RouteCreated' : 'NoRouteCreated',
  message: isThere ? 'RouteController created a route' : 'RouteController failed to create a route',
  lastTransitionTime: timeText(now),
});

export function routeController({ api, clock, cloud, events, informers, log, options }: ManagerEnvironment): Controller | null {
  const routes = cloud?.routes;
  if (!routes || !options['allocate-node-cidrs'] || !options['configure-cloud-routes']) return null;
  const name = 'route';
  const informer = informers.of(nodes);
  const cluster = (options['cluster-cidr'] ?? '').split(',').flatMap((text) => parseCidr(text) ?? []);
  const tell = async (node: Node, isThere: boolean): Promise<void> => {
    const condition = networkCondition(isThere, clock.now());
    if (conditionOf(node.status?.conditions, condition.type)?.status === condition.status) return;
    const patch = strategicPatch({ status: { conditions: [condition] } });
    await unless(isNotFound, api.patch(nodes, keyOf(node), patch, { subresource: 'status' }));
  };
  const reconcile = async (): Promise<void> => {
    const all = informer.cache.list();
    const failed = new Set<string>();
    const plan = routePlan(all, await routes.list(options['cluster-name']), cluster);
    for (const route of plan.remove) await routes.remove(options['cluster-name'], route);
    for (const route of plan.create) {
      try {
        await routes.create(options['cluster-name'], route);
      } catch (error) {
        failed.add(route.node);
        const node = all.find((each) => nameOf(each) === route.node);
        if (node)
          events.warning(node, 'FailedToCreateRoute', `Could not create route ${route.range} for node ${route.node}: ${messageOf(error)}`);
      }
    }
    for (const node of all) if ((node.spec?.podCIDRs ?? []).length > 0) await tell(node, !failed.has(nameOf(node)));
  };
  return {
    name,
    async run(signal) {
      await informer.synced();
      const attempt = (): Promise<void> => reconcile().catch((error: unknown) => log('error', `${name}: ${messageOf(error)}`));
      await every(clock, options['route-reconciliation-period'], attempt, signal);
    },
  };
}
