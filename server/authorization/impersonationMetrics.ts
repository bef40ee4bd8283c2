import { Counter, exponentialBuckets, type Registry } from 'prom-client';
import type { ImpersonationCounts } from './impersonation.js';
import { DurationHistogram } from '../../program/metrics/durations.js';

/** Bounds in seconds, as in the reference. */
const buckets = exponentialBuckets(0.001, 2, 15);

export function createImpersonationMetrics(registry: Registry): ImpersonationCounts {
  const labelNames = ['mode', 'decision'];
  const tally = (name: string, what: string): ImpersonationCounts['asked'] => {
    const total = new Counter({ name: `${name}_total`, help: `${what}, by mode and decision.`, labelNames, registers: [registry] });
    const duration = new DurationHistogram({
      name: `${name}_duration_seconds`,
      help: `Time in seconds of: ${what}, by mode and decision.`,
      labelNames,
      buckets,
      registers: [registry],
    });
    return (mode, decision, seconds) => {
      total.inc({ mode, decision });
      duration.of({ mode, decision }).observe(seconds);
    };
  };
  return {
    attempted: tally('apiserver_impersonation_attempts', 'Requests of users who act as others'),
    asked: tally('apiserver_impersonation_authorization_attempts', 'Questions whether a user may act as another one'),
  };
}
