import { badRequest, timeout } from '../../../api/status.js';
import { delayMsMax, parseDuration } from '../../../program/flags/duration.js';
import { writeStatusError } from '../../../program/port/errors.js';
import type { Exchange } from '../exchange.js';
import type { Filter } from './filter.js';

/**
 * Sets the server's time limit, or a shorter one of `?timeout=`. The client then gets a 504 with unknown effect; an unread response is cut off. Long-running
 * requests have their own limits.
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

/** Empty and zero mean the server's limit. */
function requested(query: URLSearchParams): number | null {
  const text = query.size === 0 ? null : query.get('timeout');
  if (text === null || text === '') return null;
  const parsed = parseDuration(text);
  if (!parsed.ok) throw badRequest(`invalid timeout specified in the request URL - ${parsed.message}`);
  return parsed.milliseconds === 0 ? null : Math.max(parsed.milliseconds, 1);
}

function expire(exchange: Exchange): void {
  exchange.terminated = true;
  // A timer may be a fraction of a millisecond early.
  exchange.deadline = Math.min(exchange.deadline, performance.now());
  const error = timeout('Timeout: request did not complete within the allotted timeout', 0);
  exchange.abort(error);
  // A response that has begun was not read in time.
  if (exchange.response.headersSent) return exchange.cut();
  // An unfinished HTTP/1.1 request's rest would precede the next one.
  if ('complete' in exchange.request && !exchange.request.complete) exchange.response.setHeader('connection', 'close');
  writeStatusError(exchange, error);
}
