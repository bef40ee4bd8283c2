import { X509Certificate } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import type { SecureVersion } from 'node:tls';
import { issuedBy, proxiedUser, type ProxyTrust } from './frontProxy.js';
import type { ServingPair } from './selfSigned.js';

/** Health and metrics, for whoever watches over this program. */
export interface ServingOptions {
  readonly host: string;
  readonly port: number;
  readonly pair: ServingPair;
  readonly clientCa?: string;
  /** Front proxies, whose word counts for who asks. */
  readonly proxies?: ProxyTrust;
  readonly minVersion?: SecureVersion;
  /** In the words of OpenSSL; the usual ones when absent. */
  readonly ciphers?: string;
  /** Paths that everybody may read; others need `mayRead`. A trailing `*` stands for any ending. */
  readonly openPaths: readonly string[];
  /** `unknown` for a caller whose token nobody knows. */
  readonly mayRead: (caller: Caller, path: string) => Promise<boolean | 'unknown'>;
  /** By path; a trailing slash stands for everything below. */
  readonly routes: Readonly<Record<string, Route>>;
}

export type Route = (query: URLSearchParams, path: string) => Promise<Page> | Page;

/** Who asks: what its certificate says, if that was checked, and its token, which was not. */
export interface Caller {
  readonly user: string | null;
  readonly groups: readonly string[];
  readonly token: string | null;
}

export interface Page {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}
export interface Serving {
  readonly port: number;
  close(): Promise<void>;
}

const idleTimeoutMs = 30_000;
/** Nobody sends this server anything but a few headers. */
const headerBytesMax = 16 * 1024;

export async function serve(options: ServingOptions): Promise<Serving> {
  const authorities = [options.clientCa ?? [], options.proxies?.authorities ?? []].flat();
  const server = https.createServer(
    {
      ...options.pair,
      maxHeaderSize: headerBytesMax,
      minVersion: options.minVersion ?? 'TLSv1.2',
      ...(options.ciphers === undefined ? {} : { ciphers: options.ciphers }),
      ...(authorities.length === 0 ? {} : { ca: authorities, requestCert: true, rejectUnauthorized: false }),
    },
    (request, response) => {
      void answer(request, response, options);
    },
  );
  server.headersTimeout = idleTimeoutMs;
  server.requestTimeout = idleTimeoutMs;
  await new Promise<void>((resolve, reject) => {
    server
      .once('error', reject)
      .listen(options.port, options.host === '0.0.0.0' || options.host === '' ? undefined : options.host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(request: IncomingMessage, response: ServerResponse, options: ServingOptions): Promise<void> {
  const page = await pageOf(request, options).catch((): Page => ({ status: 500, type: 'text/plain', body: 'internal error\n' }));
  response
    .writeHead(page.status, { 'content-type': page.type, 'cache-control': 'no-cache, private', 'x-content-type-options': 'nosniff' })
    .end(request.method === 'HEAD' ? undefined : page.body);
}

async function pageOf(request: IncomingMessage, options: ServingOptions): Promise<Page> {
  const { openPaths, mayRead, routes } = options;
  const { pathname: path, searchParams } = new URL(request.url ?? '/', 'https://localhost');
  const open = openPaths.some((pattern) => (pattern.endsWith('*') ? path.startsWith(pattern.slice(0, -1)) : path === pattern));
  const allowed = open || (await mayRead(callerOf(request, options), path));
  if (allowed === 'unknown') return { status: 401, type: 'text/plain', body: 'Unauthorized\n' };
  if (!allowed) return { status: 403, type: 'text/plain', body: `Forbidden: ${JSON.stringify(path)}\n` };
  const route = routes[path] ?? routes[`${path.slice(0, path.lastIndexOf('/'))}/`];
  if (!route) return { status: 404, type: 'text/plain', body: '404 page not found\n' };
  if (request.method !== 'GET' && request.method !== 'HEAD') return { status: 405, type: 'text/plain', body: 'method not allowed\n' };
  return route(searchParams, path);
}

function callerOf(request: IncomingMessage, { clientCa, proxies }: ServingOptions): Caller {
  const socket = request.socket as import('node:tls').TLSSocket;
  const peer = socket.authorized ? socket.getPeerX509Certificate() : undefined;
  const certificate = peer ? new X509Certificate(peer.raw) : null;
  const proxied = certificate && proxies ? proxiedUser(proxies, certificate, request.headers) : null;
  const token = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? null;
  if (proxied) return { ...proxied, token };
  // A certificate that only makes its owner a proxy says nothing of who asks.
  const isClient = certificate !== null && clientCa !== undefined && (!proxies || issuedBy(clientCa, certificate));
  const subject = isClient ? socket.getPeerCertificate().subject : null;
  const words = (value: string | string[] | undefined): readonly string[] =>
    value === undefined ? [] : Array.isArray(value) ? value : [value];
  return { user: words(subject?.CN)[0] ?? null, groups: words(subject?.O), token };
}
