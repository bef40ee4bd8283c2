import type { Fairness } from '../../fairness/fairness.js';
import { isProbe } from './inflight.js';
import type { Filter } from './filter.js';

/** Streams other than watches are exempt; a watch counts only until its beginning has been sent. Probes are always answered. */
export function fairnessFilter(fairness: Fairness): Filter {
  return (exchange) => {
    const { info } = exchange;
    if (isProbe(exchange) || (exchange.longRunning && !(info.isResource && info.verb === 'watch'))) return undefined;
    return fairness.admit(exchange);
  };
}
