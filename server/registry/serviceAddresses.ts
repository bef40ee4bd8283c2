import type { ApiObject, JsonObject } from '../../api/object.js';
import type { ObjectKey, Storage } from '../storage/contract.js';
import { objectsIn } from '../../api/json/defaulting.js';
import { everything } from './everything.js';
import { readFailure } from './failures.js';
import { itemsOf, memberAt, textAt } from '../../api/json/members.js';

export interface ServiceAddress {
  readonly host: string;
  readonly port: number;
}

export interface ServicePort {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
}

/** The message has the reference's words. */
export class ServiceUnresolvedError extends Error {}

/** Rejects with ServiceUnresolvedError or a StatusError. */
export type ServiceAddresses = (service: ServicePort) => Promise<ServiceAddress>;

const services = { group: '', resource: 'services' };
const slices = { group: 'discovery.k8s.io', resource: 'endpointslices' };
const ofService = 'kubernetes.io/service-name';

/** Returns the cluster address, from this replica's memory. */
export const clusterAddresses =
  (storage: Pick<Storage, 'get'>): ServiceAddresses =>
  async (wanted) => {
    const service = await serviceOf(storage, wanted);
    const type = typeOf(service);
    if (type === 'ExternalName') return { host: textAt(service, 'spec', 'externalName'), port: wanted.port };
    if (!routedTypes.has(type)) throw new ServiceUnresolvedError(`unsupported service type ${JSON.stringify(type)}`);
    const host = textAt(service, 'spec', 'clusterIP');
    if (type === 'ClusterIP' && host === 'None') throw new ServiceUnresolvedError('cannot route to service with ClusterIP "None"');
    portOf(service, wanted);
    return { host, port: wanted.port };
  };

/** Returns a random ready endpoint (`--enable-aggregator-routing`). */
export const endpointAddresses =
  (storage: Pick<Storage, 'get' | 'list'>, random: () => number = Math.random): ServiceAddresses =>
  async (wanted) => {
    const service = await serviceOf(storage, wanted);
    const type = typeOf(service);
    if (!routedTypes.has(type)) throw new ServiceUnresolvedError(`unsupported service type ${JSON.stringify(type)}`);
    const portName = textAt(portOf(service, wanted), 'name');
    const found = await storage.list({
      ...everything,
      resource: slices,
      namespace: wanted.namespace,
      labels: [{ key: ofService, operator: 'in', values: [wanted.name] }],
    });
    if (found.outcome !== 'found') throw readFailure(found);
    const addresses = found.items.flatMap((item) => readyAddresses(item.decode(), portName));
    const chosen = addresses[Math.floor(random() * addresses.length)];
    if (chosen === undefined) throw new ServiceUnresolvedError(`no endpoints available for service ${JSON.stringify(wanted.name)}`);
    return chosen;
  };

/** Own services need no object (`NewLoopbackServiceResolver`). */
export const loopbackAddresses =
  (others: ServiceAddresses, isOwn: (service: ServicePort) => boolean, own: () => ServiceAddress): ServiceAddresses =>
  (wanted) =>
    isOwn(wanted) ? Promise.resolve(own()) : others(wanted);

const routedTypes: ReadonlySet<string> = new Set(['ClusterIP', 'NodePort', 'LoadBalancer']);
const typeOf = (service: ApiObject): string => textAt(service, 'spec', 'type');

async function serviceOf(storage: Pick<Storage, 'get'>, { namespace, name }: ServicePort): Promise<ApiObject> {
  const key: ObjectKey = { resource: services, namespace, name };
  const found = await storage.get(key, { at: 'any' });
  if (found.outcome === 'found') return found.object.decode();
  if (found.outcome === 'absent') throw new ServiceUnresolvedError(`service ${JSON.stringify(name)} not found`);
  throw readFailure(found);
}

function portOf(service: ApiObject, { name, port }: ServicePort): JsonObject {
  const found = objectsIn(service['spec'] as JsonObject, 'ports').find((each) => each['port'] === port);
  if (found === undefined) throw new ServiceUnresolvedError(`no service port ${port} found for service ${JSON.stringify(name)}`);
  return found;
}

function readyAddresses(slice: ApiObject, portName: string): ServiceAddress[] {
  const ports = objectsIn(slice, 'ports')
    .filter((each) => textAt(each, 'name') === portName)
    .map((each) => Number(each['port'] ?? 0));
  const hosts = objectsIn(slice, 'endpoints')
    .filter((each) => memberAt(each, 'conditions', 'ready') !== false)
    .flatMap((each) => itemsOf(each['addresses']).map(String));
  return ports.flatMap((port) => hosts.map((host) => ({ host, port })));
}
