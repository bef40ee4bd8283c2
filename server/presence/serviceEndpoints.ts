import { isIPv6 } from 'node:net';
import type { ApiObject, JsonObject } from '../../api/object.js';
import { itemsOf, memberAt, textAt } from '../../api/json/members.js';
import type { ServerAddress } from './serverLease.js';

export const service = { namespace: 'default', name: 'kubernetes' } as const;
const portName = 'https';

interface Reached {
  readonly port: number;
  readonly ips: readonly string[];
}

/** Returns the service's addresses by port, each once, with its lowest port. Pure, ordered by address as in the reference (`doReconcile` in reconcilers/lease.go). */
function reached(servers: readonly ServerAddress[]): readonly Reached[] {
  const portOf = new Map<string, number>();
  for (const { ip, port } of servers) portOf.set(ip, Math.min(port, portOf.get(ip) ?? port));
  const ordered = [...portOf].sort(([a], [b]) => (a < b ? -1 : 1));
  return [...new Set(ordered.map(([, port]) => port))].map((port) => ({
    port,
    ips: ordered.filter(([, its]) => its === port).map(([ip]) => ip),
  }));
}

/**
 * Returns the addresses of `master-count`: existing ones and this server's own, without those that follow it in order, until `count` are left. Each server
 * adds itself in its turn, so addresses of dead servers finally go. Pure.
 */
export function countedAddresses(there: readonly string[], own: string, count: number): readonly string[] {
  if (there.includes(own) && there.length <= count) return there;
  const all = [...new Set([...there, own])].sort();
  const at = all.indexOf(own) + 1;
  // Own address last: addresses after it, in circular order, go first.
  const kept = [...all.slice(at), ...all.slice(0, at)].slice(-count);
  return kept.sort();
}

export function endpointsFor(servers: readonly ServerAddress[]): ApiObject {
  return {
    apiVersion: 'v1',
    kind: 'Endpoints',
    // Servers also make slices, so mirroring is not needed.
    metadata: { ...service, labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' } },
    subsets: reached(servers).map(({ port, ips }) => ({
      addresses: ips.map((ip) => ({ ip })),
      ports: [{ name: portName, port, protocol: 'TCP' }],
    })),
  };
}

export const addressesIn = (endpoints: ApiObject | null): readonly string[] =>
  itemsOf(memberAt(endpoints, 'subsets')).flatMap((subset) =>
    itemsOf(memberAt(subset, 'addresses')).map((address) => textAt(address, 'ip')),
  );

/** Returns the service's EndpointSlice, with ports and address family of the first server. Pure. */
export function sliceFor(servers: readonly ServerAddress[]): ApiObject {
  const [{ port, ips } = { port: 0, ips: [] }] = reached(servers);
  const addressType = ips[0] !== undefined && isIPv6(ips[0]) ? 'IPv6' : 'IPv4';
  const endpoints = ips
    .filter((ip) => isIPv6(ip) === (addressType === 'IPv6'))
    .map((ip): JsonObject => ({ addresses: [ip], conditions: { ready: true } }));
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { ...service, labels: { 'kubernetes.io/service-name': service.name } },
    addressType,
    endpoints,
    ports: port === 0 ? [] : [{ name: portName, port, protocol: 'TCP' }],
  };
}

/** Returns whether an object has the wanted content; other metadata is ignored, and stored objects may lack their type. */
export function says(current: ApiObject, wanted: ApiObject): boolean {
  const contentOf = (object: ApiObject): string => {
    const {
      metadata: { labels = {} },
      ...rest
    } = object;
    const own = Object.keys(wanted.metadata.labels ?? {}).map((name) => labels[name]);
    return JSON.stringify([
      own,
      ...Object.keys(wanted)
        .filter((name) => !['apiVersion', 'kind', 'metadata'].includes(name))
        .map((name) => canonical(rest[name])),
    ]);
  };
  return contentOf(current) === contentOf(wanted);
}

const canonical = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, canonical(member)]),
  );
};
