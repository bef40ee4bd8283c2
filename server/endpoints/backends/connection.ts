import { request as plainRequest, type ClientRequest, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import { request as secureRequest } from 'node:https';
import { isIP } from 'node:net';
import type { Duplex, Readable } from 'node:stream';
import type { Location } from './location.js';

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
  /** Another way to a host and port than the direct one. */
  readonly route?: (host: string, port: number) => { readonly host: string; readonly port: number };
}

export interface BackendRequest {
  readonly method: string;
  readonly headers: OutgoingHttpHeaders;
  /** Written to the backend as it comes; null for no body. */
  readonly body: Readable | null;
  readonly signal: AbortSignal;
  /** The client does not want the agent's certificate to be checked (`insecureSkipTLSVerifyBackend`). */
  readonly trusting?: boolean;
}

/** An answer, or a connection that speaks another protocol from now on. `head` is what the backend has sent on it already. */
export type BackendAnswer =
  | { readonly outcome: 'response'; readonly response: IncomingMessage }
  | { readonly outcome: 'upgraded'; readonly response: IncomingMessage; readonly socket: Duplex; readonly head: Buffer };

/** No answer came. `reached`: the other side was there, but did not behave like a backend should. */
export class BackendError extends Error {
  constructor(message: string, readonly reached: boolean, options?: ErrorOptions) {
    super(message, options);
    this.name = 'BackendError';
  }
}

export interface Backends {
  readonly preferredAddresses: readonly string[];
  /** Sends one request over a connection of its own. Follows no redirects. Rejects with a BackendError. */
  send(location: Location, request: BackendRequest): Promise<BackendAnswer>;
}

const defaultPorts = { http: 80, https: 443 } as const;
/** Names, addresses and connections that are not there; anything else came from a backend that was. */
const unreachable: ReadonlySet<string> = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT', 'ECONNRESET', 'EPIPE', 'EADDRNOTAVAIL', 'EACCES', 'EINVAL']);

export function createBackends(options: BackendOptions): Backends {
  return {
    preferredAddresses: options.preferredAddresses,
    send: (location, asked) => new Promise((resolve, reject) => {
      const outgoing = open(location, asked, options);
      const timer = setTimeout(() => { outgoing.destroy(new BackendError(`no connection to ${authority(location)} within ${options.connectTimeoutMs} ms`, false)); }, options.connectTimeoutMs);
      const connected = (): void => { clearTimeout(timer); };
      outgoing.once('socket', socket => { socket.once(location.scheme === 'https' ? 'secureConnect' : 'connect', connected); });
      outgoing.once('response', response => { resolve({ outcome: 'response', response }); });
      outgoing.once('upgrade', (response, socket, head) => { resolve({ outcome: 'upgraded', response, socket, head }); });
      outgoing.on('error', error => { connected(); reject(explained(error, location)); });
      outgoing.once('close', connected);
      if (asked.body === null) outgoing.end();
      else asked.body.pipe(outgoing);
    }),
  };
}

function open(location: Location, { method, headers, signal, trusting = false }: BackendRequest, { credentials, route }: BackendOptions): ClientRequest {
  const { scheme, path, query, agent } = location;
  const [host, port] = [location.host, location.port === '' ? defaultPorts[scheme] : Number(location.port)];
  const via = route?.(host, port) ?? { host, port };
  const common = { host: via.host, port: via.port, method, path: query === '' ? path : `${path}?${query}`, headers: { host: authority(location), ...headers }, signal, agent: false as const };
  if (scheme === 'http') return plainRequest(common);
  const { ca, cert, key } = credentials;
  return secureRequest({
    ...common, servername: isIP(host) > 0 ? '' : host, rejectUnauthorized: agent && ca !== null && !trusting,
    ...(agent && ca !== null ? { ca, ...partialChain } : {}), ...(agent && cert !== null && key !== null ? { cert, key } : {}),
    // Who was asked for is what the certificate has to name, whatever way leads there.
    ...(isIP(host) > 0 && via.host !== host ? { checkServerIdentity: () => undefined } : {}),
  });
}

/** Any certificate of the bundle is an anchor. Known to Node, not yet to its type declarations. */
const partialChain: object = { allowPartialTrustChain: true };

export const authority = ({ host, port }: Pick<Location, 'host' | 'port'>): string => `${host.includes(':') ? `[${host}]` : host}${port === '' ? '' : `:${port}`}`;

function explained(error: Error, location: Location): BackendError {
  if (error instanceof BackendError) return error;
  const { code = '' } = error as NodeJS.ErrnoException;
  return new BackendError(`${authority(location)}: ${error.message === '' ? code : error.message}`, !unreachable.has(code), { cause: error });
}
