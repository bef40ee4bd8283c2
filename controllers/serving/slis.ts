import { Counter, Gauge, Registry } from 'prom-client';
import { resetSeries } from '../../program/metrics/expositionPage.js';
import type { Checks } from './checks.js';

/** Health check results for service level indicators, on a separate page that is scraped often. */
export class Slis {
  readonly #checks: Checks;
  readonly #registry = new Registry();
  readonly #state = new Gauge({
    name: 'kubernetes_healthcheck',
    help: '1 for each check that is well.',
    labelNames: ['name', 'type'] as const,
    registers: [this.#registry],
  });
  readonly #count = new Counter({
    name: 'kubernetes_healthchecks_total',
    help: 'Looks at each check, by how it was.',
    labelNames: ['name', 'type', 'status'] as const,
    registers: [this.#registry],
  });

  constructor(checks: Checks) {
    this.#checks = checks;
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  reset(): void {
    resetSeries(this.#registry);
  }

  metrics(): Promise<string> {
    this.#state.reset();
    for (const [name, isWell] of this.#checks.states()) {
      this.#state.set({ name, type: 'healthz' }, isWell ? 1 : 0);
      this.#count.inc({ name, type: 'healthz', status: isWell ? 'success' : 'error' });
    }
    return this.#registry.metrics();
  }
}
