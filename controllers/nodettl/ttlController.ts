import { keyOf, keyTextOf } from '../../api/meta/object.js';
import { type Node, nodes } from '../../api/types/core/v1.js';
import { strategicPatch } from '../client/api.js';
import { QueueController, type Controller } from '../client/controller.js';
import { isNotFound, unless } from '../client/errors.js';
import type { ManagerEnvironment } from '../environment.js';
import { secondsOf, stepAt } from './steps.js';

const annotation = 'node.alpha.kubernetes.io/ttl';
const workers = 5;

/** Annotates nodes with the cache lifetime of secrets and configuration, by cluster size. */
export function nodeTtlController(environment: ManagerEnvironment): Controller {
  const { api, informers } = environment;
  const { cache } = informers.of(nodes);
  let count = 0;
  let step = 0;
  const sync = async (key: string): Promise<void> => {
    const node = cache.get(key);
    const value = String(secondsOf(step));
    if (!node || node.metadata.annotations?.[annotation] === value) return;
    await unless(isNotFound, api.patch(nodes, keyOf(node), strategicPatch({ metadata: { annotations: { [annotation]: value } } })));
  };
  const controller: QueueController = new QueueController(environment, { name: 'ttlcontroller', workers, sync });
  const queue = (node: Node): void => controller.queue.add(keyTextOf(node));
  const resize = (by: number): void => {
    count += by;
    const before = step;
    step = stepAt(count, step);
    if (step !== before) cache.list().forEach(queue);
  };
  controller.needs(nodes).addHandlers({
    added: (node) => {
      resize(1);
      queue(node);
    },
    changed: (_, after) => queue(after),
    removed: () => resize(-1),
  });
  return controller;
}
