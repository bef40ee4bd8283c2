import { randomUUID } from 'node:crypto';
import type { Request, Response, Upgrade } from '../endpoints/context.js';
import type { Authenticator } from '../authentication/authenticator.js';
import type { Auditor } from '../audit/auditor.js';
import type { Authorizer } from '../authorization/authorizer.js';
import { StatusError, tooManyRequests, unavailable } from '../api/status.js';
import type { Logger } from '../observability/logger.js';
import { createAccessMetrics } from '../observability/access.js';
import type { Metrics } from '../observability/metrics.js';
import { ActiveList, type ActiveExchanges } from './activeExchanges.js';
import { Exchange } from './exchange.js';
import { toStatusError, writeStatusError, writeText } from './errors.js';
import { auditFilter } from './filters/audit.js';
import { authenticateFilter } from './filters/authenticate.js';
import { authorizeFilter } from './filters/authorize.js';
import { corsFilter } from './filters/cors.js';
import { deadlineFilter } from './filters/deadline.js';
import { impersonateFilter } from './filters/impersonate.js';
import { inflightFilter } from './filters/inflight.js';
import type { InflightLimits } from './filters/inflight.js';
import { observeFilter } from './filters/observe.js';
import { requestInfo } from './requestinfo.js';
import { parseQuery, parseTarget } from './target.js';

export interface ChainOptions {
  readonly authenticate: Authenticator;
  readonly authorize: Authorizer;
  /** Null when no audit log is kept. */
  readonly audit?: Auditor | null;
  readonly requestTimeoutMs: number;
  readonly inflight: InflightLimits;
  readonly corsOrigins: readonly RegExp[];
  /** Value of the HSTS header, or null for none. */
  readonly strictTransportSecurity: string | null;
  readonly metrics: Metrics;
  readonly log: Logger;
}

/** What answers a request that has passed all filters. It may throw: a StatusError for the client, anything else is a defect. */
export type Answer = (exchange: Exchange) => Promise<void> | void;

/** Refusal of new requests while the server stops: with a retry hint, or as unavailable. */
export type Draining = 'no' | 'retryAfter' | 'unavailable';

export interface Chain {
  readonly handle: (request: Request, response: Response, upgrade?: Upgrade) => void;
  /** Requests that have not been answered completely. */
  readonly active: ActiveExchanges;
  drain(how: Draining): void;
}

/**
 * The way of every request: what is it about, how long may it take, who asks (and as whom), is there room, may they; then the answer.
 * Whatever is thrown on the way becomes a Status, here and nowhere else.
 */
export function createChain(options: ChainOptions, answer: Answer): Chain {
  const { log, metrics } = options;
  const active = new ActiveList();
  let draining: Draining = 'no';
  const observe = observeFilter(metrics.requests, log.named('access'));
  const cors = corsFilter(options.corsOrigins, options.strictTransportSecurity);
  const deadline = deadlineFilter(options.requestTimeoutMs);
  const access = createAccessMetrics(metrics.registry);
  const authenticate = authenticateFilter(options.authenticate, access, log.named('authentication'));
  const audited = auditFilter(options.audit ?? null, authenticate);
  const impersonate = impersonateFilter(options.authorize);
  const inflight = inflightFilter(options.inflight);
  const authorize = authorizeFilter(options.authorize, access);
  metrics.inflight(() => inflight.current);

  const filters = async (exchange: Exchange): Promise<void> => {
    observe(exchange);
    if (draining !== 'no' && !isProbe(exchange)) throw refusal(exchange, draining);
    deadline(exchange);
    if (cors(exchange)) return;
    const authenticated = audited(exchange);
    if (authenticated !== undefined) await authenticated;
    const impersonated = impersonate(exchange);
    if (impersonated !== undefined) await impersonated;
    inflight.filter(exchange);
    const authorized = authorize(exchange);
    if (authorized !== undefined) await authorized;
    await answer(exchange);
  };

  const run = async (exchange: Exchange): Promise<void> => {
    try {
      await filters(exchange);
    } catch (error) {
      refuse(exchange, error, log);
    }
  };

  const handle = (request: Request, response: Response, upgrade: Upgrade | null = null): void => {
    const exchange = begin(request, response, upgrade);
    if (exchange === null) return;
    active.add(exchange);
    exchange.onClose(() => { active.delete(exchange); });
    void run(exchange);
  };
  return { handle, active, drain: (how) => { draining = how; } };
}

function refuse(exchange: Exchange, error: unknown, log: Logger): void {
  const status = toStatusError(error, exchange.auditId);
  if (exchange.audit !== null && status.reason === 'InternalError' && !(error instanceof StatusError)) exchange.audit.ending = 'Panic';
  if (status.code >= 500 && !exchange.closed) {
    const stack = status.reason === 'InternalError' && error instanceof Error ? error.stack : undefined;
    const level = stack === undefined ? 'warn' : 'error';
    log[level]('request failed', { method: exchange.method, uri: exchange.request.url, code: status.code, auditId: exchange.auditId, error, stack });
  }
  writeStatusError(exchange, status);
}

/** Reads the request line. Null when it was so wrong that the answer is out already. */
function begin(request: Request, response: Response, upgrade: Upgrade | null): Exchange | null {
  const target = parseTarget(request.url ?? '');
  const path = target.ok ? target.path : '/';
  const query = parseQuery(target.ok ? target.search : '');
  const read = requestInfo(request.method ?? '', path, query);
  const info = read.ok ? read.info : { isResource: false, path, verb: 'other' } as const;
  const exchange = new Exchange(request, response, auditIdOf(request), info, query, upgrade);
  response.setHeader('audit-id', exchange.auditId);
  response.setHeader('cache-control', 'no-cache, private');
  if (target.ok && read.ok) return exchange;
  if (!target.ok) writeText(exchange, 400, `400 Bad Request: ${target.message}\n`);
  else if (!read.ok) writeText(exchange, 500, `Internal Server Error: ${JSON.stringify(path)}: failed to create RequestInfo: ${read.message}\n`);
  return null;
}

const auditIdCharactersMax = 64;

/** A client may choose the audit id, so that one id follows a request through several servers. */
function auditIdOf(request: Request): string {
  const sent = request.headers['audit-id'];
  return typeof sent === 'string' && sent !== '' && sent.length <= auditIdCharactersMax && /^[\w.:-]+$/.test(sent) ? sent : randomUUID();
}

/** Whoever watches over the process, or measures it, is answered to the end, as by the reference: a supervisor must not take a server that stops for a dead one. */
const isProbe = ({ info }: Exchange): boolean => !info.isResource && /^\/(readyz|livez|healthz|metrics)(\/|$)/.test(info.path);

function refusal(exchange: Exchange, how: Draining): Error {
  if (exchange.request.httpVersionMajor === 1) exchange.response.setHeader('connection', 'close');
  return how === 'retryAfter' ? tooManyRequests('the server is shutting down, please try again', 5) : unavailable('the server is shutting down');
}
