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

/** What this server shows to node agents, and whose certificates it trusts. Without authorities every certificate is taken, as in the reference. */
export interface AgentCredentials {
  readonly ca: Buffer | null;
  readonly cert: Buffer | null;
  readonly key: Buffer | null;
}

export interface BackendOptions {
  readonly credentials: AgentCredentials;
  /** Types of node addresses, best first: `--kubelet-preferred-address-types`. */
  readonly preferredAddresses: readonly string[];
  /** How long a connection may take to be there: `--kubelet-timeout`. */
  readonly connectTimeoutMs: number;
  /** Of one connection that is handed over, in each direction: `--max-connection-bytes-per-sec`; 0 for no limit. */
  readonly bytesPerSecond?: number;
  /** The way to nodes, pods and services; null for the direct one. */
  readonly dial?: Dial | null;
  /** Another way to a host and port than the direct one, whose address has been checked. */
  readonly route?: (host: string, port: number) => { readonly host: string; readonly port: number };
  /** Default: as the system looks up. */
  readonly lookup?: Lookup;
}

export interface Backends {
  /** Of one connection that is handed over, in each direction; 0 for no limit. */
  readonly bytesPerSecond: number;
  readonly preferredAddresses: readonly string[];
  /** What a host is found to be, if a proxy path may lead there. Throws 400 where it may not. */
  proxyable(host: string): Promise<readonly LookupAddress[]>;
  /** Sends one request over a connection of its own. Follows no redirects. Rejects with a BackendError. */
  send(location: Location, request: BackendRequest): Promise<BackendAnswer>;
}

const defaultPorts = { http: 80, https: 443 } as const;
/** Names, addresses and connections that are not there; anything else came from a backend that was. */
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
      // Who was asked for is what the certificate has to name, whatever way leads there.
      ...(isIP(host) > 0 && via.host !== host ? { checkServerIdentity: () => undefined } : {}),
    }),
  });
}

/** Answers sockets that look up a name with what it was found to be when it was checked. */
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
