import type { QueueController } from '../client/controller.js';
import { keyTextOf, namespaceOf } from '../../api/meta/object.js';
import { type Pod, pods, services } from '../../api/types/core/v1.js';
import { concernsEndpoints, isSelected } from './membership.js';

/** Queues each Service that selects a changed pod, after collecting changes for `batchMs`. */
export function followPods(controller: QueueController, batchMs: number): void {
  const { cache } = controller.needs(services);
  const queue = (pod: Pod): void => {
    for (const service of cache.inNamespace(namespaceOf(pod)))
      if (isSelected(service, pod)) controller.queue.addAfter(keyTextOf(service), batchMs);
  };
  controller.needs(pods).addHandlers({
    added: queue,
    removed: queue,
    changed: (before, after) => {
      if (!concernsEndpoints(before, after)) return;
      queue(before);
      queue(after);
    },
  });
}
