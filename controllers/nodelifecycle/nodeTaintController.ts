import { QueueController, type Controller } from '../client/controller.js';
import { isNotFound, unless } from '../client/errors.js';
import { keyTextOf } from '../../api/meta/object.js';
import { type Node, nodes } from '../../api/types/core/v1.js';
import type { ManagerEnvironment } from '../environment.js';
import { taintsOf } from './conditionTaints.js';

/**
 * Taints nodes by what they say of themselves, and takes the taint of a new node away that nothing speaks against. This is the part of the
 * reference's node life cycle that scheduling depends on; it does not notice nodes that fall silent, and evicts nothing.
 */
export function nodeTaintController(environment: ManagerEnvironment): Controller {
  const { api, informers, clock } = environment;
  const { cache } = informers.of(nodes);
  const sync = async (key: string): Promise<void> => {
    const node = cache.get(key);
    const taints = node && taintsOf(node, clock.now());
    if (node && taints) await unless(isNotFound, api.update(nodes, { ...node, spec: { ...node.spec, taints } }));
  };
  const controller: QueueController = new QueueController(environment, { name: 'node_lifecycle_controller', sync });
  const queue = (node: Node): void => {
    if (taintsOf(node, clock.now())) controller.queue.add(keyTextOf(node));
  };
  controller.needs(nodes).addHandlers({ added: queue, changed: (_, after) => queue(after) });
  return controller;
}
