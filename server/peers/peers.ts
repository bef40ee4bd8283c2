import { BoundedMap } from '../../api/boundedMap.js';
import { Agent, request } from 'node:https';
import { traceHeaders } from '../../program/tracing/activeTrace.js';
import { objectsIn } from '../../api/json/defaulting.js';
import { membersOf, textAt } from '../../api/json/members.js';
import type { JsonObject, JsonValue } from '../../api/object.js';
import { unavailable } from '../../api/status.js';
import { systemUser } from '../../api/user.js';
import { identityHeaders } from '../endpoints/backends/identityHeaders.js';
import { tlsClientOptions } from '../../program/tls/tlsClient.js';
import { verificationText } from '../../program/tls/verificationText.js';
import type { Catalogue } from '../registry/resources.js';
import type { RequestContext } from '../endpoints/context.js';
import type { RequestInfo } from '../../api/requestInfo.js';
import { ask, BackendError, type BackendAnswer } from '../endpoints/backends/answer.js';
import { framedBody } from '../endpoints/backends/framing.js';
import { answeredHeaders, forwardedHeaders } from '../endpoints/backends/headers.js';
import { encodePath } from '../endpoints/backends/paths.js';
import { handOver, leaveWith, pass } from '../endpoints/backends/relay.js';
import { readLease, serverLeases, serverName, type ServerAddress } from '../presence/serverLease.js';
import type { Storage } from '../storage/contract.js';
import { follow, type Following } from '../storage/follow.js';
import { PeerAddresses } from './addresses.js';
import { PeerDiscovery } from './peerDiscovery.js';
import { dialingAgent, type Dial } from '../webhook/dialed.js';
import { silentWhileIdle } from '../webhook/regularConnections.js';

/** Marks a forwarded request, which is not forwarded again. */
const proxied = 'x-kubernetes-peer-proxied';
const connectTimeoutMs = 5_000;
const answerBytesMax = 4 * 1024 * 1024;
const knownMs = 30_000;
const silentMs = 5_000;
const askedMs = 5_000;
const idleMs = 90_000;

export interface PeersOptions {
  readonly storage: Pick<Storage, 'watch'>;
  readonly catalogue: Catalogue;
  readonly own: string;
  /** Proves that identity headers come from a server. */
  readonly identity: { readonly cert?: string; readonly key?: string };
  /** Authorities of peers' certificates; null for the system's. */
  readonly ca: Buffer | null;
  readonly dial?: Dial | null;
}

/** Forwards requests for versions that only other API servers serve. */
export class Peers {
  readonly #options: PeersOptions;
  readonly #addresses = new PeerAddresses();
  readonly #served = new BoundedMap<string, { readonly until: number; readonly resources: Promise<ReadonlySet<string>> }>(servedMax);
  readonly #discovery = new PeerDiscovery({ ask: (address) => this.#groupsOf(address) });
  readonly #stopping = new AbortController();
  readonly #following: Following;
  readonly #agent: Agent;

  constructor(options: PeersOptions) {
    this.#options = options;
    const { identity, ca, dial = null } = options;
    const how = { keepAlive: true, timeout: idleMs, ...tlsClientOptions({ servername: serverName, ca, ...identity }) };
    this.#agent = silentWhileIdle(dial === null ? new Agent(how) : (dialingAgent(dial, { secure: true, ...how }) as Agent));
    const { group, resource, namespace } = serverLeases;
    this.#following = follow(
      options.storage,
      { group, resource },
      {
        put: (object) => {
          if (object.namespace !== namespace || object.name === options.own) return;
          const lease = readLease(object.decode());
          if (lease === null) this.#addresses.remove(object.name);
          else this.#addresses.put(object.name, lease.peerAddress);
          this.#discovery.follow(this.#addresses.all());
        },
        remove: (_namespace, name) => {
          this.#addresses.remove(name);
          this.#discovery.follow(this.#addresses.all());
        },
      },
    );
  }

  stop(): void {
    this.#following.stop();
    this.#discovery.stop();
    this.#stopping.abort();
    this.#agent.destroy();
  }

  /** Other servers' groups, as entries of aggregated discovery; each change replaces the array. */
  readonly groups = (): readonly (readonly JsonObject[])[] => this.#discovery.groups();

  /** Answers a request that only another server serves; false when none does. Throws 503 when those are unreachable. */
  async answers(context: RequestContext): Promise<boolean> {
    const { info, request: asked } = context;
    if (!info.isResource || asked.headers[proxied] !== undefined) return false;
    if (this.#options.catalogue.resource(info.group, info.version, info.resource) !== null) return false;
    let failure: BackendError | null = null;
    for await (const address of this.#serving(info, context)) {
      const answer = await this.#send(address, context).catch((error: unknown) => {
        if (error instanceof BackendError) return error;
        throw error;
      });
      if (!(answer instanceof BackendError)) {
        await passOn(context, answer);
        return true;
      }
      failure = answer;
      // The part of the body that was read is lost.
      if (framedBody(asked) !== null) break;
    }
    if (failure !== null)
      throw unavailable(`error trying to reach another API server that serves ${info.group}/${info.version}: ${failure.message}`);
    return false;
  }

  /** Yields the servers that serve it, in the order of their responses. Asks all in parallel, with one timeout. */
  async *#serving(info: RequestInfo & { readonly isResource: true }, context: RequestContext): AsyncGenerator<ServerAddress> {
    let timer: NodeJS.Timeout | undefined;
    const over = new Promise<null>((resolve) => {
      timer = setTimeout(resolve, askedMs, null);
    });
    const asked = new Map(
      this.#addresses.all().map((address) => [address, this.#serves(address, info, context).then((serves) => ({ address, serves }))]),
    );
    try {
      while (asked.size > 0) {
        const answer = await Promise.race([...asked.values(), over]);
        if (answer === null) return;
        asked.delete(answer.address);
        if (answer.serves) yield answer.address;
      }
    } finally {
      clearTimeout(timer);
    }
  }

  async #serves(address: ServerAddress, info: RequestInfo & { readonly isResource: true }, context: RequestContext): Promise<boolean> {
    const path = info.group === '' ? `/api/${info.version}` : `/apis/${info.group}/${info.version}`;
    const key = `${address.ip} ${address.port} ${path}`;
    const known = this.#served.get(key);
    const now = performance.now();
    if (known === undefined || known.until < now) {
      const resources = this.#discover(address, path, context).catch((): ReadonlySet<string> => {
        // Only some requests wait for a silent peer.
        this.#served.set(key, { until: performance.now() + silentMs, resources: Promise.resolve(new Set()) });
        return new Set();
      });
      this.#served.set(key, { until: now + knownMs, resources });
    }
    return (await this.#served.get(key)?.resources)?.has(info.resource) ?? false;
  }

  async #discover(address: ServerAddress, path: string, { user, signal }: RequestContext): Promise<ReadonlySet<string>> {
    const headers = { accept: 'application/json', [proxied]: 'true', ...identityHeaders(user) };
    const { code, body } = await this.#document(address, { path, headers, signal });
    if (code === 404) return new Set();
    if (code !== 200) throw new Error(`answered ${code}`);
    return new Set(objectsIn(membersOf(body), 'resources').map((resource) => textAt(resource, 'name')));
  }

  /** Returns a server's own resources, without its peers', which could circulate. */
  async #groupsOf(address: ServerAddress): Promise<readonly JsonObject[]> {
    const { code, body } = await this.#document(address, {
      path: '/apis',
      headers: { accept: ownGroupsType, [proxied]: 'true', ...identityHeaders(systemUser) },
      signal: AbortSignal.any([this.#stopping.signal, AbortSignal.timeout(askedMs)]),
    });
    if (code !== 200) throw new Error(`answered ${code}`);
    return objectsIn(membersOf(body), 'items');
  }

  async #document(
    address: ServerAddress,
    asked: Pick<Asked, 'path' | 'headers' | 'signal'>,
  ): Promise<{ readonly code: number; readonly body: JsonValue }> {
    const { response } = await this.#ask(address, { ...asked, method: 'GET', body: null });
    let text = '';
    for await (const chunk of response.setEncoding('utf8') as AsyncIterable<string>) {
      text += chunk;
      if (text.length > answerBytesMax) throw new Error('the document is too long');
    }
    const code = response.statusCode ?? 0;
    return { code, body: code === 200 ? (JSON.parse(text) as JsonValue) : null };
  }

  #send(address: ServerAddress, context: RequestContext): Promise<BackendAnswer> {
    const { upgrade = null, request: asked, query } = context;
    const stay = upgrade === null ? null : leaveWith(upgrade);
    return this.#ask(address, {
      method: asked.method ?? 'GET',
      path: `${encodePath(context.info.path)}${query.size === 0 ? '' : `?${query.toString()}`}`,
      headers: { ...forwardedHeaders(context, upgrade !== null), ...traceHeaders(), ...identityHeaders(context.user), [proxied]: 'true' },
      body: upgrade === null ? framedBody(asked) : null,
      signal: context.signal,
    }).finally(() => stay?.());
  }

  #ask({ ip, port }: ServerAddress, { method, path, headers, body, signal }: Asked): Promise<BackendAnswer> {
    const { identity, ca } = this.#options;
    const outgoing = request({
      host: ip,
      port,
      method,
      path,
      headers: { ...headers, host: `${ip.includes(':') ? `[${ip}]` : ip}:${port}` },
      signal,
      // An upgraded connection is not returned.
      agent: headers['upgrade'] === undefined ? this.#agent : false,
      ...tlsClientOptions({ servername: serverName, ca, ...identity }),
    });
    return ask(outgoing, {
      body,
      whom: `${ip}:${port}`,
      connectTimeoutMs,
      explain: (error) => new BackendError(`${ip}:${port}: ${verificationText(error) ?? error.message}`, false, { cause: error }),
    });
  }
}

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | number | readonly string[] | undefined>>;
  readonly body: ReturnType<typeof framedBody>;
  readonly signal: AbortSignal;
}

const servedMax = 1_000;
const ownGroupsType = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList;profile=nopeer';

async function passOn(context: RequestContext, answer: BackendAnswer): Promise<void> {
  const { upgrade = null, response } = context;
  if (upgrade !== null) return handOver(context, upgrade, answer);
  response.writeHead(answer.response.statusCode ?? 502, answeredHeaders(answer.response));
  response.flushHeaders();
  await pass(answer.response, context);
}
