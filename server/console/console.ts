import type { Replica } from '../../raft/index.js';
import { badRequest, StatusError, tooManyRequests } from '../../api/status.js';
import { attributesOf, type Authorizer } from '../authorization/authorizer.js';
import { forbidden } from '../authorization/forbidden.js';
import { readCertificates, type CertificateFile } from '../../program/knownCertificates.js';
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
  readonly active: () => Iterable<Exchange>;
  /** The launcher's socket in a local cluster, or null. */
  readonly launcherSocket: string | null;
  /** Null where objects are kept elsewhere. */
  readonly replica: Pick<Replica, 'status'> | null;
  readonly samples: Pick<Samples, 'after'>;
  /** Files of certificates that this server shows or trusts. */
  readonly certificates: readonly CertificateFile[];
  /** The folder of the built page; default: that of this package. */
  readonly folder?: string | null;
}

/** Answers below `/console`; false for an unknown path. Filters have authorized the path. */
export type Console = (exchange: Exchange) => Promise<boolean>;

const root = '/console';
const filesBelow = `${root}/files/`;

/** The console page and its API, which use nothing before the first request. */
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

type Routes = Readonly<Record<string, Readonly<Record<string, Route>>>>;

function consoleRoutes(options: ConsoleOptions): Routes {
  const { servers, tap, active, launcherSocket, authorize, replica } = options;
  /** Answers here, or forwards to `?server=`; the user also needs permission for `path`. */
  const atServer =
    (path: string | null, own: Route): Route =>
    async (exchange) => {
      if (path !== null) await demandPath(authorize, exchange, path);
      const server = exchange.query.get('server');
      return server === null || servers.isOwn(server) ? own(exchange) : servers.passOn(exchange, server);
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
    [`${root}/v1/certificates`]: {
      GET: atServer(null, async (exchange) => writeJson(exchange, 200, { certificates: await readCertificates(options.certificates) })),
    },
    [`${root}/v1/requests`]: { GET: atServer(null, (exchange) => streamRequests(exchange, tap, active)) },
    ...(launcherSocket === null ? {} : launcherRoutes(launcherSocket)),
  };
}

function launcherRoutes(socket: string): Routes {
  const signIns = new SignIns();
  return {
    [`${root}/v1/launcher`]: {
      GET: async (exchange) => writeJson(exchange, 200, await askLauncher(socket, { command: 'status' })),
      POST: async (exchange) => writeJson(exchange, 200, await askLauncher(socket, questionIn(await jsonOf(exchange)))),
    },
    // The holder of a link is not authenticated yet; the launcher accepts each link once, for minutes.
    [`${root}/sessions`]: {
      POST: async (exchange) => {
        const { code } = (await jsonOf(exchange)) as { readonly code?: unknown };
        if (typeof code !== 'string' || !/^[\w-]{20,100}$/.test(code)) throw badRequest('code must be that of a link');
        const leave = signIns.enter(exchange.address);
        if (leave === null) throw tooManyRequests('too many sign in at once; try again', 1);
        try {
          writeJson(exchange, 200, await askLauncher(socket, { command: 'redeem', target: code }));
        } finally {
          leave();
        }
      },
    },
  };
}

/** Users see nothing here that they may not read elsewhere. */
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

/** Reads the JSON body of this server's page. Foreign pages cannot send this type without CORS permission, even with a client certificate. */
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
