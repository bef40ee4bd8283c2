import type { LiveFiles } from '../../program/files/liveFile.js';
import type { Logger } from '../../program/log/logger.js';
import type { CountEvents } from '../admission/events/rateLimit.js';
import type { RequestContext } from '../endpoints/context.js';
import type { CustomResources } from '../extensions/definitions.js';
import type { Metrics } from '../http/metrics.js';
import type { PutObjects } from '../http/raftRoutes.js';
import type { ApiServerOptions } from '../options/flags.js';
import type { Catalogue } from '../registry/resources.js';
import type { RaftStorage } from '../storage/raft.js';
import { createAccess, type Access } from './access.js';
import type { AccessFiles } from './accessFiles.js';
import type { ClaimRepairs } from './claimRepairs.js';
import { createDocuments } from './documents.js';
import { followExtensionServers } from './extensionServers.js';
import type { Given } from './given.js';
import { followDefinitions, openObjects, type ObjectStore } from './objects.js';
import { platformOf } from './platform.js';
import { createRegistries, type Registries } from './registries.js';
import { createResourceEndpoints, findPeers } from './resourceEndpoints.js';
import { claimServices } from './services.js';
import { doStartWork } from './startWork.js';
import { beginUpkeep } from './upkeep.js';
import { createConversionWebhooks, hookConnections } from './webhooks.js';

export interface Api extends Registries {
  readonly storage: RaftStorage;
  readonly catalogue: Catalogue;
  readonly access: Access;
  readonly resources: (context: RequestContext) => Promise<void> | void;
  /** Answers requests for documents about the API; false for other paths. */
  readonly documents: (context: RequestContext) => Promise<boolean>;
  /** Resolves once permissions, definitions and API services are known. */
  readonly synced: Promise<unknown>;
  /** Creates the objects of every cluster; idempotent, also on concurrent servers. Waits for a majority. */
  readonly bootstrap: (signal: AbortSignal) => Promise<void>;
  /** Stores objects unchanged, with services' address and port claims. */
  readonly putObjects: PutObjects;
  close(): Promise<void>;
}

export interface AssemblyOptions extends Pick<Given, 'plugins' | 'egress' | 'agents' | 'serving' | 'loopback'>, ObjectStore {
  readonly options: ApiServerOptions;
  readonly files: AccessFiles;
  readonly live: LiveFiles;
  /** Counts events process-wide; null counts them here. */
  readonly countEvents: CountEvents | null;
  readonly metrics: Metrics;
  readonly log: Logger;
}

/** Assembles the API, each part from earlier ones, and ends them in reverse. */
export function assembleApi(given: AssemblyOptions): Api {
  const platform = platformOf(given);
  const { options, metrics, log, parts } = platform;
  const objects = openObjects(platform, given, {
    kindOf: (resource) => custom.kindOf(resource),
    fieldsOf: (resource) => custom.fieldsOf(resource),
    catalogue: () => custom.catalogue,
  });
  const { storage } = objects;
  const connections = hookConnections(options, storage, { ...given, certificates: metrics.peerCertificates.webhooks });
  const conversion = createConversionWebhooks(connections, metrics);
  parts.add({ name: 'conversion webhooks', stop: () => conversion.stop() });
  const custom: CustomResources = followDefinitions(platform, objects, conversion.converters);
  const aggregation = followExtensionServers(platform, objects, connections);
  const services = claimServices(platform, storage, given.store.asReference);
  const access = createAccess({ ...given, storage, log: log.named('access') });
  parts.add({ name: 'access', stop: () => access.stop() });
  const registries = createRegistries(platform, { ...given, objects, custom, connections, services, access });
  const peers = findPeers(platform, objects, connections);
  const all = { ...given, ...registries, objects, custom, aggregation, peers, access };
  const synced = Promise.all([access.synced, custom.synced, aggregation.synced]);
  // Awaiting callers get the failure; otherwise an early one would end the process.
  synced.catch(() => undefined);
  return {
    ...registries,
    ...objects,
    access,
    synced,
    resources: createResourceEndpoints(platform, all),
    documents: createDocuments(platform, all),
    putObjects: putObjectsInto(storage, services.repairs),
    bootstrap: async (signal) => {
      const own = { ...objects, registry: registries.ownRegistry, access, repairs: services.repairs, serviceRanges: services.ranges };
      await doStartWork({ ...platform, ...own, store: given.store }, signal);
      await synced;
      beginUpkeep(platform, all);
    },
    close: () => parts.stop(),
  };
}

const putObjectsInto =
  (storage: RaftStorage, repairs: ClaimRepairs): PutObjects =>
  async (objects, terms) => {
    const outcome = await storage.putAll(objects, terms);
    if (objects.some(({ key: { resource } }) => resource.group === '' && resource.resource === 'services')) await repairs.begin();
    return outcome;
  };
