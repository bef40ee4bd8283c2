import { isConflict, isNotFound, messageOf, unless } from '../client/errors.js';
import type { Controller } from '../client/controller.js';
import { every } from '../client/workQueue.js';
import { keyOf, nameOf, uidOf } from '../../api/meta/object.js';
import { timeText } from '../../api/time.js';
import { type Node, nodes, type Taint } from '../../api/types/core/v1.js';
import type { ManagerEnvironment } from '../environment.js';
import { conditionOf } from '../workloads/podState.js';

const shutDown: Taint = { key: 'node.cloudprovider.kubernetes.io/shutdown', effect: 'NoSchedule' };
const isShutDownTaint = ({ key, effect }: Taint): boolean => key === shutDown.key && effect === shutDown.effect;

/** Null where the node has these taints. Pure. */
function shutDownTaints({ spec }: Node, isDown: boolean, now: number): readonly Taint[] | null {
  const taints = spec?.taints ?? [];
  if (taints.some(isShutDownTaint) === isDown) return null;
  return isDown ? [...taints, { ...shutDown, timeAdded: timeText(now) }] : taints.filter((taint) => !isShutDownTaint(taint));
}

/** Removes nodes whose machine is gone, and taints those whose machine is shut down. */
export function cloudNodeController({ api, clock, cloud, events, informers, log, options }: ManagerEnvironment): Controller | null {
  const instances = cloud?.instances;
  if (!instances) return null;
  const name = 'cloud_node_lifecycle';
  const informer = informers.of(nodes);
  const look = async (node: Node): Promise<void> => {
    const isReady = conditionOf(node.status?.conditions, 'Ready')?.status === 'True';
    if (!isReady && !(await instances.exists(node))) {
      events.normal(node, 'DeletingNode', `Deleting node ${nameOf(node)} because it does not exist in the cloud provider`);
      await unless(isNotFound, api.delete(nodes, keyOf(node), { preconditions: { uid: uidOf(node) } }));
      return;
    }
    const taints = shutDownTaints(node, !isReady && (await instances.isShutDown(node)), clock.now());
    if (taints) await api.update(nodes, { ...node, spec: { ...node.spec, taints } });
  };
  const lookAtAll = async (): Promise<void> => {
    for (const node of informer.cache.list())
      await look(node).catch((error: unknown) => {
        if (!isConflict(error) && !isNotFound(error)) log('error', `${name}: ${nameOf(node)}: ${messageOf(error)}`);
      });
  };
  return {
    name,
    async run(signal) {
      await informer.synced();
      await every(clock, options['node-monitor-period'], lookAtAll, signal);
    },
  };
}
