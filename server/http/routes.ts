import { Router } from 'express';
import type { Request as ExpressRequest, Response as ExpressResponse } from 'express';
import type { RequestContext } from '../endpoints/context.js';
import type { HealthEndpoint, HealthRegistry, HealthReport } from '../../program/health.js';
import type { Logger } from '../../program/log/logger.js';
import type { Metrics } from './metrics.js';
import type { Answer } from './chain.js';
import { writeText } from '../../program/port/errors.js';
import type { Exchange } from './exchange.js';
import { sealKeyOf } from '../storage/seal.js';
import { pageOf, type ExpositionPage } from '../../program/metrics/expositionPage.js';
import { answerExposition, answerProcessPage, type ProcessPages } from '../../program/port/processPages.js';
import { addRaftRoutes, type OperatorReplica, type PutObjects, type Serve } from './raftRoutes.js';

const prefixDefault = '/registry';

export interface RouteOptions {
  /** Requests whose path starts with `/api/` or `/apis/`. */
  readonly resources: (context: RequestContext) => Promise<void> | void;
  /** Discovery and version documents. False for other paths. */
  readonly documents: (context: RequestContext) => Promise<boolean>;
  readonly health: HealthRegistry;
  readonly metrics: Metrics;
  /** The page `/metrics`, where it exceeds these metrics. */
  readonly exposition?: ExpositionPage;
  readonly pages?: ProcessPages;
  /** Answers below `/console`; default: none. False for an unknown path. */
  readonly console?: ((exchange: Exchange) => Promise<boolean>) | null;
  /** Null for a server without a replica. */
  readonly replica: OperatorReplica | null;
  /** Lets operators put objects into that replica's store. */
  readonly put?: PutObjects | null;
  /** While this key exists, nothing is written to that store. */
  readonly sealKey?: string;
  readonly log: Logger;
}

/**
 * Passes resources directly to the endpoints; a router serves fixed paths. The Express application is not used: it swaps prototypes, which is slow and fails
 * on HTTP/2.
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
      // Authorization tolerates leading double slashes, routing does not.
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

function processRouter(
  {
    health,
    metrics,
    exposition = pageOf(metrics.registry),
    pages,
    replica,
    put = null,
    sealKey = sealKeyOf(prefixDefault),
    log,
  }: RouteOptions,
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
    serve((exchange) => answerExposition(exchange, exposition, { mayReset: pages !== undefined && pages.debug !== null })),
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

/** Only changes of the set of failures are logged. */
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
