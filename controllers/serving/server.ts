import type { IncomingMessage, ServerResponse } from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import type { SecureVersion } from 'node:tls';
import type { ServingPair } from './selfSigned.js';

/** Health and metrics, for whoever watches over this program. */
export interface ServingOptions {
  readonly host: string;
  readonly port: number;
  readonly pair: ServingPair;
  readonly clientCa?: string;
  readonly minVersion?: SecureVersion;
  /** In the words of OpenSSL; the usual ones when absent. */
  readonly ciphers?: string;
  /** Paths that everybody may read; others need `mayRead`. A trailing `*` stands for any ending. */
  readonly openPaths: readonly string[];
  readonly mayRead: (caller: Caller, path: string) => Promise<boolean>;
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
  const server = https.createServer(
    {
      ...options.pair,
      maxHeaderSize: headerBytesMax,
      minVersion: options.minVersion ?? 'TLSv1.2',
      ...(options.ciphers === undefined ? {} : { ciphers: options.ciphers }),
      ...(options.clientCa === undefined ? {} : { ca: options.clientCa, requestCert: true, rejectUnauthorized: false }),
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

async function pageOf(request: IncomingMessage, { openPaths, mayRead, routes }: ServingOptions): Promise<Page> {
  const { pathname: path, searchParams } = new URL(request.url ?? '/', 'https://localhost');
  const open = openPaths.some((pattern) => (pattern.endsWith('*') ? path.startsWith(pattern.slice(0, -1)) : path === pattern));
  if (!open && !(await mayRead(callerOf(request), path)))
    return { status: 403, type: 'text/plain', body: `Forbidden: ${JSON.stringify(path)}\n` };
  const route = routes[path] ?? routes[`${path.slice(0, path.lastIndexOf('/'))}/`];
  if (!route) return { status: 404, type: 'text/plain', body: '404 page not found\n' };
  if (request.method !== 'GET' && request.method !== 'HEAD') return { status: 405, type: 'text/plain', body: 'method not allowed\n' };
  return route(searchParams, path);
}

function callerOf(request: IncomingMessage): Caller {
  const socket = request.socket as import('node:tls').TLSSocket;
  const subject = socket.authorized ? socket.getPeerCertificate().subject : null;
  const words = (value: string | string[] | undefined): readonly string[] =>
    value === undefined ? [] : Array.isArray(value) ? value : [value];
  const token = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? null;
  return { user: words(subject?.CN)[0] ?? null, groups: words(subject?.O), token };
}
