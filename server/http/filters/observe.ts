import type { Logger } from '../../../program/log/logger.js';
import type { RequestMetrics } from '../metrics.js';
import type { Exchange } from '../exchange.js';
import type { Filter } from './filter.js';

/** The verbosity from which on every request is logged. */
const accessLogLevel = 3;

/** Counts, times and (at `-v=3`) logs each request when its response is over. */
export function observeFilter(metrics: RequestMetrics, log: Logger): Filter {
  return (exchange) => {
    const { longRunning } = exchange;
    const ended = longRunning ? metrics.longRunning(exchange.info) : null;
    exchange.onClose(() => {
      ended?.();
      const seconds = (performance.now() - exchange.startedAt) / 1000;
      const code = exchange.response.headersSent ? exchange.response.statusCode : 0;
      const { info, method, bodyBytes, terminated, query } = exchange;
      metrics.observe({
        info,
        method,
        code,
        seconds,
        longRunning,
        answerBytes: lengthOf(exchange),
        bodyBytes,
        fieldValidation: query.get('fieldValidation') ?? '',
        terminated: terminated && code > 0,
      });
      if (log.enabled(accessLogLevel)) logAccess(exchange, code, seconds, log);
    });
  };
}

function lengthOf({ response }: Exchange): number | null {
  const length = response.headersSent ? response.getHeader('content-length') : undefined;
  return length === undefined ? null : Number(length);
}

function logAccess(exchange: Exchange, code: number, seconds: number, log: Logger): void {
  const { request, info } = exchange;
  log.debug(accessLogLevel, 'request', {
    verb: info.isResource ? info.verb : exchange.method,
    uri: request.url,
    protocol: `HTTP/${request.httpVersion}`,
    code,
    ms: (seconds * 1000).toFixed(1),
    user: exchange.user.name,
    as: exchange.impersonator === null ? undefined : exchange.impersonator.name,
    agent: request.headers['user-agent'],
    client: request.socket?.remoteAddress,
    auditId: exchange.auditId,
  });
}
