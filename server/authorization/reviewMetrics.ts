import { Counter, Histogram, type Registry } from 'prom-client';

export function createReviewMetrics(registry: Registry): (name: string, outcome: string, seconds: number) => void {
  const labelNames = ['name', 'result'];
  const total = new Counter({
    name: 'apiserver_authorization_webhook_evaluations_total',
    help: 'Questions to services that authorize, with their retries, by outcome.',
    labelNames,
    registers: [registry],
  });
  const duration = new Histogram({
    name: 'apiserver_authorization_webhook_duration_seconds',
    help: 'Time that such a question took, in seconds.',
    labelNames,
    buckets: [0.005, 0.025, 0.1, 0.5, 1, 2.5, 5, 10, 25],
    registers: [registry],
  });
  return (name, result, seconds) => {
    total.inc({ name, result });
    duration.observe({ name, result }, seconds);
  };
}
