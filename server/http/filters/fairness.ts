import type { Fairness } from '../../fairness/fairness.js';
import { isProbe } from './inflight.js';
import type { Filter } from './filter.js';

/**
 * Lets a request in when it is its turn. Streams other than watches are not counted; a watch only until its beginning has been sent. Whoever watches over the process
 * is always answered.
 */
export function fairnessFilter(fairness: Fairness): Filter {
  return (exchange) => {
    const { info } = exchange;
    if (isProbe(exchange) || (exchange.longRunning && !(info.isResource && info.verb === 'watch'))) return undefined;
    return fairness.admit(exchange);
  };
}
