import type { ApiObject, JsonObject } from '../../../../api/object.js';
import { StatusError, type StatusCause } from '../../../../api/status.js';
import { createAdmission } from '../../../../server/admission/chain.js';
import { createPlugins } from '../../../../server/admission/plugins.js';
import type { PluginConfigurations } from '../../../../server/admission/configuration.js';
import type { AdmissionPlugin } from '../../../../server/registry/admission.js';
import { binaryMinor, type FieldGate, gatesOf } from '../../../../program/features/gates.js';
import { createCatalogue } from '../../../../server/kinds/index.js';
import type { Catalogue, ServedResource } from '../../../../server/registry/resources.js';
import { bootstrap } from '../../../../server/registry/bootstrap.js';
import type { Change, Registry, WriteOptions } from '../../../../server/registry/contract.js';
import { createServiceAllocator } from '../../../../server/serviceAddresses/allocator.js';
import { portClaims, type PortRecord } from '../../../../server/serviceAddresses/portRecord.js';
import { parsePortRange, parseRanges } from '../../../../server/serviceAddresses/ranges.js';
import { noDeleteOptions } from '../../../../server/registry/deletion.js';
import { createRegistry } from '../../../../server/registry/store.js';
import { selectableFieldsOf } from '../../../../server/kinds/index.js';
import type { Storage } from '../../../../server/storage/contract.js';
import { createMemoryStorage } from '../../../../server/storage/memory.js';

/** A server's registry over storage in memory, with shortcuts for writes and refusals. */
export interface Sample {
  readonly storage: Storage;
  readonly registry: Registry;
  create(object: JsonObject, more?: Partial<WriteOptions>): Promise<ApiObject>;
  update(object: JsonObject, change: (object: ApiObject) => void, subresource?: string): Promise<ApiObject>;
  put(object: JsonObject, subresource?: string): Promise<ApiObject>;
  get(kind: string, name: string): Promise<ApiObject>;
  remove(kind: string, name: string): Promise<void>;
  /** Warnings since the last call. */
  warnings(): string[];
}

export interface SampleOptions {
  readonly serviceRanges?: string;
  readonly ports?: string;
  readonly random?: () => number;
  readonly storage?: Storage;
  /** The record of taken node ports. */
  readonly portRecord?: (storage: Storage) => PortRecord;
  /** Names of the active plugins, or true for the default ones. */
  readonly admission?: boolean | ReadonlySet<string>;
  /** Configurations of plugins. */
  readonly configurations?: PluginConfigurations;
  /** Features that differ from their default. */
  readonly features?: Partial<Record<FieldGate, boolean>>;
  /** Additional admission plugins. */
  readonly guards?: (storage: Storage, catalogue: Catalogue) => readonly AdmissionPlugin[];
}

const gates = gatesOf(binaryMinor);
const catalogue = createCatalogue({ serves: () => true });

/** By kind, which is nearly unique; a group may be given, as in `events.k8s.io/Event`. */
function resourceOf(apiVersion: string, kind: string): ServedResource {
  const [group = '', version = ''] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
  const resource = catalogue.kind(group, version, kind);
  if (resource === null) throw new Error(`no ${apiVersion} ${kind}`);
  return resource;
}

export async function createSample({
  serviceRanges = '10.0.0.0/24',
  ports = '30000-32767',
  random = Math.random,
  storage,
  portRecord = portClaims,
  admission = false,
  configurations = new Map(),
  features = {},
  guards = () => [],
}: SampleOptions = {}): Promise<Sample> {
  const kept = storage ?? createMemoryStorage({ selectableFields: selectableFieldsOf });
  const ranges = parseRanges(serviceRanges);
  const registry = createRegistry({
    storage: kept,
    random,
    enabled: (feature) => features[feature] ?? gates.get(feature)?.byDefault ?? false,
    allocators: { services: createServiceAllocator({ storage: kept, ranges, ports: parsePortRange(ports), portRecord: portRecord(kept) }) },
    admission:
      admission === false
        ? null
        : createAdmission(
            createPlugins({
              storage: kept,
              configurations,
              others: guards(kept, catalogue),
              ...(admission === true ? {} : { enabled: admission }),
            }),
          ),
  });
  await bootstrap({ registry, catalogue, serviceRanges: ranges.map(({ text }) => text) });
  let warned: string[] = [];
  const options: WriteOptions = {
    user: { name: 'u', uid: '', groups: [], extra: {} },
    manager: 'm',
    dryRun: false,
    timeoutMs: 1000,
    warn: (text) => {
      warned.push(text);
    },
  };
  const locate = (object: JsonObject): { resource: ServedResource; namespace: string; name: string } => {
    const resource = resourceOf(String(object['apiVersion'] ?? 'v1'), String(object['kind']));
    return {
      resource,
      namespace: resource.namespaced ? 'default' : '',
      name: String((object['metadata'] as JsonObject | undefined)?.['name'] ?? ''),
    };
  };
  const named = (kind: string, name: string): JsonObject => {
    const slash = kind.lastIndexOf('/');
    return { apiVersion: slash < 0 ? 'v1' : kind.slice(0, slash), kind: kind.slice(slash + 1), metadata: { name } };
  };
  return {
    storage: kept,
    registry,
    create: async (object, more = {}) =>
      (await registry.create({ ...locate(object), name: '' }, structuredClone(object) as ApiObject, { ...options, ...more })).decode(),
    async update(object, change, subresource = '') {
      const apply: Change['apply'] = (current) => {
        if (current === null) throw new Error('nothing to update');
        change(current);
        return current;
      };
      return (await registry.update(locate(object), { apply, subresource, uid: null, mayCreate: null }, options)).object.decode();
    },
    put: async (object, subresource = '') => {
      const change = { apply: () => structuredClone(object) as ApiObject, replaces: true, subresource, uid: null };
      const written = await registry.update(locate(object), { ...change, mayCreate: () => Promise.resolve() }, options);
      return written.object.decode();
    },
    get: async (kind, name) => (await registry.get(locate(named(kind, name)), { at: 'mostRecent' })).decode(),
    remove: async (kind, name) => {
      await registry.delete(locate(named(kind, name)), noDeleteOptions, options);
    },
    warnings() {
      const seen = warned;
      warned = [];
      return seen;
    },
  };
}

export async function refusal(promise: Promise<unknown>): Promise<StatusError> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof StatusError) return error;
    throw error;
  }
  throw new Error('expected a refusal');
}

const shortNames: Readonly<Record<string, string>> = {
  FieldValueRequired: 'required',
  FieldValueInvalid: 'invalid',
  FieldValueDuplicate: 'duplicate',
  FieldValueNotSupported: 'unsupported',
  FieldValueForbidden: 'forbidden',
  FieldValueTooLong: 'long',
  FieldValueTooMany: 'many',
  FieldValueNotFound: 'absent',
  InternalError: 'internal',
};

const short = ({ field, reason = '' }: StatusCause): string => `${shortNames[reason] ?? reason} ${field ?? ''}`;

/** Findings of a refused write in order: `invalid spec.ports[0].port`. Empty for an accepted write. */
export async function causes(promise: Promise<unknown>): Promise<string[]> {
  try {
    await promise;
    return [];
  } catch (error) {
    if (error instanceof StatusError && error.details?.causes !== undefined) return error.details.causes.map(short);
    throw error;
  }
}
