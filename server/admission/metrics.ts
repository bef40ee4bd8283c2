import type { Registry } from 'prom-client';
import type { AdmissionTimes, Times } from './times.js';
import { DurationHistogram } from '../../program/metrics/durations.js';

const buckets = [0.005, 0.025, 0.1, 0.5, 1, 2.5];

export function createAdmissionMetrics(registry: Registry): AdmissionTimes {
  const histogram = (what: string, help: string, labelNames: string[]): DurationHistogram =>
    new DurationHistogram({
      name: `apiserver_admission_${what}_admission_duration_seconds`,
      help,
      labelNames,
      buckets,
      registers: [registry],
    });
  const plugins = histogram('controller', 'Time that one plug-in of admission took over a write, in seconds.', [
    'name',
    'operation',
    'rejected',
    'type',
  ]);
  const all = histogram('step', 'Time that all plug-ins of admission took over a write, in seconds.', ['operation', 'rejected', 'type']);
  return {
    ofPlugin: (name, type, operation) => new TimesOf(plugins, { name, operation, type }),
    ofAll: (type, operation) => new TimesOf(all, { operation, type }),
  };
}

/** Series appear with their first write. */
class TimesOf implements Times {
  readonly #histogram: DurationHistogram;
  readonly #labels: Readonly<Record<string, string>>;
  #good: ReturnType<DurationHistogram['of']> | null = null;

  constructor(histogram: DurationHistogram, labels: Readonly<Record<string, string>>) {
    this.#histogram = histogram;
    this.#labels = labels;
  }

  observe(seconds: number, rejected: boolean): void {
    if (rejected) this.#histogram.of({ ...this.#labels, rejected: 'true' }).observe(seconds);
    else (this.#good ??= this.#histogram.of({ ...this.#labels, rejected: 'false' })).observe(seconds);
  }
}
