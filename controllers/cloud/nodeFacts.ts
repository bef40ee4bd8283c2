import { isNotFound, unless } from '../client/errors.js';
import { mergePatch } from '../client/api.js';
import { QueueController, type Controller } from '../client/controller.js';
import { every } from '../client/workQueue.js';
import { sameMeaning } from '../../api/json/equality.js';
import { keyOf, keyTextOf } from '../../api/meta/object.js';
import { type Node, nodes } from '../../api/types/core/v1.js';
import type { ManagerEnvironment } from '../environment.js';
import type { Machine } from './provider.js';

/** A kubelet's taint on a node that a cloud must initialise. */
const uninitialised = 'node.cloudprovider.kubernetes.io/uninitialized';
/** The reference's default of `--node-status-update-frequency`. */
export const nodeStatusPeriodMs = 300_000;

const awaitsCloud = ({ spec }: Node): boolean => spec?.taints?.some(({ key }) => key === uninitialised) === true;

const labelsOf = ({ instanceType, zone, region }: Machine): Readonly<Record<string, string>> => ({
  ...(instanceType === undefined
    ? {}
    : { 'node.kubernetes.io/instance-type': instanceType, 'beta.kubernetes.io/instance-type': instanceType }),
  ...(zone === undefined ? {} : { 'topology.kubernetes.io/zone': zone, 'failure-domain.beta.kubernetes.io/zone': zone }),
  ...(region === undefined ? {} : { 'topology.kubernetes.io/region': region, 'failure-domain.beta.kubernetes.io/region': region }),
});

/** Returns the node as initialised by its cloud. The machine's id never changes. Pure. */
const initialised = (node: Node, machine: Machine): Node => ({
  ...node,
  metadata: { ...node.metadata, labels: { ...node.metadata.labels, ...labelsOf(machine) } },
  spec: {
    ...node.spec,
    providerID: node.spec?.providerID ?? machine.providerId,
    taints: (node.spec?.taints ?? []).filter(({ key }) => key !== uninitialised),
  },
});

/** Initialises nodes that wait for their cloud, and updates addresses of other nodes from the cloud. */
export function nodeFactsController(environment: ManagerEnvironment): Controller | null {
  const { api, clock, cloud, events, informers } = environment;
  const instances = cloud?.instances;
  if (instances?.describe === undefined) return null;
  const { cache } = informers.of(nodes);
  const sync = async (key: string): Promise<void> => {
    const node = cache.get(key);
    const machine = node === undefined ? null : ((await instances.describe?.(node)) ?? null);
    if (node === undefined || (machine === null && !awaitsCloud(node))) return;
    if (machine === null) throw new Error('the cloud has no machine of this node yet');
    if (awaitsCloud(node)) {
      await unless(isNotFound, api.update(nodes, initialised(node, machine)));
      events.normal(node, 'Synced', 'Node synced successfully');
    }
    if (sameMeaning(node.status?.addresses ?? [], machine.addresses)) return;
    const patch = mergePatch({ status: { addresses: machine.addresses } });
    await unless(isNotFound, api.patch(nodes, keyOf(node), patch, { subresource: 'status' }));
  };
  const controller = new QueueController(environment, {
    name: 'cloud_node',
    sync,
    background: (signal) =>
      every(
        clock,
        nodeStatusPeriodMs,
        () => Promise.resolve(cache.list().forEach((node) => controller.queue.add(keyTextOf(node)))),
        signal,
      ),
  });
  const queue = (node: Node): void => {
    if (awaitsCloud(node)) controller.queue.add(keyTextOf(node));
  };
  controller.needs(nodes).addHandlers({ added: queue, changed: (_, after) => queue(after), removed: () => undefined });
  return controller;
}
