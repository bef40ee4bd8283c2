import { setTimeout as delay } from 'node:timers/promises';
import type { ApiObject } from '../api/object.js';
import { StatusError } from '../api/status.js';
import { bootstrapObjects } from '../catalogue/bootstrapObjects.js';
import type { Catalogue, ServedResource } from '../catalogue/resources.js';
import type { Registry, WriteOptions } from './contract.js';

export interface BootstrapOptions {
  readonly registry: Registry;
  readonly catalogue: Catalogue;
  /** Address of the `kubernetes` service: the first one of the service range. */
  readonly serviceAddress?: string;
  /** Port on which the servers listen. */
  readonly servicePort?: number;
  /** Ends the attempts. */
  readonly signal?: AbortSignal;
}

/** Created in this order: what is namespaced needs its namespace. */
const BOOTSTRAPPED = [
  { group: '', version: 'v1', resource: 'namespaces' },
  { group: '', version: 'v1', resource: 'services' },
  { group: 'scheduling.k8s.io', version: 'v1', resource: 'priorityclasses' },
  { group: 'apiregistration.k8s.io', version: 'v1', resource: 'apiservices' },
] as const;

const SERVICE_ADDRESS = '10.0.0.1';
const SERVICE_PORT = 6443;
const RETRY_MS = 200;
const WRITE_TIMEOUT_MS = 10_000;
const options: WriteOptions = { userName: 'system:apiserver', manager: 'kube-apiserver', dryRun: false, timeoutMs: WRITE_TIMEOUT_MS, warn: () => {} };

/**
 * Creates the objects that every cluster has. Idempotent, and all replicas may run it at the same time: whoever comes second finds the
 * object there. Waits for storage to take writes; rejects only when `signal` aborts or an object is refused, which is a defect.
 */
export async function bootstrap({ registry, catalogue, serviceAddress = SERVICE_ADDRESS, servicePort = SERVICE_PORT, signal }: BootstrapOptions): Promise<void> {
  const objects = bootstrapObjects();
  for (const { group, version, resource: name } of BOOTSTRAPPED) {
    const resource = catalogue.resource(group, version, name);
    if (resource === null) continue;
    const wanted = objects[name] ?? [];
    if (name === 'services') for (const service of wanted) fitService(service, serviceAddress, servicePort);
    // Together, so that they share the store's round trips.
    await Promise.all(wanted.map(object => ensure(registry, resource, object, signal)));
  }
}

/** The recorded service carries the address and port of the installation where it was recorded. */
function fitService(service: ApiObject, address: string, port: number): void {
  const spec = service['spec'] as { clusterIP: string; clusterIPs: string[]; ports: { targetPort: number }[] };
  spec.clusterIP = address;
  spec.clusterIPs = [address];
  for (const entry of spec.ports) entry.targetPort = port;
}

async function ensure(registry: Registry, resource: ServedResource, object: ApiObject, signal: AbortSignal | undefined): Promise<void> {
  const { name = '', namespace = '' } = object.metadata;
  for (;;) {
    signal?.throwIfAborted();
    try {
      if (await exists(registry, resource, namespace, name)) return;
      await registry.create({ resource, namespace, name: '' }, structuredClone(object), options);
      return;
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      if (error.reason === 'AlreadyExists') return;
      if (!RETRYABLE.has(error.code)) throw new Error(`${resource.resource} ${name} cannot be created: ${error.message}`, { cause: error });
    }
    await delay(RETRY_MS, undefined, signal === undefined ? {} : { signal });
  }
}

/** 404 among them: the namespace may not be visible yet. */
const RETRYABLE: ReadonlySet<number> = new Set([404, 429, 503, 504]);

async function exists(registry: Registry, resource: ServedResource, namespace: string, name: string): Promise<boolean> {
  try {
    await registry.get({ resource, namespace, name }, { at: 'any' });
    return true;
  } catch (error) {
    if (error instanceof StatusError && error.code === 404) return false;
    throw error;
  }
}
