import { randomUUID } from 'node:crypto';
import type { Request, Response, Upgrade } from '../../program/port/message.js';
import type { Authenticator } from '../../program/authentication/authenticator.js';
import type { Auditor } from '../audit/auditor.js';
import type { Authorizer } from '../authorization/authorizer.js';
import { StatusError, tooManyRequests, unavailable } from '../../api/status.js';
import type { Logger } from '../../program/log/logger.js';
import { createAccessMetrics } from '../authentication/accessMetrics.js';
import { createImpersonationMetrics } from '../authorization/impersonationMetrics.js';
import type { Metrics } from './metrics.js';
import { type Connection, ExchangeList, type ActiveExchanges } from '../../program/port/connections/index.js';
import { Exchange } from './exchange.js';
import { toStatusError } from './errors.js';
import { writeStatusError, writeText } from '../../program/port/errors.js';
import { auditedRefusals, auditFilter } from './filters/audit.js';
import { authenticateFilter } from './filters/authenticate.js';
import { authorizeFilter } from './filters/authorize.js';
import { corsFilter } from './filters/cors.js';
import { deadlineFilter } from './filters/deadline.js';
import type { Fairness } from '../fairness/fairness.js';
import { fairnessFilter } from './filters/fairness.js';
import { passThrough, type Filter } from './filters/filter.js';
import { impersonateFilter } from './filters/impersonate.js';
import { inflightFilter, isProbe } from './filters/inflight.js';
import type { InflightLimits } from './filters/inflight.js';
import { observeFilter } from './filters/observe.js';
import { originFilter } from './filters/origin.js';
import { traceFilter } from './filters/trace.js';
import type { Tracer } from '../../program/tracing/tracer.js';
import { expectsOther, headFaultOf } from '../../program/port/headFaults.js';
import { requestInfo } from '../../api/requestInfo.js';
import { parseQuery, parseTarget } from '../../program/port/target.js';

export interface ChainOptions {
  readonly authenticate: Authenticator;
  readonly authorize: Authorizer;
  readonly constrainedImpersonation?: boolean;
  /** Null when no audit log is kept. */
  readonly audit?: Auditor | null;
  readonly requestTimeoutMs: number;
  readonly inflight: InflightLimits;
  /** Priority and fairness, in place of the in-flight limits. */
  readonly fairness?: Fairness | null;
  readonly corsOrigins: readonly RegExp[];
  /** The value of the HSTS header, or null. */
  readonly strictTransportSecurity: string | null;
  /** Waits until this thread has everything that another may have shown this client. */
  readonly caughtUp?: () => Promise<unknown> | undefined;
  readonly metrics: Metrics;
  readonly log: Logger;
  /** Receives each request before it is handled. */
  readonly tap?: { begin(exchange: Exchange): void } | null;
  readonly tracer?: Tracer | null;
}

/** May throw: a StatusError for the client, anything else is a defect. */
export type Answer = (exchange: Exchange) => Promise<void> | void;

/** The refusal of new requests by a stopping server: with Retry-After, or as unavailable. */
export type Draining = 'no' | 'retryAfter' | 'unavailable';

export interface Chain {
  readonly handle: (request: Request, response: Response, upgrade?: Upgrade | null, connection?: Connection | null) => void;
  /** Requests without a complete response. */
  readonly active: ActiveExchanges<Exchange>;
  drain(how: Draining): void;
}

/** Every error becomes a Status here. */
export function createChain(options: ChainOptions, answer: Answer): Chain {
  const { log, tracer = null } = options;
  const active = new ExchangeList<Exchange>('place');
  let draining: Draining = 'no';
  const filters = filtersOf(options, answer, () => draining);
  const pass = (exchange: Exchange): Promise<void> => passThrough(filters, exchange);
  const work = tracer === null ? pass : traceFilter(tracer, pass);
  const run = async (exchange: Exchange): Promise<void> => {
    try {
      await work(exchange);
    } catch (error) {
      refuse(exchange, error, log);
    } finally {
      exchange.workEnded();
    }
  };

  const handle = (request: Request, response: Response, upgrade: Upgrade | null = null, connection: Connection | null = null): void => {
    const { exchange, fault } = begin({ request, response, upgrade, connection });
    active.add(exchange);
    exchange.onClose(() => {
      active.delete(exchange);
      connection?.over(exchange);
    });
    connection?.begin(exchange);
    if (exchange.closed) return;
    if (fault === null) return void run(exchange);
    exchange.audit = options.audit?.beginRefused(exchange, { attempted: null }) ?? null;
    writeText(exchange, fault.code, fault.text);
  };
  return {
    handle,
    active,
    drain: (how) => {
      draining = how;
    },
  };
}

function filtersOf(options: ChainOptions, answer: Answer, draining: () => Draining): readonly Filter[] {
  const { log, metrics, fairness = null, tap = null, audit = null } = options;
  const access = createAccessMetrics(metrics.registry);
  const inflight = inflightFilter(options.inflight);
  metrics.inflight(() => fairness?.current ?? inflight.current);
  return [
    observeFilter(metrics.requests, log.named('access')),
    (exchange) => tap?.begin(exchange),
    (exchange) => {
      const how = draining();
      if (how !== 'no' && !isProbe(exchange) && !isMeasurement(exchange)) turnAway(exchange, how);
    },
    auditedRefusals(audit, deadlineFilter(options.requestTimeoutMs)),
    corsFilter(options.corsOrigins, options.strictTransportSecurity),
    () => options.caughtUp?.(),
    auditFilter(audit, authenticateFilter(options.authenticate, access, log.named('authentication'))),
    originFilter(options.corsOrigins),
    (exchange) => {
      if (exchange.connection?.askedBy(exchange.user) === false) throw tooManyConnections(exchange);
    },
    impersonateFilter(options.authorize, {
      constrained: options.constrainedImpersonation ?? false,
      counts: createImpersonationMetrics(metrics.registry),
    }),
    terminating(fairness === null ? inflight.filter : fairnessFilter(fairness)),
    authorizeFilter(options.authorize, access),
    answer,
  ];
}

function refuse(exchange: Exchange, error: unknown, log: Logger): void {
  const status = toStatusError(error, exchange.auditId);
  if (exchange.audit !== null && status.reason === 'InternalError' && !(error instanceof StatusError)) exchange.audit.ending = 'Panic';
  if (status.code >= 500 && !exchange.closed) {
    const stack = status.reason === 'InternalError' && error instanceof Error ? error.stack : undefined;
    const level = stack === undefined ? 'warn' : 'error';
    log[level]('request failed', {
      method: exchange.method,
      uri: exchange.request.url,
      code: status.code,
      auditId: exchange.auditId,
      error,
      stack,
    });
  }
  writeStatusError(exchange, status);
}

interface Arrived {
  readonly request: Request;
  readonly response: Response;
  readonly upgrade: Upgrade | null;
  readonly connection: Connection | null;
}
interface Fault {
  readonly code: 400 | 417 | 500;
  readonly text: string;
}

function begin({ request, response, upgrade, connection }: Arrived): { readonly exchange: Exchange; readonly fault: Fault | null } {
  const target = parseTarget(request.url ?? '', request.httpVersionMajor);
  const path = target.ok ? target.path : '/';
  const query = parseQuery(target.ok ? target.search : '');
  // Backends must not read another name in the target.
  if (target.ok) request.url = target.origin;
  const read = requestInfo(request.method ?? '', path, query);
  const info = read.ok ? read.info : ({ isResource: false, path, verb: 'other' } as const);
  const exchange = new Exchange(request, response, auditIdOf(request), info, query, upgrade, connection);
  response.setHeader('audit-id', exchange.auditId);
  response.setHeader('cache-control', 'no-cache, private');
  const headFault = headFaultOf(request);
  if (headFault !== null) {
    response.setHeader('connection', 'close');
    return { exchange, fault: { code: 400, text: `400 Bad Request: ${headFault}` } };
  }
  if (expectsOther(request)) {
    if (request.httpVersionMajor === 1) response.setHeader('connection', 'close');
    return { exchange, fault: { code: 417, text: '417 Expectation Failed\n' } };
  }
  if (!target.ok) return { exchange, fault: { code: 400, text: `400 Bad Request: ${target.message}\n` } };
  if (!read.ok)
    return {
      exchange,
      fault: { code: 500, text: `Internal Server Error: ${JSON.stringify(path)}: failed to create RequestInfo: ${read.message}\n` },
    };
  return { exchange, fault: null };
}

const auditIdCharactersMax = 64;

/** One id follows a request through several servers. */
function auditIdOf(request: Request): string {
  const sent = request.headers['audit-id'];
  return typeof sent === 'string' && sent !== '' && sent.length <= auditIdCharactersMax && /^[\w.:-]+$/.test(sent) ? sent : randomUUID();
}

/** Supervisors must not take a stopping server for a dead one. */
const isMeasurement = ({ info }: Exchange): boolean => !info.isResource && /^\/metrics(\/|$)/.test(info.path);

function turnAway(exchange: Exchange, how: Draining): never {
  exchange.terminated = true;
  sendAway(exchange);
  throw how === 'retryAfter'
    ? tooManyRequests('the server is shutting down, please try again', 5)
    : unavailable('the server is shutting down');
}

/** A refused or waiting request counts as terminated. */
const terminating =
  (filter: Filter): Filter =>
  (exchange) => {
    exchange.terminated = true;
    const outcome = filter(exchange);
    if (outcome instanceof Promise)
      return outcome.then(() => {
        if (!exchange.over) exchange.terminated = false;
      });
    exchange.terminated = false;
    return outcome;
  };

function tooManyConnections(exchange: Exchange): Error {
  sendAway(exchange);
  return tooManyRequests('too many connections, please use fewer', 1);
}

/** HTTP/2 clients are notified otherwise. */
function sendAway({ request, response }: Exchange): void {
  if (request.httpVersionMajor === 1) response.setHeader('connection', 'close');
}
