import { nameOf, namespaceOf } from '../../api/meta/object.js';
import { type EndpointPort, type Service, services } from '../../api/types/core/v1.js';
import type { EndpointSlice } from '../../api/types/discovery/v1.js';
import { hasClusterIP, type Family } from '../services/families.js';
import { managedByLabel, serviceNameLabel, slicePrefix } from '../slices/sliceWrites.js';
import { controllerReference } from '../workloads/claim.js';

export const manager = 'endpointslice-controller.k8s.io';
const headlessLabel = 'service.kubernetes.io/headless';
const reserved: ReadonlySet<string> = new Set([managedByLabel, serviceNameLabel, headlessLabel]);

export function labelsOf(service: Service): Readonly<Record<string, string>> {
  const own = Object.entries(service.metadata.labels ?? {}).filter(([name]) => !reserved.has(name));
  return {
    ...Object.fromEntries(own),
    ...(hasClusterIP(service) ? {} : { [headlessLabel]: '' }),
    [serviceNameLabel]: nameOf(service),
    [managedByLabel]: manager,
  };
}

export function newSlice(service: Service, family: Family, ports: readonly EndpointPort[]): EndpointSlice {
  return {
    metadata: {
      generateName: slicePrefix(nameOf(service)),
      namespace: namespaceOf(service),
      labels: labelsOf(service),
      ownerReferences: [controllerReference(services, service)],
    },
    addressType: family,
    endpoints: [],
    ports,
  };
}
