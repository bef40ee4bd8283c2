import { timed } from '../../../program/tracing/requestLatency.js';
import type { Fairness } from '../../fairness/fairness.js';
import { isProbe } from './inflight.js';
import type { Filter } from './filter.js';

/** Exempts streams other than watches; a watch counts until its beginning has been sent. Probes are always answered. */
export function fairnessFilter(fairness: Fairness): Filter {
  return (exchange) => {
    const { info } = exchange;
    if (isProbe(exchange) || (exchange.longRunning && !(info.isResource && info.verb === 'watch'))) return undefined;
    const waiting = fairness.admit(exchange);
    return waiting instanceof Promise ? timed(exchange.latency, 'apf-queue-wait', () => waiting) : undefined;
  };
}
