import type { LookupAddress } from 'node:dns';
import { lookup as systemLookup } from 'node:dns/promises';
import { request as plainRequest, type ClientRequest } from 'node:http';
import { request as secureRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { ask, BackendError, type BackendAnswer, type BackendRequest } from './answer.js';
import { tlsClientOptions } from '../../../program/tls/tlsClient.js';
import { dialingAgent, type Dial } from '../../webhook/dialed.js';
import type { Location } from './location.js';
import { verificationText } from '../../../program/tls/verificationText.js';
import { proxyableAddresses, type Lookup } from './proxyable.js';

/** Every certificate is accepted without authorities, as in the reference. */
export interface AgentCredentials {
  readonly ca: Buffer | null;
  readonly cert: Buffer | null;
  readonly key: Buffer | null;
}

export interface BackendOptions {
  readonly credentials: AgentCredentials;
  /** Best first: `--kubelet-preferred-address-types`. */
  readonly preferredAddresses: readonly string[];
  readonly connectTimeoutMs: number;
  /** Limit per direction of an upgraded connection: `--max-connection-bytes-per-sec`; 0: none. */
  readonly bytesPerSecond?: number;
  /** Dials nodes, pods and services; null to connect directly. */
  readonly dial?: Dial | null;
  /** Maps a checked host and port to another route. */
  readonly route?: (host: string, port: number) => { readonly host: string; readonly port: number };
  /** Defaults to the system's resolver. */
  readonly lookup?: Lookup;
}

export interface Backends {
  readonly bytesPerSecond: number;
  readonly preferredAddresses: readonly string[];
  /** Throws 400 for hosts that a proxy path must not reach. */
  proxyable(host: string): Promise<readonly LookupAddress[]>;
  /** Follows no redirects. Rejects with a BackendError. */
  send(location: Location, request: BackendRequest): Promise<BackendAnswer>;
}

const defaultPorts = { http: 80, https: 443 } as const;
const unreachable: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
  'ECONNRESET',
  'EPIPE',
  'EADDRNOTAVAIL',
  'EACCES',
  'EINVAL',
]);

const lookupAll: Lookup = (host) => systemLookup(host, { all: true, verbatim: true });

export function createBackends(options: BackendOptions): Backends {
  const { preferredAddresses, connectTimeoutMs, bytesPerSecond = 0, lookup = lookupAll } = options;
  return {
    bytesPerSecond,
    preferredAddresses,
    proxyable: (host) => proxyableAddresses(host, lookup),
    send: async (location, asked) =>
      ask(open(location, asked, options), {
        body: asked.body,
        whom: authority(location),
        connectTimeoutMs,
        explain: (error, untrusted) => explained(error, untrusted, location),
      }),
  };
}

function open(
  location: Location,
  { method, headers, signal, trusting = false }: BackendRequest,
  { credentials, route, dial = null }: BackendOptions,
): ClientRequest {
  const { scheme, path, query, agent, addresses } = location;
  const [host, port] = [location.host, location.port === '' ? defaultPorts[scheme] : Number(location.port)];
  const via = route?.(host, port) ?? { host, port };
  const common = {
    host: via.host,
    port: via.port,
    method,
    path: query === '' ? path : `${path}?${query}`,
    headers: { host: authority(location), ...headers },
    signal,
    agent: dial === null ? (false as const) : dialingAgent(dial, { secure: scheme === 'https' }),
    ...(addresses === null ? {} : { lookup: foundBefore(addresses) }),
  };
  if (scheme === 'http') return plainRequest(common);
  const { ca, cert, key } = credentials;
  return secureRequest({
    ...common,
    ...tlsClientOptions({
      servername: isIP(host) > 0 ? '' : host,
      rejectUnauthorized: agent && ca !== null && !trusting,
      ...(agent ? { ca } : {}),
      ...(agent && cert !== null && key !== null ? { cert, key } : {}),
      // The certificate must name the requested host, whatever the route.
      ...(isIP(host) > 0 && via.host !== host ? { checkServerIdentity: () => undefined } : {}),
    }),
  });
}

/** Sockets use the checked addresses. */
const foundBefore =
  (addresses: readonly LookupAddress[]): LookupFunction =>
  (_host, { all = false }, found) => {
    const [first] = addresses;
    if (all || first === undefined) found(null, [...addresses]);
    else found(null, first.address, first.family);
  };

export const authority = ({ host, port }: Pick<Location, 'host' | 'port'>): string =>
  `${host.includes(':') ? `[${host}]` : host}${port === '' ? '' : `:${port}`}`;

function explained(error: Error, untrusted: boolean, location: Location): BackendError {
  const { code = '' } = error as NodeJS.ErrnoException;
  return new BackendError(
    `${authority(location)}: ${verificationText(error) ?? (error.message === '' ? code : error.message)}`,
    !unreachable.has(code),
    {
      cause: error,
      untrusted,
    },
  );
}
