import { badRequest, timeout } from '../../../api/status.js';
import { delayMsMax, parseDuration } from '../../../program/flags/duration.js';
import { writeStatusError } from '../../../program/port/errors.js';
import type { Exchange } from '../exchange.js';
import type { Filter } from './filter.js';

/**
 * Gives each request its time limit: the server's, or less if the client asks for less with `?timeout=`. When the limit passes, the client
 * gets a 504 and the work is told to stop; whether it takes effect is then unknown. An answer that is not taken by then is cut off. Long-running
 * requests set limits of their own.
 */
export function deadlineFilter(requestTimeoutMs: number): Filter {
  return (exchange) => {
    if (exchange.longRunning) return;
    const limit = Math.min(requestTimeoutMs, requested(exchange.query) ?? requestTimeoutMs);
    exchange.deadline = exchange.startedAt + limit;
    const timer = setTimeout(expire, Math.min(limit, delayMsMax), exchange);
    exchange.onClose(() => {
      clearTimeout(timer);
    });
  };
}

/** An empty value and zero mean the server's own limit. */
function requested(query: URLSearchParams): number | null {
  const text = query.size === 0 ? null : query.get('timeout');
  if (text === null || text === '') return null;
  const parsed = parseDuration(text);
  if (!parsed.ok) throw badRequest(`invalid timeout specified in the request URL - ${parsed.message}`);
  return parsed.milliseconds === 0 ? null : Math.max(parsed.milliseconds, 1);
}

function expire(exchange: Exchange): void {
  exchange.terminated = true;
  // A timer may be a fraction of a millisecond early, and the answer depends on whether the time is over.
  exchange.deadline = Math.min(exchange.deadline, performance.now());
  const error = timeout('Timeout: request did not complete within the allotted timeout', 0);
  exchange.abort(error);
  // Whatever is out already, be it all of it, has not been taken within the time.
  if (exchange.response.headersSent) return exchange.cut();
  // The rest of an HTTP/1.1 request that is still being sent would stand before the next one.
  if ('complete' in exchange.request && !exchange.request.complete) exchange.response.setHeader('connection', 'close');
  writeStatusError(exchange, error);
}
