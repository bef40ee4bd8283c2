import { Agent, request } from 'node:https';
import { readFileSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { identityHeaders } from '../endpoints/backends/identityHeaders.js';
import { notFound, StatusError, unavailable } from '../../api/status.js';
import { tlsClientOptions } from '../../program/tls/tlsClient.js';
import { ask, BackendError } from '../endpoints/backends/answer.js';
import { writableOf } from '../../program/port/streams.js';
import type { Exchange } from '../http/exchange.js';
import { readLease, serverLeases, serverName, type ServerAddress } from '../presence/serverLease.js';
import type { Storage } from '../storage/contract.js';

export interface KnownServer {
  readonly name: string;
  readonly memberId: string | null;
  readonly address: string;
  readonly own: boolean;
  /** Milliseconds since 1970, or null. */
  readonly renewedAt: number | null;
}

export interface ServersOptions {
  readonly storage: Pick<Storage, 'list'>;
  readonly own: string;
  /** This server's client certificate and key for requests on behalf of users; or null. */
  readonly identity: { readonly certFile: string; readonly keyFile: string } | null;
  /** Certificate authorities of other servers; the system's by default. */
  readonly caFiles: readonly string[];
}

const connectTimeoutMs = 1_000;
const serversMax = 64;
const passedHeaders = ['content-type', 'x-content-type-options'] as const;

/** The other API servers, on each of which a page has its user's permissions. */
export class Servers {
  readonly #options: ServersOptions;
  #agent: Agent | null = null;

  constructor(options: ServersOptions) {
    this.#options = options;
  }

  async list(): Promise<readonly KnownServer[]> {
    return (await this.#leases()).map(({ name, memberId, lease }) => ({
      name,
      memberId,
      address: `${lease.address.ip}:${lease.address.port}`,
      own: name === this.#options.own,
      renewedAt: lease.renewedAt,
    }));
  }

  isOwn(name: string): boolean {
    return name === this.#options.own;
  }

  /** Forwards the request to another server as the same user, who needs permission there, and streams the response. */
  async passOn(exchange: Exchange, name: string): Promise<void> {
    const found = (await this.#leases()).find((each) => each.name === name);
    if (found === undefined) throw notFound({ group: '', resource: 'servers' }, name);
    const { identity } = this.#options;
    if (identity === null)
      throw unavailable('other servers cannot be asked: this one has no certificate to prove itself (--proxy-client-cert-file)');
    const { ip, port } = found.lease.peerAddress;
    try {
      await this.#relay(exchange, { ip, port });
    } catch (error) {
      if (error instanceof StatusError) throw error;
      throw Object.assign(unavailable(`${name} does not answer: ${(error as Error).message}`), { cause: error });
    }
  }

  async #relay(exchange: Exchange, { ip, port }: ServerAddress): Promise<void> {
    const outgoing = request({
      host: ip,
      port,
      ...tlsClientOptions({ servername: serverName }),
      method: 'GET',
      path: questionOf(exchange),
      headers: { ...identityHeaders(exchange.user), accept: '*/*', host: `${ip.includes(':') ? `[${ip}]` : ip}:${port}` },
      signal: exchange.signal,
      agent: (this.#agent ??= this.#connections()),
    });
    const { response: answer } = await ask(outgoing, {
      body: null,
      whom: `${ip}:${port}`,
      connectTimeoutMs,
      explain: (error) => new BackendError(error.message, false, { cause: error }),
    });
    const { response } = exchange;
    if (exchange.over) return void answer.destroy();
    for (const header of passedHeaders) if (answer.headers[header] !== undefined) response.setHeader(header, answer.headers[header]);
    response.statusCode = answer.statusCode ?? 502;
    response.flushHeaders();
    // A server that fails during its response cuts this one.
    await pipeline(answer, writableOf(response)).catch(() => {
      if (!response.writableEnded) response.destroy();
    });
  }

  #connections(): Agent {
    const { identity, caFiles } = this.#options;
    return new Agent({
      keepAlive: true,
      maxFreeSockets: 4,
      timeout: 30_000,
      ...tlsClientOptions({
        servername: serverName,
        ca: caFiles.length === 0 ? null : Buffer.from(caFiles.map((file) => readFileSync(file, 'utf8')).join('\n')),
        ...(identity === null ? {} : { cert: readFileSync(identity.certFile), key: readFileSync(identity.keyFile) }),
      }),
    });
  }

  async #leases(): Promise<readonly { readonly name: string; readonly memberId: string | null; readonly lease: LeaseRead }[]> {
    const { group, resource, namespace } = serverLeases;
    const found = await this.#options.storage.list({
      resource: { group, resource },
      namespace,
      labels: [],
      fields: [],
      consistency: { at: 'any' },
      limit: null,
      after: null,
    });
    if (found.outcome !== 'found') throw unavailable('leases of servers cannot be read');
    return found.items
      .flatMap((item) => {
        const object = item.decode();
        const lease = readLease(object);
        return lease === null ? [] : [{ name: item.name, memberId: lease.memberId, lease }];
      })
      .slice(0, serversMax);
  }

  stop(): void {
    this.#agent?.destroy();
  }
}

/** The same request, about that server itself. */
function questionOf({ info, query }: Exchange): string {
  const rest = new URLSearchParams(query);
  rest.delete('server');
  return rest.size === 0 ? info.path : `${info.path}?${rest.toString()}`;
}

type LeaseRead = NonNullable<ReturnType<typeof readLease>>;
