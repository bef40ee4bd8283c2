import { createWorkers } from '../../workers/pool.js';
import type { Aggregation } from '../aggregation/aggregation.js';
import { createBackends } from '../endpoints/backends/connection.js';
import type { RequestContext } from '../endpoints/context.js';
import { createEndpoints } from '../endpoints/endpoints.js';
import { createEndpointMetrics } from '../endpoints/metrics.js';
import type { CustomResources } from '../extensions/definitions.js';
import { cachedResources } from '../options/watchCache.js';
import { readAuthorities } from '../../program/tls/credentials.js';
import { Peers } from '../peers/peers.js';
import type { Access } from './access.js';
import type { Given } from './given.js';
import type { Objects } from './objects.js';
import type { Platform } from './platform.js';
import type { Registries } from './registries.js';
import type { HookConnections } from './webhooks.js';
import { ownName } from './ownName.js';

/** The cluster's other servers, for versions not served here; null without the feature or a configured authority. */
export function findPeers(
  { options, features, parts }: Platform,
  { storage, catalogue }: Objects,
  { identity, egress }: Pick<HookConnections, 'identity' | 'egress'>,
): Peers | null {
  if (!features.enabled('UnknownVersionInteroperabilityProxy') || options['peer-ca-file'] === null) return null;
  const peers = new Peers({
    storage,
    catalogue,
    own: ownName(options),
    identity,
    ca: readAuthorities(options['peer-ca-file'], '--peer-ca-file').pem,
    dial: egress('controlplane'),
  });
  parts.add({ name: 'peers', stop: () => peers.stop() });
  return peers;
}

export interface EndpointParts extends Pick<Registries, 'registry'>, Pick<Given, 'agents' | 'egress'> {
  readonly objects: Objects;
  readonly custom: CustomResources;
  readonly access: Access;
  readonly aggregation: Aggregation;
  readonly peers: Peers | null;
}

/** Answers requests about resources: by an extension server, by a peer that serves the version, or here. */
export function createResourceEndpoints(platform: Platform, given: EndpointParts): (context: RequestContext) => Promise<void> | void {
  const { aggregation, peers } = given;
  const here = endpointsHere(platform, given);
  const elsewhere = async (answered: boolean | Promise<boolean>, context: RequestContext): Promise<boolean> =>
    (await answered) || (peers !== null && (await peers.answers(context)));
  return (context) => {
    const answered = aggregation.answers(context);
    if (answered === true) return undefined;
    if (answered === false && peers === null) return here(context);
    return elsewhere(answered, context).then((done) => (done ? undefined : here(context)));
  };
}

function endpointsHere(
  { options, features, metrics, parts, log }: Platform,
  given: EndpointParts,
): (context: RequestContext) => Promise<void> {
  const { registry, access, objects, custom, agents, egress } = given;
  const workers = createWorkers();
  parts.add({ name: 'workers', stop: () => workers.close() });
  return createEndpoints({
    registry,
    catalogue: objects.catalogue,
    workers,
    authorize: access.authorize,
    rules: access.rules,
    tokens: access.tokens,
    minRequestTimeoutSeconds: options['min-request-timeout'],
    watchList: features.enabled('WatchList'),
    shards: features.enabled('ShardedListAndWatch'),
    cached: cachedResources(options),
    compression: features.enabled('APIResponseCompression'),
    forcesDeletion: features.enabled('AllowUnsafeMalformedObjectDeletion'),
    clearsNomination: features.enabled('ClearingNominatedNodeNameAfterBinding'),
    backends: createBackends({
      credentials: agents,
      preferredAddresses: options['kubelet-preferred-address-types'],
      connectTimeoutMs: options['kubelet-timeout'],
      dial: egress('cluster'),
      bytesPerSecond: options['max-connection-bytes-per-sec'],
    }),
    streamsNeedCreate: features.enabled('AuthorizePodWebsocketUpgradeCreatePermission'),
    splitsLogs: features.enabled('PodLogsQuerySplitStreams'),
    cbor: features.enabled('CBORServingAndStorage'),
    catchUp: custom.catchUp,
    counts: createEndpointMetrics(metrics.registry),
    log: log.named('endpoints'),
  });
}
