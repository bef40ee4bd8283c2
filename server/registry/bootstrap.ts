import { timeText } from '../../api/time.js';
import type { ApiObject, JsonObject } from '../../api/object.js';
import { StatusError } from '../../api/status.js';
import { bootstrapObjects } from '../../api/catalogue/bootstrapObjects.js';
import type { Registry } from './contract.js';
import { noDeleteOptions } from './deletion.js';
import { everything } from './everything.js';
import type { Target } from './target.js';
import { ownWrites } from './ownWrites.js';
import { itemsOf, memberAt, membersOf } from '../../api/json/members.js';
import type { GroupResource } from '../../api/resource.js';
import type { Catalogue, ServedResource } from './resources.js';
import { startTask, type StartTaskOptions } from './startTask.js';
import { contains, formatAddress, parseAddress, parseRange, type Range } from './validation/addresses.js';
import type { Storage, StoredObject } from '../storage/contract.js';
import { follow, type Following } from '../storage/follow.js';

export interface BootstrapOptions extends StartTaskOptions {
  readonly registry: Registry;
  readonly catalogue: Catalogue;
  /** The `kubernetes` service has the first address of the first range. */
  readonly serviceRanges?: readonly string[];
  readonly servicePort?: number;
  readonly nodePort?: number;
  /** `server/seed` has written the objects of every cluster. */
  readonly seeded?: boolean;
}

const bootstrapped = [
  { group: '', version: 'v1', resource: 'namespaces' },
  { group: '', version: 'v1', resource: 'services' },
  { group: 'scheduling.k8s.io', version: 'v1', resource: 'priorityclasses' },
  { group: 'flowcontrol.apiserver.k8s.io', version: 'v1', resource: 'prioritylevelconfigurations' },
  { group: 'flowcontrol.apiserver.k8s.io', version: 'v1', resource: 'flowschemas' },
  { group: 'apiregistration.k8s.io', version: 'v1', resource: 'apiservices' },
] as const;

const serviceRangesDefault = ['10.0.0.0/24'];
const servicePortDefault = 6443;

/** Idempotent; replicas may run it at the same time. A refused creation is retried in the background (`startTask.ts`). */
export async function bootstrap(options: BootstrapOptions): Promise<void> {
  const { registry, catalogue, serviceRanges = serviceRangesDefault, seeded = false } = options;
  const objects = bootstrapObjects();
  for (const { group, version, resource: name } of bootstrapped) {
    const resource = catalogue.resource(group, version, name);
    if (resource === null || (seeded && name !== 'services')) continue;
    const wanted = objects[name] ?? [];
    if (name === 'services') await ensureServices(wanted, resource, options);
    else await Promise.all(wanted.map((object) => ensureWithStatus({ registry, resource, object, isRight: anyIsRight }, options)));
    if (name === 'apiservices') await removeStale({ registry, resource, catalogue, wanted }, options);
  }
  const ranges = catalogue.resource('networking.k8s.io', 'v1', 'servicecidrs');
  if (ranges !== null) await ensureRanges({ registry, resource: ranges, cidrs: serviceRanges }, options);
}

async function ensureServices(wanted: readonly ApiObject[], resource: ServedResource, options: BootstrapOptions): Promise<void> {
  const { registry, serviceRanges = serviceRangesDefault, servicePort = servicePortDefault, nodePort = 0 } = options;
  for (const service of wanted) fitService(service, { range: firstRange(serviceRanges), port: servicePort, nodePort });
  const isRight = (current: ApiObject): boolean => isWithin(current, serviceRanges);
  await Promise.all(wanted.map((object) => ensureWithStatus({ registry, resource, object, isRight }, options)));
}

const anyIsRight = (): boolean => true;

const automanaged = { label: 'kube-aggregator.kubernetes.io/automanaged', onStart: 'onstart' } as const;

interface StaleSearch {
  readonly registry: Registry;
  readonly resource: ServedResource;
  readonly catalogue: Catalogue;
  readonly wanted: readonly ApiObject[];
}

/** Removes another release's API services (`autoregister_controller.go` of kube-aggregator). */
const removeStale = ({ registry, resource, catalogue, wanted }: StaleSearch, options: StartTaskOptions): Promise<void> =>
  startTask(
    'stale API services',
    async () => {
      const names = new Set(wanted.map(({ metadata }) => metadata.name));
      const { items } = await registry.list(resource, { ...everything, namespace: '', consistency: { at: 'mostRecent' } });
      const stale = items.filter(
        ({ name, labels }) => labels[automanaged.label] === automanaged.onStart && !names.has(name) && !isServed(name, catalogue),
      );
      await Promise.all(
        stale.map(({ name, uid }) =>
          registry.delete({ resource, namespace: '', name }, { ...noDeleteOptions, uid }, ownWrites).catch((error: unknown) => {
            // Another server may have been faster.
            if (!(error instanceof StatusError && (error.code === 404 || error.code === 409))) throw error;
          }),
        ),
      );
    },
    options,
  );

/** `name`: `VERSION.GROUP`. */
const isServed = (name: string, catalogue: Catalogue): boolean =>
  catalogue.version(name.slice(name.indexOf('.') + 1), name.slice(0, name.indexOf('.'))) !== null;

function firstRange(ranges: readonly string[]): Range {
  const range = parseRange(ranges[0] ?? '');
  if (range === null) throw new Error(`${JSON.stringify(ranges[0])} is no range of addresses`);
  return range;
}

function isWithin(service: ApiObject, ranges: readonly string[]): boolean {
  const parsed = ranges.map(parseRange);
  return itemsOf(membersOf(service['spec'])['clusterIPs']).every((text) => {
    const address = parseAddress(String(text));
    return address !== null && parsed.some((range) => range !== null && contains(range, address));
  });
}

const rangesName = 'kubernetes';
const serviceCidrs: GroupResource = { group: 'networking.k8s.io', resource: 'servicecidrs' };
const services: GroupResource = { group: '', resource: 'services' };
const serviceNamespace = 'default';

interface Ranges {
  readonly registry: Registry;
  readonly resource: ServedResource;
  readonly cidrs: readonly string[];
}

/** Clients may delete both (`controller/kubernetesservice` and `controller/defaultservicecidr` of the reference). */
export function keepBootstrapped(storage: Pick<Storage, 'watch'>, options: BootstrapOptions): Following {
  const { registry, catalogue, serviceRanges = serviceRangesDefault } = options;
  const made = (of: GroupResource, again: Again): Following =>
    onRemoval(storage, of, async (namespace, name) => {
      const resource = catalogue.resource(of.group, 'v1', of.resource);
      if (resource !== null) await again(resource, namespace, name);
    });
  const kept = [
    made(services, async (resource, namespace, name) => {
      const wanted = (bootstrapObjects()['services'] ?? []).filter(({ metadata: { name: its } }) => its === name);
      if (namespace === serviceNamespace) await ensureServices(wanted, resource, options);
    }),
    made(serviceCidrs, async (resource, _, name) => {
      if (name === rangesName) await ensureRanges({ registry, resource, cidrs: serviceRanges }, options);
    }),
  ];
  const stop = (): void => {
    for (const each of kept) each.stop();
  };
  return { synced: Promise.all(kept.map(({ synced }) => synced)).then(() => undefined), stop };
}

type Again = (resource: ServedResource, namespace: string, name: string) => Promise<void>;

function onRemoval(
  storage: Pick<Storage, 'watch'>,
  resource: GroupResource,
  again: (namespace: string, name: string) => Promise<void>,
): Following {
  return follow(storage, resource, {
    put: () => undefined,
    remove: (namespace, name) => void again(namespace, name).catch(() => undefined),
  });
}

/** Adds a second range that was configured since. Its controller maintains the object from then on. */
async function ensureRanges({ registry, resource, cidrs }: Ranges, options: StartTaskOptions): Promise<void> {
  const metadata = { name: rangesName, finalizers: ['networking.k8s.io/service-cidr-finalizer'] };
  const object = { apiVersion: 'networking.k8s.io/v1', kind: 'ServiceCIDR', metadata, spec: { cidrs: [...cidrs] } };
  const ready = { type: 'Ready', status: 'True', reason: '', message: 'Kubernetes Service CIDR is ready' };
  await ensureWithStatus({ registry, resource, object: { ...object, status: { conditions: [ready] } }, isRight: anyIsRight }, options);
  await startTask(`${resource.resource} ${rangesName}`, () => widenRanges({ registry, resource, cidrs }), options);
}

/** Follows the reference. An administrator has to repair any other difference. */
async function widenRanges({ registry, resource, cidrs }: Ranges): Promise<void> {
  const target = { resource, namespace: '', name: rangesName };
  const isNarrow = (object: ApiObject | null): object is ApiObject => {
    const shown = itemsOf(memberAt(object ?? { metadata: {} }, 'spec', 'cidrs'));
    return cidrs.length === 2 && shown.length === 1 && shown[0] === cidrs[0];
  };
  if (!isNarrow((await read(registry, target, 'any'))?.decode() ?? null)) return;
  const apply = (latest: ApiObject | null): ApiObject => {
    const current = latest ?? { metadata: { name: rangesName } };
    return isNarrow(current) ? { ...current, spec: { ...membersOf(current['spec']), cidrs: [...cidrs] } } : current;
  };
  await registry.update(target, { apply, subresource: '', uid: null, mayCreate: null }, ownWrites);
}

async function writeConditions(
  registry: Registry,
  resource: ServedResource,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  conditions: readonly JsonObject[],
): Promise<void> {
  const lastTransitionTime = timeText(Date.now());
  const status = { conditions: conditions.map((condition) => ({ ...condition, lastTransitionTime })) };
  const apply = (current: ApiObject | null): ApiObject => ({ ...(current ?? { metadata: { name } }), status });
  await registry.update({ resource, namespace, name }, { apply, subresource: 'status', uid: null, mayCreate: null }, ownWrites);
}

interface DesiredObject {
  readonly registry: Registry;
  readonly resource: ServedResource;
  readonly object: ApiObject;
  readonly isRight: (current: ApiObject) => boolean;
}

function ensureWithStatus(desired: DesiredObject, options: StartTaskOptions): Promise<void> {
  const { registry, resource, object } = desired;
  const { name = '', namespace = '' } = object.metadata;
  const conditions = itemsOf(membersOf(object['status'])['conditions']).map(membersOf);
  // API services' rules determine their availability.
  const written = conditions.length > 0 && resource.resource !== 'apiservices';
  let created = false;
  return startTask(
    `${resource.resource} ${name}`,
    async () => {
      created = (await ensure(desired)) || created;
      if (created && written) await writeConditions(registry, resource, { namespace, name }, conditions);
    },
    options,
  );
}

/** The service has one address, of the cluster's primary family. */
function fitService(
  service: ApiObject,
  { range, port, nodePort }: { readonly range: Range; readonly port: number; readonly nodePort: number },
): void {
  const spec = service['spec'] as {
    type?: string;
    clusterIP: string;
    clusterIPs: string[];
    ipFamilies: string[];
    ports: { targetPort: number; nodePort?: number }[];
  };
  const address = formatAddress({ family: range.family, value: range.first + 1n });
  spec.clusterIP = address;
  spec.clusterIPs = [address];
  spec.ipFamilies = [range.family];
  for (const entry of spec.ports) entry.targetPort = port;
  if (nodePort === 0) return;
  spec.type = 'NodePort';
  for (const entry of spec.ports) entry.nodePort = nodePort;
}

/** A wrong object is replaced: the wrong part is immutable. */
async function ensure({ registry, resource, object, isRight }: DesiredObject): Promise<boolean> {
  const { name = '', namespace = '' } = object.metadata;
  const target = { resource, namespace, name };
  const current = await read(registry, target, 'any');
  if (current !== null && isRight(current.decode())) return false;
  if (current !== null) await registry.delete(target, { ...noDeleteOptions, uid: current.uid }, ownWrites);
  try {
    await registry.create({ ...target, name: '' }, structuredClone(object), ownWrites);
    return true;
  } catch (error) {
    // Another replica may have been faster: the requested value then belongs to the same object.
    if (error instanceof StatusError && (error.reason === 'AlreadyExists' || (await read(registry, target, 'mostRecent')) !== null))
      return false;
    throw error;
  }
}

async function read(registry: Registry, target: Target, at: 'any' | 'mostRecent'): Promise<StoredObject | null> {
  try {
    return await registry.get(target, { at });
  } catch (error) {
    if (error instanceof StatusError && error.code === 404) return null;
    throw error;
  }
}
