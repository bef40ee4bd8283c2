import { Counter, Gauge, Registry } from 'prom-client';
import type { HealthEndpoint } from '../health.js';

/** Results of health checks for `/metrics/slis`, which is read often and contains nothing else. */
export class HealthIndicators {
  readonly registry = new Registry();
  readonly #now: Gauge;
  readonly #total: Counter;

  constructor() {
    this.#now = new Gauge({
      name: 'kubernetes_healthcheck',
      help: 'The last answer of each health check: 1 when what it looks at was well.',
      labelNames: ['name', 'type'],
      registers: [this.registry],
    });
    this.#total = new Counter({
      name: 'kubernetes_healthchecks_total',
      help: 'Answers of each health check.',
      labelNames: ['name', 'status', 'type'],
      registers: [this.registry],
    });
  }

  observe(type: HealthEndpoint, name: string, passed: boolean): void {
    this.#now.set({ name, type }, passed ? 1 : 0);
    this.#total.inc({ name, type, status: passed ? 'success' : 'error' });
  }
}
