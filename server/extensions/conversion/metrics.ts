import { Counter, Histogram, type Registry } from 'prom-client';
import type { ObserveConversion } from './webhook.js';

const failed = 'conversion_webhook_call_failure';

/** The metrics have the reference's names. */
export function createConversionMetrics(registry: Registry): ObserveConversion {
  const registers = [registry];
  const buckets = [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 45, 60];
  const labelNames = ['result', 'failure_type'];
  const total = new Counter({
    name: 'apiserver_conversion_webhook_request_total',
    help: 'Calls of conversion webhooks, by outcome.',
    labelNames,
    registers,
  });
  const duration = new Histogram({
    name: 'apiserver_conversion_webhook_duration_seconds',
    help: 'Time that calls of conversion webhooks took, in seconds.',
    labelNames,
    buckets,
    registers,
  });
  const byDefinition = new Histogram({
    name: 'apiserver_crd_conversion_webhook_duration_seconds',
    help: 'Time that conversions of custom resources took, in seconds.',
    labelNames: ['crd_name', 'from_version', 'to_version', 'succeeded'],
    buckets: [0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.064, 0.128, 0.256, 0.512, 1.024, 2.048, 4.096, 8.192, 16.384],
    registers,
  });
  return ({ definition, from, to, seconds, succeeded }) => {
    const labels = { result: succeeded ? 'success' : 'failure', failure_type: succeeded ? '' : failed };
    total.inc(labels);
    duration.observe(labels, seconds);
    byDefinition.observe({ crd_name: definition, from_version: from, to_version: to, succeeded: String(succeeded) }, seconds);
  };
}
