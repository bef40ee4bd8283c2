import { StatusError } from '../../../api/status.js';
import { attributesOf } from '../../authorization/authorizer.js';
import type { Attributes, Authorizer, Decision } from '../../authorization/authorizer.js';
import { forbidden } from '../../authorization/forbidden.js';
import type { AccessMetrics } from '../../authentication/accessMetrics.js';
import type { Exchange } from '../exchange.js';
import type { Filter } from './filter.js';

/** A refusal must not reveal what exists. */
export function authorizeFilter(authorize: Authorizer, metrics: AccessMetrics): Filter {
  const demand = (exchange: Exchange, attributes: Attributes, from: number, decision: Decision): void => {
    const milliseconds = performance.now() - from;
    exchange.latency.add('authorization', milliseconds);
    metrics.authorized(outcomeOf(decision), milliseconds / 1000);
    exchange.audit?.annotate('authorization.k8s.io/decision', decision.decision === 'allow' ? 'allow' : 'forbid');
    exchange.audit?.annotate('authorization.k8s.io/reason', decision.reason);
    demandAllowed(attributes, decision);
  };
  return (exchange) => {
    const attributes = attributesOf(exchange.user, exchange.info, exchange.method);
    const from = performance.now();
    const answer = authorize(attributes);
    return answer instanceof Promise
      ? answer.then((decision) => demand(exchange, attributes, from, decision))
      : demand(exchange, attributes, from, answer);
  };
}

const outcomeOf = ({ decision, error }: Decision): Parameters<AccessMetrics['authorized']>[0] =>
  decision === 'allow' ? 'allowed' : error !== undefined ? 'error' : decision === 'deny' ? 'denied' : 'no-opinion';

function demandAllowed(attributes: Attributes, { decision, reason, error }: Decision): void {
  if (decision === 'allow') return;
  // The client may retry.
  if (error !== undefined) throw new StatusError(500, 'InternalError', `Internal Server Error: ${error}`, {});
  throw forbidden(attributes, reason);
}
