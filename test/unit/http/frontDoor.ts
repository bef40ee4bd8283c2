import { X509Certificate } from 'node:crypto';
import http2 from 'node:http2';
import https from 'node:https';
import { certificateAuthenticator } from '../../../program/authentication/certificate.js';
import type { Anchors } from '../../../program/authentication/peer.js';
import { firstOf } from '../../../program/authentication/authenticator.js';
import { bearerAuthenticator, firstTokenOf } from '../../../server/authentication/tokens/token.js';
import { firstDecision } from '../../../server/authorization/authorizer.js';
import { bootstrapRights } from '../../fixtures/bootstrapRights.js';
import { masters } from '../../../server/authorization/builtin.js';
import type { RequestContext } from '../../../server/endpoints/context.js';
import { createChain } from '../../../server/http/chain.js';
import type { Chain, ChainOptions } from '../../../server/http/chain.js';
import { listen } from '../../../program/port/listener.js';
import type { Listener, ListenerOptions } from '../../../program/port/listener.js';
import { createRoutes } from '../../../server/http/routes.js';
import { createHealthRegistry } from '../../../program/health.js';
import type { HealthRegistry } from '../../../program/health.js';
import type { Logger } from '../../../program/log/logger.js';
import { createMetrics } from '../../../server/http/metrics.js';
import { fixed, type Live } from '../../../program/files/liveFile.js';
import type { Identities, Identity } from './identities.js';

/** The HTTP side of a server with a resource handler that the test supplies, listening on a free port of 127.0.0.1. */
export interface FrontDoor {
  readonly listener: Listener;
  readonly chain: Chain;
  readonly health: HealthRegistry;
  readonly logged: readonly string[];
  readonly port: number;
  /** As the metrics tell: requests being worked on, and those without an end of their own. */
  counts(): Promise<{ readonly readOnly: number; readonly mutating: number; readonly longRunning: number }>;
}

export interface FrontDoorOptions {
  readonly identities: Identities;
  readonly server: Identity;
  readonly resources: (context: RequestContext) => Promise<void>;
  readonly chain?: Partial<ChainOptions>;
  readonly listener?: Partial<ListenerOptions>;
  readonly anonymous?: boolean;
  /** Whether certificates may say the uids of users. */
  readonly uids?: boolean;
  /** Instead of the authority of `identities`. */
  readonly anchors?: Live<Anchors>;
}

export async function openFrontDoor({
  identities,
  server,
  resources,
  chain: chainOptions,
  listener: listenerOptions,
  anonymous = true,
  uids = true,
  anchors = fixed([new X509Certificate(identities.ca)]),
}: FrontDoorOptions): Promise<FrontDoor> {
  const logged: string[] = [];
  const log = recordingLogger(logged);
  const metrics = createMetrics();
  const health = createHealthRegistry();
  health.add({ name: 'ping', check: () => {} }, ['healthz', 'livez', 'readyz']);
  const routes = createRoutes({ resources, documents: () => Promise.resolve(false), health, metrics, replica: null, log });
  const chain = createChain(
    {
      authenticate: firstOf([certificateAuthenticator(anchors, { uids }), bearerAuthenticator(firstTokenOf([]), [])], () => anonymous),
      authorize: firstDecision([masters, bootstrapRights()]),
      requestTimeoutMs: 60_000,
      inflight: { readOnlyMax: 0, mutatingMax: 0 },
      corsOrigins: [],
      strictTransportSecurity: null,
      metrics,
      log,
      ...chainOptions,
    },
    routes,
  );
  const listener = await listen({
    host: '127.0.0.1',
    port: 0,
    credentials: fixed({
      certificate: { cert: Buffer.from(server.cert), key: Buffer.from(server.key) },
      clientCa: Buffer.from(identities.ca),
      sni: null,
    }),
    tls: {},
    http2: true,
    http2StreamsMax: 0,
    goawayChance: 0,
    handle: chain.handle,
    ...listenerOptions,
  });
  const counts = async (): ReturnType<FrontDoor['counts']> => {
    const text = await metrics.registry.metrics();
    const sum = (pattern: RegExp): number => [...text.matchAll(pattern)].reduce((total, [, value]) => total + Number(value), 0);
    return {
      readOnly: sum(/^apiserver_current_inflight_requests\{[^}]*request_kind="readOnly"[^}]*\} (\S+)/gm),
      mutating: sum(/^apiserver_current_inflight_requests\{[^}]*request_kind="mutating"[^}]*\} (\S+)/gm),
      longRunning: sum(/^apiserver_longrunning_requests(?:\{[^}]*\})? (\S+)/gm),
    };
  };
  return { listener, chain, health, logged, port: listener.port, counts };
}

export function recordingLogger(lines: string[]): Logger {
  const write = (event: string, fields?: object): void => {
    lines.push(`${event} ${JSON.stringify(fields ?? {})}`);
  };
  const logger: Logger = { error: write, warn: write, info: write, debug: () => {}, enabled: () => false, named: () => logger };
  return logger;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
  readonly body: Record<string, unknown>;
}
export interface Call {
  readonly method?: string;
  readonly path: string;
  readonly identity?: Identity | null;
  /** Asked for in the handshake. */ readonly servername?: string;
  readonly headers?: Record<string, string | string[]>;
  readonly body?: string | Buffer;
}

const answer = (status: number, headers: object, chunks: readonly Buffer[]): Answer => {
  const text = Buffer.concat(chunks).toString();
  let body: Record<string, unknown> = {};
  try {
    body = JSON.parse(text) as Record<string, unknown>;
  } catch {
    /* not JSON */
  }
  return { status, headers: headers as Record<string, unknown>, text, body };
};

/** One request on a connection of its own, over HTTP/1.1. */
export function call1(port: number, { method = 'GET', path, identity = null, servername, headers = {}, body }: Call): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = https.request(
      {
        host: '127.0.0.1',
        port,
        method,
        path,
        headers,
        agent: false,
        rejectUnauthorized: false,
        ...(servername === undefined ? {} : { servername }),
        ...(identity === null ? {} : { cert: identity.cert, key: identity.key }),
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          resolve(answer(response.statusCode ?? 0, response.headers, chunks));
        });
      },
    );
    request.on('error', reject);
    request.end(body);
  });
}

/** One request on a connection of its own, over HTTP/2. */
export function call2(port: number, { method = 'GET', path, identity = null, headers = {}, body }: Call): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const session = http2.connect(`https://127.0.0.1:${port}`, {
      rejectUnauthorized: false,
      ...(identity === null ? {} : { cert: identity.cert, key: identity.key }),
    });
    session.on('error', reject);
    const stream = session.request({ ':method': method, ':path': path, ...headers }, { endStream: body === undefined });
    let received: http2.IncomingHttpHeaders & http2.IncomingHttpStatusHeader = {};
    const chunks: Buffer[] = [];
    stream.on('response', (response) => {
      received = response;
    });
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('error', reject);
    stream.on('end', () => {
      session.close();
      resolve(answer(received[':status'] ?? 0, received, chunks));
    });
    if (body !== undefined) stream.end(body);
  });
}
