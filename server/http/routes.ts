import { Router } from 'express';
import type { Request as ExpressRequest, Response as ExpressResponse } from 'express';
import type { RequestContext } from '../endpoints/context.js';
import { StatusError } from '../../api/status.js';
import type { HealthEndpoint, HealthRegistry, HealthReport } from '../../program/health.js';
import type { Logger } from '../../program/log/logger.js';
import type { Metrics } from './metrics.js';
import type { Answer } from './chain.js';
import { writeText } from '../../program/port/errors.js';
import type { Exchange } from './exchange.js';
import { sealKeyOf } from '../storage/seal.js';
import { answerProcessPage, type ProcessPages } from '../../program/port/processPages.js';
import { addRaftRoutes, type OperatorReplica, type PutObjects, type Serve } from './raftRoutes.js';

const prefixDefault = '/registry';

export interface RouteOptions {
  /** Requests about resources; the path starts with `/api/` or `/apis/`. */
  readonly resources: (context: RequestContext) => Promise<void> | void;
  /** Documents about the API: discovery, version. False when the path is none of them. */
  readonly documents: (context: RequestContext) => Promise<boolean>;
  readonly health: HealthRegistry;
  readonly metrics: Metrics;
  /** What `/metrics` says, where that is more than these metrics. */
  readonly exposition?: () => Promise<string>;
  /** What the process tells of itself; nothing unless given. */
  readonly pages?: ProcessPages;
  /** Answers below `/console`; nothing is there unless given. False where there is no such path. */
  readonly console?: ((exchange: Exchange) => Promise<boolean>) | null;
  /** Null for a server without a replica of its own. */
  readonly replica: OperatorReplica | null;
  /** How operators put objects into the store of that replica. */
  readonly put?: PutObjects | null;
  /** The key that, while it is there, ends all writes to that store. */
  readonly sealKey?: string;
  readonly log: Logger;
}

/**
 * Decides who answers. Resources go straight to the endpoints, which match them by their parts; the few fixed paths of the process itself
 * are kept in a router. Only the router is used and not the application object around it: that one swaps the prototypes of every request
 * and response, which fails on HTTP/2 and is slow on both.
 */
export function createRoutes(options: RouteOptions): Answer {
  const underWay = new WeakMap<object, { readonly exchange: Exchange; readonly answered: () => void }>();
  const serve: Serve = (handler) => async (request) => {
    const { exchange, answered } = underWay.get(request)!;
    await handler(exchange, (request as { readonly params?: Readonly<Record<string, unknown>> }).params ?? {});
    answered();
  };
  const router = processRouter(options, serve);
  return async (exchange) => {
    const { info } = exchange;
    if (info.isResource) {
      // Doubled slashes in front are forgiven when permissions are looked up, never here.
      if (!/^\/apis?\//.test(info.path)) notFound(exchange);
      else await options.resources(exchange);
      return;
    }
    if (options.pages !== undefined && (await answerProcessPage(exchange, options.pages))) return;
    if (options.console != null && (await options.console(exchange))) return;
    if (await options.documents(exchange)) return;
    await new Promise<void>((answered, reject) => {
      underWay.set(exchange.request, { exchange, answered });
      dispatch(router, exchange, answered, reject);
    });
  };
}

/** Runs the router. Called back when no route took the request, or with what a route threw. */
function dispatch(router: Router, exchange: Exchange, answered: () => void, reject: (error: Error) => void): void {
  router(exchange.request as unknown as ExpressRequest, exchange.response as unknown as ExpressResponse, (error?: unknown) => {
    if (error !== undefined && error !== null) return reject(error instanceof Error ? error : new Error(String(error)));
    notFound(exchange);
    answered();
  });
}

const notFound = (exchange: Exchange): void => {
  writeText(exchange, 404, '404 page not found\n');
};

const methodNotAllowed = (): StatusError =>
  new StatusError(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource', {});

function processRouter(
  { health, metrics, exposition, replica, put = null, sealKey = sealKeyOf(prefixDefault), log }: RouteOptions,
  serve: Serve,
): Router {
  const logChange = healthLog(log);
  const router = Router({ caseSensitive: true, strict: true });
  for (const endpoint of ['healthz', 'livez', 'readyz'] as const) {
    router.all(
      [`/${endpoint}`, `/${endpoint}/`],
      serve((exchange) => answerHealth(exchange, health, endpoint, logChange)),
    );
    router.all(
      `/${endpoint}/*name`,
      serve((exchange) => answerCheck(exchange, health, endpoint)),
    );
  }
  router.all(
    '/metrics',
    serve(async (exchange) => {
      if (exchange.method !== 'GET') throw methodNotAllowed();
      const text = await (exposition === undefined ? metrics.registry.metrics() : exposition());
      exchange.response.setHeader('content-type', metrics.registry.contentType);
      exchange.response.end(text);
    }),
  );
  addRaftRoutes(router, { replica, put, sealKey, serve, notFound });
  return router;
}

type LogChange = (endpoint: HealthEndpoint, report: HealthReport) => void;

async function answerHealth(exchange: Exchange, health: HealthRegistry, endpoint: HealthEndpoint, logChange: LogChange): Promise<void> {
  const exclude = exchange.query.getAll('exclude').flatMap((list) => list.split(','));
  const report = await health.report(endpoint, { verbose: exchange.query.has('verbose'), exclude });
  if (exclude.length === 0) logChange(endpoint, report);
  writeText(exchange, report.code, report.text);
}

async function answerCheck(exchange: Exchange, health: HealthRegistry, endpoint: HealthEndpoint): Promise<void> {
  const report = await health.single(endpoint, exchange.info.path.slice(endpoint.length + 2));
  if (report === null) notFound(exchange);
  else writeText(exchange, report.code, report.text);
}

/** Balancers ask several times a second: a line is written when the set of failures changes, not each time it is seen. */
function healthLog(log: Logger): LogChange {
  const last = new Map<HealthEndpoint, string>();
  return (endpoint, { failures }) => {
    const names = failures.map(({ name }) => name).join(',');
    if (names === (last.get(endpoint) ?? '')) return;
    last.set(endpoint, names);
    if (names === '') log.info('health checks pass', { endpoint });
    for (const { name, reason } of failures) log.warn('health check failed', { endpoint, check: name, reason });
  };
}
