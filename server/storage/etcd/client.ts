import { setTimeout as delay } from 'node:timers/promises';
import type { Client, ClientDuplexStream, Metadata } from '@grpc/grpc-js';
import type { Method } from '../../../program/grpc/localService.js';
import { EtcdError, failureOf } from './failure.js';
import { status, watchPath, watchRequest, watchResponse, type StatusResponse, type WatchRequest, type WatchResponse } from './messages.js';

export interface EtcdClientOptions {
  readonly servers: readonly string[];
  /** PEM texts. */
  readonly tls: { readonly ca: Buffer | null; readonly cert: Buffer | null; readonly key: Buffer | null };
  readonly relay?: ((host: string, port: number) => Promise<Relay>) | null;
}

interface Relay {
  readonly path: string;
  close(): void;
}

export interface CallOptions {
  readonly timeoutMs: number;
  /** Every failure is retried on another member. */
  readonly repeatable: boolean;
}

export type WatchStream = ClientDuplexStream<WatchRequest, WatchResponse>;

interface Endpoint {
  readonly url: string;
  readonly client: Client;
  readonly relay: Relay | null;
}

const attemptMs = 2_000;
const pauseMsMin = 20;
const pauseMsMax = 500;

/** etcd permits at most one every 5 s. */
const keepaliveMs = 10_000;
const keepaliveTimeoutMs = 3_000;

const channel = {
  'grpc.max_receive_message_length': -1,
  'grpc.max_send_message_length': -1,
  'grpc.keepalive_time_ms': keepaliveMs,
  'grpc.keepalive_timeout_ms': keepaliveTimeoutMs,
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.min_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 1_000,
  'grpc.enable_retries': 0,
};

/** Calls one member as long as it answers. Retries only `repeatable` calls after indefinite results. */
export class EtcdClient {
  readonly #options: EtcdClientOptions;
  #endpoints: Promise<readonly Endpoint[]> | null = null;
  #metadata: Metadata | null = null;
  #preferred = 0;
  #closed = false;
  readonly #onSuspect = new Set<(url: string) => void>();

  constructor(options: EtcdClientOptions) {
    this.#options = options;
    if (options.servers.length === 0) throw new RangeError('etcd needs at least one server');
  }

  /** Rejects with an EtcdError. */
  async call<Q, A>(method: Method<Q, A>, message: Q, { timeoutMs, repeatable }: CallOptions): Promise<A> {
    const deadline = performance.now() + timeoutMs;
    for (let pauseMs = pauseMsMin; ; pauseMs = Math.min(pauseMs * 2, pauseMsMax)) {
      const endpoint = await this.#endpoint();
      const leftMs = Math.max(1, deadline - performance.now());
      try {
        return await this.#ask(endpoint, method, message, repeatable ? Math.min(leftMs, attemptMs) : leftMs);
      } catch (error) {
        const failure = failureOf(error);
        const again = failure.kind === 'unavailable' || (repeatable && (failure.kind === 'unknown' || failure.kind === 'future'));
        if (failure.kind === 'unavailable' || failure.kind === 'unknown') this.suspect(endpoint.url);
        if (!again || this.#closed || performance.now() + pauseMs >= deadline) throw failure;
      }
      await delay(pauseMs, undefined, { ref: false });
    }
  }

  async watch(): Promise<{ readonly url: string; readonly stream: WatchStream }> {
    const { client, url } = await this.#endpoint();
    const stream = client.makeBidiStreamRequest(watchPath, watchRequest.encode, watchResponse.decode, this.#leaderRequired());
    return { url, stream };
  }

  async members(timeoutMs: number): Promise<readonly (readonly [url: string, answer: StatusResponse | EtcdError])[]> {
    const endpoints = await this.#all();
    return Promise.all(
      endpoints.map(
        async (endpoint) =>
          [endpoint.url, await this.#ask(endpoint, status, {}, timeoutMs).catch((error: unknown) => failureOf(error))] as const,
      ),
    );
  }

  suspect(url: string): void {
    const { servers } = this.#options;
    if (servers[this.#preferred % servers.length] !== url) return;
    this.#preferred = (this.#preferred + 1) % servers.length;
    for (const listener of this.#onSuspect) listener(url);
  }

  onSuspect(listener: (url: string) => void): () => void {
    this.#onSuspect.add(listener);
    return () => this.#onSuspect.delete(listener);
  }

  close(): void {
    this.#closed = true;
    void this.#endpoints?.then((endpoints) => {
      for (const { client, relay } of endpoints) {
        client.close();
        relay?.close();
      }
    });
  }

  async #endpoint(): Promise<Endpoint> {
    const all = await this.#all();
    const endpoint = all[this.#preferred % all.length];
    if (endpoint === undefined || this.#closed) throw new EtcdError('unavailable', 'the connection to etcd is closed');
    return endpoint;
  }

  #all(): Promise<readonly Endpoint[]> {
    if (this.#endpoints === null) {
      this.#endpoints = this.#connect();
      // The next call tries again.
      this.#endpoints.catch(() => {
        this.#endpoints = null;
      });
    }
    return this.#endpoints;
  }

  #leaderRequired(): Metadata {
    if (this.#metadata === null) throw new Error('broken invariant: a call before the library was loaded');
    return this.#metadata;
  }

  async #connect(): Promise<readonly Endpoint[]> {
    const grpc = await import('../../../program/grpc/client.js');
    this.#metadata = new grpc.Metadata();
    // A member cut off from the leader then fails.
    this.#metadata.set('hasleader', 'true');
    const secure = grpc.secureCredentials(this.#options.tls);
    const insecure = grpc.credentials.createInsecure();
    return Promise.all(
      this.#options.servers.map(async (url) => {
        const place = placeOf(url);
        const relay = place === null ? null : ((await this.#options.relay?.(place.host, place.port)) ?? null);
        const address = relay === null ? addressOf(url) : `unix:${relay.path}`;
        const name =
          place === null || relay === null
            ? {}
            : { 'grpc.ssl_target_name_override': place.host, 'grpc.default_authority': place.authority };
        return { url, relay, client: new grpc.Client(address, url.startsWith('https://') ? secure : insecure, { ...channel, ...name }) };
      }),
    );
  }

  #ask<Q, A>({ client }: Endpoint, method: Method<Q, A>, message: Q, timeoutMs: number): Promise<A> {
    return new Promise((resolve, reject) => {
      client.makeUnaryRequest(
        method.path,
        method.question.encode,
        method.answer.decode,
        message,
        this.#leaderRequired(),
        { deadline: Date.now() + timeoutMs },
        (error, value) => {
          if (error !== null) reject(failureOf(error));
          else if (value === undefined) reject(new EtcdError('unknown', 'no answer'));
          else resolve(value);
        },
      );
    });
  }
}

/** Null for a local socket. */
function placeOf(url: string): { readonly host: string; readonly port: number; readonly authority: string } | null {
  if (url.startsWith('unix:')) return null;
  const { hostname, port, host, protocol } = new URL(url);
  const usual = protocol === 'https:' ? 443 : 80;
  return { host: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? usual : Number(port), authority: host };
}

const addressOf = (url: string): string => (url.startsWith('unix:') ? url : url.replace(/^https?:\/\//, '').replace(/\/$/, ''));
