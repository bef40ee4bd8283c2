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
import { listedGroups, type ListedGroup, type RemoteVersion } from './discovered.js';
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
  /** Between two looks at documents of a program; for tests. */
  readonly documentsAgainMs?: number;
}

/** APIs of other programs behind this server. */
export interface Aggregation {
  /** Answers a request that another program serves; false when none does. */
  answers(context: RequestContext): boolean | Promise<boolean>;
  /** All named groups as discovery lists them, with what other programs serve; another array after every change. */
  groups(): readonly ListedGroup[];
  /** What programs say of themselves in OpenAPI documents; another array after every change. */
  documents(): readonly RemoteDocument[];
  /** 1 for each API service that cannot be used now, 0 for the others, by name. */
  unavailable(): ReadonlyMap<string, number>;
  readonly synced: Promise<void>;
  /** Begins to look after the programs. To be called once, when storage takes writes. */
  begin(parts: AvailabilityParts): void;
  stop(): Promise<void>;
}

const noDocuments: readonly RemoteDocument[] = [];

/** Follows API services from now on. */
export function createAggregation({ storage, catalogue, rejectsRedirects, ...ways }: AggregationOptions): Aggregation {
  const services = new ApiServices(storage);
  const connections = createServiceConnections(ways);
  const known = new Map<string, Omit<RemoteVersion, 'version'>>();
  let controller: AvailabilityController | null = null;
  let documents: RemoteDocuments | null = null;
  let made: { readonly of: readonly ServedGroup[]; readonly groups: readonly ListedGroup[] } | null = null;
  services.onChange(() => {
    made = null;
  });
  const discovered = (name: string, resources: readonly JsonObject[] | null): void => {
    const before = known.get(name);
    if (services.get(name) === null) known.delete(name);
    else known.set(name, resources === null ? { resources: before?.resources ?? [], stale: true } : { resources, stale: false });
    made = null;
  };
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
    groups() {
      const own = catalogue.groups;
      if (made?.of !== own) made = { of: own, groups: listedGroups(services.all(), own, known) };
      return made.groups;
    },
    documents: () => documents?.all() ?? noDocuments,
    unavailable: () => new Map(services.all().map(({ name, availability }) => [name, availability?.status === 'True' ? 0 : 1])),
    begin(parts) {
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
