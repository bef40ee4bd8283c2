import type { Aggregation } from '../aggregation/aggregation.js';
import { apiServicesResource } from '../aggregation/apiServices.js';
import { definitionsResource, type CustomResources } from '../extensions/definitions.js';
import { LifeCycles } from '../extensions/lifecycle/controller.js';
import { ownWrites } from '../registry/ownWrites.js';
import type { Registry } from '../registry/contract.js';
import type { Objects } from './objects.js';
import { reporter, type Platform } from './platform.js';

export interface UpkeepParts {
  readonly objects: Objects;
  readonly custom: CustomResources;
  readonly aggregation: Aggregation;
  readonly registry: Registry;
}

/** Starts the API server's own controllers, as in the reference: availability of API services, definitions. */
export function beginUpkeep(platform: Platform, { objects, custom, aggregation, registry }: UpkeepParts): void {
  const { now, parts } = platform;
  const { storage, builtIn } = objects;
  const apiServices = builtIn.resource(apiServicesResource.group, 'v1', apiServicesResource.resource);
  if (apiServices !== null)
    aggregation.begin({
      registry,
      resource: apiServices,
      writes: ownWrites,
      now,
      report: reporter(platform, 'aggregation', 'warn', 'an API service cannot be looked after'),
    });
  const definitions = builtIn.resource(definitionsResource.group, 'v1', definitionsResource.resource);
  if (definitions === null) return;
  const lifeCycles = new LifeCycles({
    resources: custom,
    storage,
    registry,
    definitions,
    apiServices,
    now,
    report: reporter(platform, 'extensions', 'warn', 'a definition cannot be brought further, trying again'),
  });
  parts.add({ name: 'life cycles of definitions', stop: () => lifeCycles.stop() });
}
