import type { QueueController } from '../client/controller.js';
import { namespaceOf } from '../../api/meta/object.js';
import { type EndpointSlice, endpointSlices } from '../../api/types/discovery/v1.js';
import type { PendingWrites } from './pendingWrites.js';
import { isManagedBy, serviceNameLabel } from './sliceWrites.js';

export const serviceIndex = 'service';

const keyOfService = (slice: EndpointSlice): string => `${namespaceOf(slice)}/${slice.metadata.labels?.[serviceNameLabel] ?? ''}`;

/** Queues a Service when a slice of the given manager changes or leaves it. */
export function followSlices(controller: QueueController, manager: string, pending: PendingWrites): void {
  const informer = controller.needs(endpointSlices);
  informer.addIndex(serviceIndex, (slice) => [keyOfService(slice)]);
  const queue = (slice: EndpointSlice): void => {
    if (isManagedBy(manager, slice)) controller.queue.add(keyOfService(slice));
  };
  informer.addHandlers({
    added: queue,
    changed: (before, after) => {
      if (before === after) return;
      queue(before);
      queue(after);
    },
    removed: (slice) => {
      pending.sawEnd(keyOfService(slice), slice);
      queue(slice);
    },
  });
}
