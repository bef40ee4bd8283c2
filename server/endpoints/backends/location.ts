import type { LookupAddress } from 'node:dns';
import type { ApiObject, JsonObject } from '../../../api/object.js';
import { objectAt, objectsIn } from '../../../api/json/defaulting.js';
import { textAt } from '../../../api/json/members.js';

/** The destination of a proxied request. Pure. */
export interface Location {
  readonly scheme: 'http' | 'https';
  readonly host: string;
  /** Empty for the scheme's default. */
  readonly port: string;
  /** Percent-encoded, with the leading slash, without the query. */
  readonly path: string;
  readonly query: string;
  /** A node agent: both sides authenticate by certificate. */
  readonly agent: boolean;
  /** Null for logs and streams of agents: nodes may be anywhere, and paths are the server's. */
  readonly addresses: readonly LookupAddress[] | null;
}

const kubeletPort = 10_250;

export function nodeAddress(node: ApiObject, preferred: readonly string[]): string | null {
  const addresses = objectsIn(objectAt(node, 'status') ?? {}, 'addresses');
  const found = preferred
    .map((type) => addresses.find((each) => textAt(each, 'type') === type && textAt(each, 'address') !== ''))
    .find((each) => each !== undefined);
  return found === undefined ? null : textAt(found, 'address');
}

export function agentPort(node: ApiObject): string {
  const said = Number(textAt(node, 'status', 'daemonEndpoints', 'kubeletEndpoint', 'Port'));
  return String(said > 0 ? said : kubeletPort);
}

const isTrue = (query: URLSearchParams, name: string): boolean => {
  const text = query.get(name);
  return text !== null && text !== '0' && text.toLowerCase() !== 'false';
};

const flags = (query: URLSearchParams, names: Readonly<Record<string, string>>, value: string): [string, string][] =>
  Object.entries(names)
    .filter(([name]) => isTrue(query, name))
    .map(([, sent]) => [sent, value]);

const given = (query: URLSearchParams, names: readonly string[]): [string, string][] =>
  names.flatMap((name) => {
    const value = query.get(name);
    return value === null || value === '' ? [] : [[name, value] as [string, string]];
  });

const encoded = (pairs: readonly [string, string][]): string =>
  new URLSearchParams([...pairs].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))).toString();
const streams = { stdin: 'input', stdout: 'output', stderr: 'error', tty: 'tty' };

export const agentRequests: Readonly<
  Record<string, { readonly path: string; readonly ofContainer: boolean; readonly query: (query: URLSearchParams) => string }>
> = {
  log: {
    path: 'containerLogs',
    ofContainer: true,
    query: (query) =>
      encoded([
        ...flags(query, { follow: 'follow', previous: 'previous', timestamps: 'timestamps' }, 'true'),
        ...given(query, ['sinceSeconds', 'sinceTime', 'tailLines', 'limitBytes', 'stream']),
      ]),
  },
  exec: {
    path: 'exec',
    ofContainer: true,
    query: (query) =>
      encoded([...flags(query, streams, '1'), ...query.getAll('command').map((word) => ['command', word] as [string, string])]),
  },
  attach: { path: 'attach', ofContainer: true, query: (query) => encoded(flags(query, streams, '1')) },
  portforward: {
    path: 'portForward',
    ofContainer: false,
    query: (query) => encoded(query.getAll('ports').length === 0 ? [] : [['port', query.getAll('ports').join(',')]]),
  },
};

export const agentPath = (path: string, pod: ApiObject, container: string | null): string =>
  ['', path, pod.metadata.namespace ?? '', pod.metadata.name ?? '', ...(container === null ? [] : [container])]
    .map(encodeURIComponent)
    .join('/');

export function declaredPort(pod: ApiObject): string {
  const ports = objectsIn(objectAt(pod, 'spec') ?? {}, 'containers')
    .map((container) => objectsIn(container, 'ports')[0])
    .filter((port) => port !== undefined);
  return ports[0] === undefined ? '' : textAt(ports[0], 'containerPort');
}

export function portName(service: ApiObject, port: string): string | null {
  if (!/^\d+$/.test(port)) return port;
  const found = objectsIn(objectAt(service, 'spec') ?? {}, 'ports').find((each) => textAt(each, 'port') === port);
  return found === undefined ? null : textAt(found, 'name');
}

export interface Candidate {
  readonly ip: string;
  readonly port: string;
  readonly target: JsonObject | null;
}

export function candidates(endpoints: ApiObject, port: string): Candidate[] {
  return objectsIn(endpoints as JsonObject, 'subsets').flatMap((subset) => {
    const ports = objectsIn(subset, 'ports').filter((each) => textAt(each, 'name') === port);
    return objectsIn(subset, 'addresses').flatMap((address) =>
      ports.map((each) => ({ ip: textAt(address, 'ip'), port: textAt(each, 'port'), target: objectAt(address, 'targetRef') })),
    );
  });
}

export const podIps = (pod: ApiObject): string[] => {
  const status = objectAt(pod, 'status') ?? {};
  return [...objectsIn(status, 'podIPs').map((each) => textAt(each, 'ip')), textAt(status, 'podIP')].filter((ip) => ip !== '');
};
