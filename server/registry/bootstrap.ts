import { setTimeout as delay } from 'node:timers/promises';
import { timeText } from '../../api/time.js';
import type { ApiObject, JsonObject } from '../api/object.js';
import { StatusError } from '../api/status.js';
import { bootstrapObjects } from '../catalogue/bootstrapObjects.js';
import type { Registry } from './contract.js';
import type { Target } from './target.js';
import { ownWrites } from './ownWrites.js';
import { itemsOf, membersOf } from './members.js';
import type { Catalogue, ServedResource } from './resources.js';
import { formatAddress, parseRange } from './validation/addresses.js';

export interface BootstrapOptions {
  readonly registry: Registry;
  readonly catalogue: Catalogue;
  /** Ranges of service addresses; the `kubernetes` service has the first address of the first one. */
  readonly serviceRanges?: readonly string[];
  /** Port on which the servers listen. */
  readonly servicePort?: number;
  /** Port of nodes at which the service is reached as well; 0 for none. */
  readonly nodePort?: number;
  /** What is the same in every cluster has just been put there (`server/seed`). */
  readonly seeded?: boolean;
  /** Ends the attempts. */
  readonly signal?: AbortSignal;
}

/** Created in this order: what is namespaced needs its namespace. */
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
const retryMs = 200;

/**
 * Creates the objects that every cluster has. Idempotent, and all replicas may run it at the same time: whoever comes second finds the
 * object there. Waits for storage to take writes; rejects only when `signal` aborts or an object is refused, which is a defect.
 */
export async function bootstrap({
  registry,
  catalogue,
  serviceRanges = serviceRangesDefault,
  servicePort = servicePortDefault,
  nodePort = 0,
  seeded = false,
  signal,
}: BootstrapOptions): Promise<void> {
  const objects = bootstrapObjects();
  for (const { group, version, resource: name } of bootstrapped) {
    const resource = catalogue.resource(group, version, name);
    if (resource === null || (seeded && name !== 'services')) continue;
    const wanted = objects[name] ?? [];
    if (name === 'services')
      for (const service of wanted) fitService(service, { address: firstAddress(serviceRanges), port: servicePort, nodePort });
    // Together, so that they share the store's round trips.
    await Promise.all(wanted.map((object) => ensureWithStatus(registry, resource, object, signal)));
  }
  const ranges = catalogue.resource('networking.k8s.io', 'v1', 'servicecidrs');
  if (ranges !== null) await ensureRanges(registry, ranges, serviceRanges, signal);
}

function firstAddress(ranges: readonly string[]): string {
  const range = parseRange(ranges[0] ?? '');
  if (range === null) throw new Error(`${JSON.stringify(ranges[0])} is no range of addresses`);
  return formatAddress({ family: range.family, value: range.first + 1n });
}

const rangesName = 'kubernetes';

/** The object that shows the configured ranges. Its controller keeps it from then on; it is ready from the start. */
async function ensureRanges(
  registry: Registry,
  resource: ServedResource,
  cidrs: readonly string[],
  signal: AbortSignal | undefined,
): Promise<void> {
  const metadata = { name: rangesName, finalizers: ['networking.k8s.io/service-cidr-finalizer'] };
  if (
    !(await ensure(
      registry,
      resource,
      { apiVersion: 'networking.k8s.io/v1', kind: 'ServiceCIDR', metadata, spec: { cidrs: [...cidrs] } },
      signal,
    ))
  )
    return;
  const ready = { type: 'Ready', status: 'True', reason: '', message: 'Kubernetes Service CIDR is ready' };
  await writeConditions(registry, resource, { namespace: '', name: rangesName }, [ready]);
}

/** Clients cannot create an object with conditions, so those that tell of a working cluster are written afterwards. */
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

async function ensureWithStatus(
  registry: Registry,
  resource: ServedResource,
  object: ApiObject,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { name = '', namespace = '' } = object.metadata;
  const created = await ensure(registry, resource, object, signal);
  const conditions = itemsOf(membersOf(object['status'])['conditions']).map(membersOf);
  // API services are the exception: their rules find out by themselves that they are available.
  if (created && conditions.length > 0 && resource.resource !== 'apiservices')
    await writeConditions(registry, resource, { namespace, name }, conditions);
}

/** The recorded service carries the address and port of the installation where it was recorded. */
function fitService(
  service: ApiObject,
  { address, port, nodePort }: { readonly address: string; readonly port: number; readonly nodePort: number },
): void {
  const spec = service['spec'] as {
    type?: string;
    clusterIP: string;
    clusterIPs: string[];
    ports: { targetPort: number; nodePort?: number }[];
  };
  spec.clusterIP = address;
  spec.clusterIPs = [address];
  for (const entry of spec.ports) entry.targetPort = port;
  if (nodePort === 0) return;
  spec.type = 'NodePort';
  for (const entry of spec.ports) entry.nodePort = nodePort;
}

/** Whether this call has created it. */
async function ensure(registry: Registry, resource: ServedResource, object: ApiObject, signal: AbortSignal | undefined): Promise<boolean> {
  const { name = '', namespace = '' } = object.metadata;
  let refusal: StatusError | null = null;
  for (let attempts = 0; ; attempts++) {
    signal?.throwIfAborted();
    if (attempts > 0) await delay(retryMs, undefined, signal === undefined ? {} : { signal });
    try {
      if (await exists(registry, { resource, namespace, name }, refusal === null ? 'any' : 'mostRecent')) return false;
      if (refusal !== null) break;
      await registry.create({ resource, namespace, name: '' }, structuredClone(object), ownWrites);
      return true;
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      if (error.reason === 'AlreadyExists') return false;
      // Another replica may have been faster: then what this one asked for (an address, say) is taken by the very same object. Look again before giving up.
      if (!retryable.has(error.code)) refusal = error;
    }
  }
  throw new Error(`${resource.resource} ${name} cannot be created: ${refusal.message}`, { cause: refusal });
}

/** 404 among them: the namespace may not be visible yet. */
const retryable: ReadonlySet<number> = new Set([404, 429, 503, 504]);

async function exists(registry: Registry, target: Target, at: 'any' | 'mostRecent'): Promise<boolean> {
  try {
    await registry.get(target, { at });
    return true;
  } catch (error) {
    if (error instanceof StatusError && error.code === 404) return false;
    throw error;
  }
}
