import { unauthorized } from '../../../api/status.js';
import type { Authentication, Authenticator } from '../../../program/authentication/authenticator.js';
import type { AccessMetrics } from '../../authentication/accessMetrics.js';
import type { Logger } from '../../../program/log/logger.js';
import type { Exchange } from '../exchange.js';
import type { Filter } from './filter.js';

const outcomes = { user: 'success', absent: 'failure', invalid: 'error' } as const;

/** Reasons of refusals are logged and not sent. */
export function authenticateFilter(authenticate: Authenticator, metrics: AccessMetrics, log: Logger): Filter {
  const judge = (exchange: Exchange, result: Authentication, from: number): void => {
    const milliseconds = performance.now() - from;
    exchange.latency.add('authentication', milliseconds);
    metrics.authenticated(outcomes[result.outcome], milliseconds / 1000, result.outcome === 'user' ? result.user.name : '');
    if (result.outcome !== 'absent') exchange.credentialNotes = result.notes ?? [];
    if (result.warning !== undefined) exchange.warnings.push(result.warning);
    if (result.outcome === 'user') {
      exchange.user = result.user;
      return;
    }
    if (result.outcome === 'invalid')
      log.warn('refused credentials', { reason: result.reason, client: exchange.request.socket?.remoteAddress, auditId: exchange.auditId });
    throw unauthorized();
  };
  return (exchange) => {
    const from = performance.now();
    const answer = authenticate(exchange.request);
    return answer instanceof Promise
      ? answer.then((result) => {
          judge(exchange, result, from);
        })
      : judge(exchange, answer, from);
  };
}
