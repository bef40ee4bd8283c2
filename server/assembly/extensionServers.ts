import { createAggregation, type Aggregation } from '../aggregation/aggregation.js';
import type { Objects } from './objects.js';
import type { Platform } from './platform.js';
import type { HookConnections } from './webhooks.js';

export function followExtensionServers(platform: Platform, { storage, catalogue }: Objects, connections: HookConnections): Aggregation {
  const { options, metrics, parts } = platform;
  const aggregation = createAggregation({
    storage,
    catalogue,
    addresses: connections.addresses,
    identity: connections.identity,
    certificates: metrics.peerCertificates.aggregated,
    dial: connections.egress('cluster'),
    rejectsRedirects: options['aggregator-reject-forwarding-redirect'],
  });
  parts.add({ name: 'aggregation', stop: () => aggregation.stop() });
  metrics.gauges('aggregator_unavailable_apiservice', 'API services that cannot be used now: 1, others 0.', { label: 'name' }, () =>
    Promise.resolve(aggregation.unavailable()),
  );
  return aggregation;
}
