import { resourceClaims, resourceSlices } from '../../api/types/resource/v1.js';
import { resourcePoolStatusRequests } from '../../api/types/resource/v1alpha3.js';
import { timeText } from '../../api/time.js';
import { QueueController, type Controller } from '../client/controller.js';
import { isNotFound, unless } from '../client/errors.js';
import type { ManagerEnvironment } from '../environment.js';
import { whereServed } from '../servedTypes.js';
import { poolsOf } from './poolStatus.js';

/** Answers requests for the state of device pools, each once. */
export function poolStatusController(environment: ManagerEnvironment): Controller {
  const name = 'resourcepoolstatusrequest';
  return whereServed(environment, name, [resourcePoolStatusRequests], (type) => {
    const { api, clock, informers, measures } = environment;
    const { cache } = informers.of(type);
    const sync = async (key: string): Promise<void> => {
      const request = cache.get(key);
      if (!request || request.status?.conditions?.some((condition) => condition.type === 'Complete' || condition.type === 'Failed')) return;
      const labels = { driver_name: request.spec.driver ?? '' };
      const startedAt = clock.elapsed();
      const found = poolsOf(request, informers.of(resourceSlices).cache.list(), informers.of(resourceClaims).cache.list());
      const condition = {
        type: 'Complete',
        status: 'True',
        reason: 'CalculationComplete',
        message: `${found.poolCount} pools were looked at`,
        lastTransitionTime: timeText(clock.now()),
      };
      try {
        await unless(
          isNotFound,
          api.update(type, { ...request, status: { ...found, conditions: [condition] } }, { subresource: 'status' }),
        );
        measures.count('resourcepoolstatusrequest_controller_requests_processed_total', labels);
        measures.observe(
          'resourcepoolstatusrequest_controller_request_processing_duration_seconds',
          labels,
          (clock.elapsed() - startedAt) / 1000,
        );
      } catch (error) {
        measures.count('resourcepoolstatusrequest_controller_request_processing_errors_total', labels);
        throw error;
      }
    };
    const controller = new QueueController(environment, { name, sync });
    controller.needs(resourceSlices);
    controller.needs(resourceClaims);
    return controller.watch(type);
  });
}
