import { bootstrapRights } from '../../../fixtures/bootstrapRights.js';
import { masters } from '../../../../server/authorization/builtin.js';
import { firstDecision, type Authorizer } from '../../../../server/authorization/authorizer.js';
import { createCatalogue } from '../../../../server/kinds/index.js';
import { createDiscovery } from '../../../../server/discovery/discovery.js';
import { createEndpoints, type EndpointOptions } from '../../../../server/endpoints/endpoints.js';
import { createChain, type ChainOptions } from '../../../../server/http/chain.js';
import { createRoutes } from '../../../../server/http/routes.js';
import { createHealthRegistry } from '../../../../program/health.js';
import type { Logger } from '../../../../program/log/logger.js';
import { createMetrics } from '../../../../server/http/metrics.js';
import { createOpenApi } from '../../../../server/openapi/openapi.js';
import type { RemoteDocument } from '../../../../server/openapi/remote/contract.js';
import { bootstrap } from '../../../../server/registry/bootstrap.js';
import { selectableFieldsOf } from '../../../../server/kinds/index.js';
import { createRegistry, type RegistryOptions } from '../../../../server/registry/store.js';
import type { Storage } from '../../../../server/storage/contract.js';
import { createMemoryStorage, type MemoryStorage } from '../../../../server/storage/memory.js';
import { createWorkers } from '../../../../workers/pool.js';
import { listen } from './front.js';

const ignore = (): void => {};
const silent: Logger = { error: ignore, warn: ignore, info: ignore, debug: ignore, enabled: () => false, named: () => silent };

export interface TestServer {
  readonly url: string;
  readonly storage: MemoryStorage;
  close(): Promise<void>;
}

export interface TestServerOptions {
  /** Wraps the registry's storage. */
  readonly wrap?: (storage: Storage) => Storage;
  readonly registry?: Partial<RegistryOptions>;
  readonly endpoints?: Partial<EndpointOptions>;
  readonly tap?: ChainOptions['tap'];
  /** Replaces the administrators' rights. */
  readonly authorize?: Authorizer;
  /** OpenAPI documents of other programs. */
  readonly remote?: () => readonly RemoteDocument[];
}

/**
 * The endpoints over storage in memory, behind the real filters, on plain HTTP. All requests come from an administrator. Versions before the first count as
 * compacted.
 */
export async function startTestServer(log: Logger = silent, more: TestServerOptions = {}): Promise<TestServer> {
  const storage = createMemoryStorage({ selectableFields: selectableFieldsOf, startVersion: 1000 });
  const catalogue = createCatalogue();
  const registry = createRegistry({ storage: more.wrap?.(storage) ?? storage, ...more.registry });
  const workers = createWorkers();
  const discovery = createDiscovery({ catalogue, cbor: more.endpoints?.cbor === true ? catalogue : null });
  const openapi = createOpenApi({ builtIn: catalogue, ...(more.remote === undefined ? {} : { remote: more.remote }) });
  const authorize = more.authorize ?? firstDecision([masters, bootstrapRights()]);
  const routes = createRoutes({
    resources: createEndpoints({ registry, catalogue, workers, authorize, ...more.endpoints }),
    documents: async (context) => (await discovery(context)) || openapi.documents(context),
    health: createHealthRegistry(),
    metrics: createMetrics(),
    replica: null,
    log,
  });
  const chain = createChain(
    {
      authenticate: () => ({
        outcome: 'user',
        user: { name: 'admin', uid: '', groups: ['system:masters', 'system:authenticated'], extra: {} },
      }),
      authorize,
      requestTimeoutMs: 60_000,
      inflight: { readOnlyMax: 0, mutatingMax: 0 },
      corsOrigins: [],
      strictTransportSecurity: null,
      metrics: createMetrics(),
      log,
      tap: more.tap ?? null,
    },
    routes,
  );
  const { server, url } = await listen(chain);
  await bootstrap({ registry, catalogue });
  return {
    url,
    storage,
    async close() {
      server.closeAllConnections();
      server.close();
      await openapi.close();
      await workers.close();
    },
  };
}
