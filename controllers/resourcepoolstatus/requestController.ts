import { resourceClaims, resourceSlices } from '../../api/types/resource/v1.js';
import { resourcePoolStatusRequests, type ResourcePoolStatusRequest } from '../../api/types/resource/v1alpha3.js';
import type { Resource } from '../../api/meta/resource.js';
import { nameOf } from '../../api/meta/object.js';
import { timeText } from '../../api/time.js';
import { cleaner } from '../certificates/cleaner.js';
import { QueueController, type Controller } from '../client/controller.js';
import { isNotFound, unless } from '../client/errors.js';
import type { ManagerEnvironment } from '../environment.js';
import { whereServed } from '../servedTypes.js';
import { isAnswered, isRequestOver, poolsOf } from './poolStatus.js';

const lookEveryMs = 600_000;

/** Answers requests for the state of device pools once, when the pools are complete, and removes them later. */
export function poolStatusController(environment: ManagerEnvironment): Controller | null {
  const name = 'resourcepoolstatusrequest';
  // API servers serve the requests without the feature, too, so that they can be removed.
  if (!environment.isOn('DRAResourcePoolStatus')) return null;
  return whereServed(environment, name, [resourcePoolStatusRequests], (type) => {
    const { cache } = environment.informers.of(type);
    const sync = (key: string): Promise<void> => answer(environment, type, cache.get(key));
    const cleaning = cleaner(environment, { name, type, lookEveryMs, isOver: isRequestOver });
    const controller = new QueueController(environment, { name, sync, background: (signal) => cleaning.run(signal) });
    const considerAll = (): void => {
      for (const request of cache.list()) if (!isAnswered(request)) controller.queue.add(nameOf(request));
    };
    controller.needs(resourceSlices).addHandlers({ added: considerAll, changed: considerAll, removed: considerAll });
    controller.needs(resourceClaims);
    return controller.watch(type);
  });
}

async function answer(
  { api, clock, informers, measures }: ManagerEnvironment,
  type: Resource<ResourcePoolStatusRequest>,
  request: ResourcePoolStatusRequest | undefined,
): Promise<void> {
  if (!request || isAnswered(request)) return;
  const labels = { driver_name: request.spec.driver ?? '' };
  const startedAt = clock.elapsed();
  const found = poolsOf(request, informers.of(resourceSlices).cache.list(), informers.of(resourceClaims).cache.list());
  if (found.pools.some(({ validationError }) => validationError !== undefined)) return;
  const condition = {
    type: 'Complete',
    status: 'True',
    reason: 'CalculationComplete',
    message: `Calculated status for ${found.pools.length} pools`,
    lastTransitionTime: timeText(clock.now()),
  };
  const status = { ...found, conditions: [condition] };
  try {
    await unless(isNotFound, api.update(type, { ...request, status }, { subresource: 'status' }));
  } catch (error) {
    measures.count('resourcepoolstatusrequest_controller_request_processing_errors_total', labels);
    throw error;
  }
  const seconds = (clock.elapsed() - startedAt) / 1000;
  measures.count('resourcepoolstatusrequest_controller_requests_processed_total', labels);
  measures.observe('resourcepoolstatusrequest_controller_request_processing_duration_seconds', labels, seconds);
}
