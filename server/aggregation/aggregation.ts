import type { JsonObject } from '../../api/object.js';
import type { RequestContext } from '../endpoints/context.js';
import type { Registry, WriteOptions } from '../registry/contract.js';
import type { RemoteDocument } from '../openapi/remote/contract.js';
import type { Catalogue, ServedGroup, ServedResource } from '../registry/resources.js';
import type { Storage } from '../storage/contract.js';
import { ApiServices } from './apiServices.js';
import { createServiceConnections, type ServiceConnectionsOptions } from './connections.js';
import { AvailabilityController } from './controller.js';
import { RemoteDocuments } from './documents.js';
import { listedGroups, type ListedGroup, type RemoteVersion } from '../discovery/listedGroups.js';
import { relayToService } from './proxy.js';

export interface AggregationOptions extends ServiceConnectionsOptions {
  readonly storage: Storage;
  readonly catalogue: Catalogue;
  /** `--aggregator-reject-forwarding-redirect` */
  readonly rejectsRedirects: boolean;
}

export interface AvailabilityParts {
  readonly registry: Registry;
  readonly resource: ServedResource;
  readonly writes: WriteOptions;
  /** RFC 3339 with seconds. */
  readonly now: () => string;
  readonly report: (name: string, error: unknown) => void;
  readonly documentsAgainMs?: number;
}

export interface Aggregation {
  /** Answers a request that another program serves, or returns false. */
  answers(context: RequestContext): boolean | Promise<boolean>;
  /** See `DiscoveryOptions`. */
  groups(): readonly ListedGroup[];
  /** OpenAPI documents of extension servers; each change replaces the array. */
  documents(): readonly RemoteDocument[];
  /** Per API service: 1 when it is unavailable, else 0. */
  unavailable(): ReadonlyMap<string, number>;
  readonly synced: Promise<void>;
  /** Called once, when storage takes writes. */
  begin(parts: AvailabilityParts): void;
  stop(): Promise<void>;
}

const noDocuments: readonly RemoteDocument[] = [];

export function createAggregation({ storage, catalogue, rejectsRedirects, ...ways }: AggregationOptions): Aggregation {
  const services = new ApiServices(storage);
  const connections = createServiceConnections(ways);
  const groups = new ListedGroups(services, catalogue);
  let controller: AvailabilityController | null = null;
  let documents: RemoteDocuments | null = null;
  return {
    synced: services.synced,
    answers(context) {
      if (!services.hasRemote) return false;
      const [, root, group = '', version = ''] = context.info.path.split('/');
      if (root !== 'apis' || version === '') return false;
      const service = services.remote(group, version);
      if (service === null) return false;
      return relayToService(context, service, { connections, rejectsRedirects }).then(() => true);
    },
    groups: () => groups.all(),
    documents: () => documents?.all() ?? noDocuments,
    unavailable: () => new Map(services.all().map(({ name, availability }) => [name, availability?.status === 'True' ? 0 : 1])),
    begin(parts) {
      const discovered = (name: string, resources: readonly JsonObject[] | null): void => groups.discovered(name, resources);
      controller = new AvailabilityController({ ...parts, storage, connections, services, discovered });
      const { report, documentsAgainMs } = parts;
      documents = new RemoteDocuments({
        services,
        connections,
        report,
        ...(documentsAgainMs === undefined ? {} : { lookAgainMs: documentsAgainMs }),
      });
    },
    async stop() {
      controller?.stop();
      services.stop();
      await documents?.stop();
      connections.close();
    },
  };
}

class ListedGroups {
  readonly #services: ApiServices;
  readonly #catalogue: Catalogue;
  readonly #discovered = new Map<string, Omit<RemoteVersion, 'version'>>();
  #made: { readonly of: readonly ServedGroup[]; readonly groups: readonly ListedGroup[] } | null = null;

  constructor(services: ApiServices, catalogue: Catalogue) {
    this.#services = services;
    this.#catalogue = catalogue;
    services.onChange(() => {
      this.#made = null;
    });
  }

  all(): readonly ListedGroup[] {
    const own = this.#catalogue.groups;
    if (this.#made?.of !== own) this.#made = { of: own, groups: listedGroups(this.#services.all(), own, this.#discovered) };
    return this.#made.groups;
  }

  discovered(name: string, resources: readonly JsonObject[] | null): void {
    if (this.#services.get(name) === null) this.#discovered.delete(name);
    else if (resources !== null) this.#discovered.set(name, { resources, stale: false });
    else this.#discovered.set(name, { resources: this.#discovered.get(name)?.resources ?? [], stale: true });
    this.#made = null;
  }
}
