import { randomUUID } from 'node:crypto';
import { StatusError, tooManyRequests, unauthorized } from '../../api/status.js';
import type { User } from '../../api/user.js';
import type { Authenticator } from '../../program/authentication/authenticator.js';
import type { Request, Response } from '../../program/port/message.js';
import type { Connection } from '../../program/port/connections/index.js';
import { writeStatusError, writeText } from '../../program/port/errors.js';
import { Exchange } from '../../program/port/exchange.js';
import { listen, type ListenerOptions } from '../../program/port/listener.js';
import { answerProcessPage, type ProcessPages } from '../../program/port/processPages.js';
import { parseTarget } from '../../program/port/target.js';
import type { MayAccess } from './access.js';

/** Health, metrics and process pages, with the API server's port code. */
export interface ServingOptions {
  readonly port: Omit<ListenerOptions, 'goawayChance' | 'handle'>;
  /** Returns the client's user; the anonymous user if unauthenticated. */
  readonly authenticate: Authenticator;
  readonly mayAccess: MayAccess;
  /** Public paths; others need `mayAccess`. A trailing `*` matches any ending. */
  readonly openPaths: readonly string[];
  /** Keyed by path; a trailing slash covers everything below. */
  readonly routes: Readonly<Record<string, Route>>;
  readonly pages: ProcessPages;
  readonly refused: (refusal: Refusal) => void;
  /** Receives internal errors, which the client does not see. */
  readonly failed: (error: unknown) => void;
}

export type Route = (query: URLSearchParams, path: string) => Promise<Page> | Page;

export interface Page {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

export interface Refusal {
  readonly code: 401 | 403;
  readonly method: string;
  readonly path: string;
  /** Empty for a client with invalid credentials. */
  readonly user: string;
  readonly address: string;
  /** Goes to the log, not to the client. */
  readonly reason: string;
}

export interface Serving {
  readonly port: number;
  close(): Promise<void>;
}

/** Bound on concurrent requests; monitoring sends a few times a minute. */
const underWayMax = 100;

/** Listens. HTTP/2 and HTTP/1.1 share the port. Rejects with a ListenError. */
export async function serve(options: ServingOptions): Promise<Serving> {
  let underWay = 0;
  const listener = await listen({
    ...options.port,
    goawayChance: 0,
    handle: (request, response, upgrade, connection) => {
      if (upgrade !== null) return void upgrade.socket.destroy();
      const exchange = exchangeOf(request, response, connection);
      connection?.begin(exchange);
      underWay++;
      const answer = underWay > underWayMax ? Promise.reject(busy()) : respond(exchange, options);
      void answer
        .catch((error: unknown) => {
          if (!(error instanceof StatusError)) options.failed(error);
          writeStatusError(
            exchange,
            error instanceof StatusError ? error : new StatusError(500, 'InternalError', 'Internal error occurred'),
          );
        })
        .finally(() => {
          underWay--;
          connection?.over(exchange);
        });
    },
  });
  return { port: listener.port, close: () => listener.close() };
}

const busy = (): StatusError => tooManyRequests('too many requests, please try again later', 1);

function exchangeOf(request: Request, response: Response, connection: Connection | null): Exchange {
  const target = parseTarget(request.url ?? '', request.httpVersionMajor);
  const path = target.ok ? target.path : '';
  const info = { isResource: false, path, verb: request.method === 'GET' ? 'get' : 'other' } as const;
  response.setHeader('cache-control', 'no-cache, private');
  return new Exchange(request, response, randomUUID(), info, new URLSearchParams(target.ok ? target.search : ''), null, connection);
}

async function respond(exchange: Exchange, options: ServingOptions): Promise<void> {
  const { method, query, response } = exchange;
  const { path } = exchange.info;
  if (!path.startsWith('/')) return writeText(exchange, 400, '400 Bad Request\n');
  await admit(exchange, path, options);
  const route = options.routes[path] ?? options.routes[`${path.slice(0, path.lastIndexOf('/'))}/`];
  if (route === undefined) {
    if (!(await answerProcessPage(exchange, options.pages))) writeText(exchange, 404, '404 page not found\n');
    return;
  }
  if (method !== 'GET' && method !== 'HEAD')
    throw new StatusError(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource', {});
  const { status, type, body } = await route(query, path);
  response.statusCode = status;
  response.setHeader('content-type', type);
  response.setHeader('x-content-type-options', 'nosniff');
  response.end(method === 'HEAD' ? undefined : body);
}

/** Throws where the user may not send this request. */
async function admit(exchange: Exchange, path: string, { authenticate, mayAccess, openPaths, refused }: ServingOptions): Promise<void> {
  const { method, request, address = '' } = exchange;
  const open = openPaths.some((pattern) => (pattern.endsWith('*') ? path.startsWith(pattern.slice(0, -1)) : path === pattern));
  const who = await authenticate(request);
  if (who.outcome !== 'user') {
    refused({ code: 401, method, path, user: '', address, reason: who.outcome === 'invalid' ? who.reason : 'no credentials' });
    throw unauthorized();
  }
  exchange.user = who.user;
  if (exchange.connection?.askedBy(who.user) === false) throw busy();
  if (open || (await mayAccess(who.user, method.toLowerCase(), path))) return;
  refused({ code: 403, method, path, user: who.user.name, address, reason: 'not allowed' });
  throw forbiddenPath(who.user, method, path);
}

const forbiddenPath = ({ name }: User, method: string, path: string): StatusError =>
  new StatusError(
    403,
    'Forbidden',
    `forbidden: User ${JSON.stringify(name)} cannot ${method.toLowerCase()} path ${JSON.stringify(path)}`,
    {},
  );
