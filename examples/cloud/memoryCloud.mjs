/**
 * A cloud in memory, and a controller manager with it. What a cloud says of nodes, routes and balancers ends up in the cluster.
 *
 *     node memoryCloud.mjs --cloud-provider=memory --cloud-config=zone.json --kubeconfig=admin.kubeconfig
 *
 * With `--controllers=cloud-node-controller,cloud-node-lifecycle-controller,service-lb-controller,node-route-controller` and a lease of its own
 * (`--leader-elect-resource-name=cloud-controller-manager`) it is the controller manager of a cloud, beside one with `--cloud-provider=external`.
 */
import { pathToFileURL } from 'node:url';
import { startControllerManager } from 'raftplane/controllers';

/** @returns {import('raftplane/controllers').CloudProvider} */
export function memoryCloud({ configuration, clusterName }) {
  const { zone = 'memory-1' } = JSON.parse(configuration ?? '{}');
  const machines = new Map();
  const routes = new Map();
  const balancers = new Map();
  /** Addresses are given in the order in which they are asked for. */
  const numberOf = (all, key) => {
    if (!all.has(key)) all.set(key, all.size + 1);
    return all.get(key);
  };
  const balance = async ({ metadata }) => ({ ingress: [{ ip: `203.0.113.${numberOf(balancers, metadata.uid)}` }] });
  return {
    instances: {
      exists: async () => true,
      isShutDown: async () => false,
      describe: async ({ metadata: { name } }) => ({
        providerId: `memory://${clusterName}/${name}`,
        addresses: [
          { type: 'Hostname', address: name },
          { type: 'InternalIP', address: `192.0.2.${numberOf(machines, name)}` },
        ],
        instanceType: 'memory.small',
        zone,
      }),
    },
    routes: {
      list: async () => [...routes.values()],
      create: async (_cluster, route) => void routes.set(`${route.node} ${route.range}`, route),
      remove: async (_cluster, route) => void routes.delete(`${route.node} ${route.range}`),
    },
    loadBalancers: {
      ensure: balance,
      setHosts: async () => {},
      remove: async ({ metadata }) => void balancers.delete(metadata.uid),
    },
  };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const manager = await startControllerManager(process.argv.slice(2), { clouds: { memory: memoryCloud } });
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void manager.stop());
  process.exitCode = (await manager.ended) === 'lost' ? 1 : 0;
}
