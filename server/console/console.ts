import type { Replica } from '../../raft/index.js';
import { badRequest, StatusError, tooManyRequests } from '../../api/status.js';
import { attributesOf, type Authorizer } from '../authorization/authorizer.js';
import { forbidden } from '../authorization/forbidden.js';
import { writeJson } from '../../program/port/errors.js';
import type { Exchange } from '../http/exchange.js';
import { index, PageFiles } from './files.js';
import { pageHeaders } from './headers.js';
import { askLauncher, questionIn } from './launcher.js';
import { streamRequests } from './requestStream.js';
import type { RequestTap } from './requestTap.js';
import type { Samples } from './samples.js';
import type { Servers } from './servers.js';
import { SignIns } from './signIns.js';

export interface ConsoleOptions {
  readonly authorize: Authorizer;
  readonly servers: Servers;
  readonly tap: RequestTap;
  /** Requests that have not been answered. */
  readonly active: () => Iterable<Exchange>;
  /** Socket of the launcher of a local cluster; null elsewhere. */
  readonly launcherSocket: string | null;
  /** Where objects are kept elsewhere, there is no replica to tell of. */
  readonly replica: Pick<Replica, 'status'> | null;
  readonly samples: Pick<Samples, 'after'>;
  /** Where the built page is, if not where this package has it. */
  readonly folder?: string | null;
}

/** Answers what is below `/console`; false where there is no such path. The filters have authorized the path before. */
export type Console = (exchange: Exchange) => Promise<boolean>;

const root = '/console';
const filesBelow = `${root}/files/`;

/** The page for people, and what it needs beside the API. Nothing is read, kept or begun before somebody asks for it. */
export function createConsole(options: ConsoleOptions): Console {
  let files: PageFiles | null = null;
  const pages = (): PageFiles => (files ??= new PageFiles(options.folder ?? null));
  const routes = consoleRoutes(options);
  return async (exchange) => {
    const { path } = exchange.info;
    if (path !== root && !path.startsWith(`${root}/`)) return false;
    for (const [name, value] of Object.entries(pageHeaders)) exchange.response.setHeader(name, value);
    if (path === root || path === `${root}/`) return sendFile(exchange, pages(), index);
    if (path.startsWith(filesBelow)) return sendFile(exchange, pages(), path.slice(filesBelow.length));
    const methods = routes[path];
    if (methods === undefined) return false;
    const route = methods[exchange.method];
    if (route === undefined) throw methodNotAllowed(Object.keys(methods));
    await route(exchange);
    return true;
  };
}

type Route = (exchange: Exchange) => Promise<void> | void;

/** By path, then by method. */
function consoleRoutes(options: ConsoleOptions): Readonly<Record<string, Readonly<Record<string, Route>>>> {
  const { servers, tap, active, launcherSocket, authorize, replica } = options;
  const signIns = new SignIns();
  /** Answers here, or where `?server=` says; a user needs the right to `path` as well. */
  const atServer =
    (path: string | null, own: Route): Route =>
    async (exchange) => {
      if (path !== null) await demandPath(authorize, exchange, path);
      const server = exchange.query.get('server');
      return server === null || servers.isOwn(server) ? own(exchange) : servers.passOn(exchange, server);
    };
  const local: Readonly<Record<string, Readonly<Record<string, Route>>>> =
    launcherSocket === null
      ? {}
      : {
          [`${root}/v1/launcher`]: {
            GET: async (exchange) => writeJson(exchange, 200, await askLauncher(launcherSocket, { command: 'status' })),
            POST: async (exchange) => writeJson(exchange, 200, await askLauncher(launcherSocket, questionIn(await jsonOf(exchange)))),
          },
          // Whoever has a link is not known yet; the launcher knows its links, takes each once, and only for minutes.
          [`${root}/sessions`]: {
            POST: async (exchange) => {
              const { code } = (await jsonOf(exchange)) as { readonly code?: unknown };
              if (typeof code !== 'string' || !/^[\w-]{20,100}$/.test(code)) throw badRequest('code must be that of a link');
              const leave = signIns.enter(exchange.address);
              if (leave === null) throw tooManyRequests('too many sign in at once; try again', 1);
              try {
                writeJson(exchange, 200, await askLauncher(launcherSocket, { command: 'redeem', target: code }));
              } finally {
                leave();
              }
            },
          },
        };
  return {
    [`${root}/v1/servers`]: {
      GET: async (exchange) => writeJson(exchange, 200, { servers: await servers.list(), launcher: launcherSocket !== null }),
    },
    [`${root}/v1/status`]: {
      GET: atServer('/raft/v1/status', async (exchange) => {
        if (replica === null) throw new StatusError(501, 'NotImplemented', 'objects are kept elsewhere', {});
        writeJson(exchange, 200, await replica.status());
      }),
    },
    [`${root}/v1/samples`]: {
      GET: atServer('/metrics', async (exchange) => {
        const since = Number(exchange.query.get('since') ?? 0);
        if (!Number.isFinite(since)) throw badRequest('since must be milliseconds since 1970');
        writeJson(exchange, 200, { samples: await options.samples.after(since) });
      }),
    },
    [`${root}/v1/requests`]: { GET: atServer(null, (exchange) => streamRequests(exchange, tap, active)) },
    ...local,
  };
}

/** Nobody learns here what he may not read at its own path. */
async function demandPath(authorize: Authorizer, { user }: Exchange, path: string): Promise<void> {
  const attributes = attributesOf(user, { isResource: false, path, verb: 'get' }, 'GET');
  const { decision, reason } = await authorize(attributes);
  if (decision !== 'allow') throw forbidden(attributes, reason);
}

async function sendFile(exchange: Exchange, files: PageFiles, name: string): Promise<boolean> {
  const { request, response, method } = exchange;
  if (method !== 'GET' && method !== 'HEAD') throw methodNotAllowed(['GET', 'HEAD']);
  const file = await files.get(name, /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? '')));
  if (file === null) return false;
  response.setHeader('content-type', file.type);
  response.setHeader('vary', 'accept-encoding');
  if (file.gzip) response.setHeader('content-encoding', 'gzip');
  response.setHeader('cache-control', file.immutable ? 'private, max-age=31536000, immutable' : 'no-cache');
  response.setHeader('content-length', String(file.bytes.length));
  exchange.bodyShared = true;
  response.end(method === 'HEAD' ? undefined : file.bytes);
  return true;
}

/**
 * The JSON body of a request that a page of this server makes. A page elsewhere cannot send this type without asking first (CORS), which matters
 * where the browser shows a client certificate by itself.
 */
async function jsonOf(exchange: Exchange): Promise<object> {
  const { headers } = exchange.request;
  if (!/^application\/json\b/i.test(headers['content-type'] ?? ''))
    throw new StatusError(415, 'UnsupportedMediaType', 'the body must be JSON', {});
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin')
    throw new StatusError(403, 'Forbidden', 'only pages of this server may ask for that', {});
  try {
    const body: unknown = JSON.parse((await exchange.body()).toString('utf8'));
    if (typeof body === 'object' && body !== null) return body;
  } catch (cause) {
    throw cause instanceof StatusError ? cause : badRequest('the body must be JSON', cause);
  }
  throw badRequest('the body must be a JSON object');
}

const methodNotAllowed = (methods: readonly string[]): StatusError =>
  new StatusError(405, 'MethodNotAllowed', `only ${methods.join(', ')} is served here`, {});
