import { Registry, type Metric, type MetricObject } from 'prom-client';
import { byName } from './sums.js';
import { hidden } from './hiddenMetrics.js';

export type AllowedLabels = ReadonlyMap<string, ReadonlySet<string>>;

export interface MetricChoice {
  readonly disabled?: readonly string[];
  readonly allowedLabels?: AllowedLabels;
  readonly hiddenShownFor?: number | null;
}

const unexpected = 'unexpected';

interface Value {
  readonly labels: Readonly<Record<string, number | string>>;
  readonly value: number;
  readonly metricName?: string;
}
interface Exported {
  readonly values: readonly Value[];
}
type Reading = () => Promise<Exported> | Exported;

/** Omits metrics disabled by the operator, and bounds label values. */
export class ChosenMetrics extends Registry {
  readonly #disabled: ReadonlySet<string>;
  readonly #allowed: ReadonlyMap<string, ReadonlyMap<string, ReadonlySet<string>>>;
  readonly #shownFor: number | null;
  readonly counts = { disabled: 0, hidden: 0, registered: 0 };
  readonly #unexpected: (() => Promise<number>)[] = [];

  constructor({ disabled = [], allowedLabels = new Map(), hiddenShownFor = null }: MetricChoice) {
    super();
    this.#disabled = new Set(disabled);
    this.#shownFor = hiddenShownFor;
    this.#allowed = byMetric(allowedLabels);
  }

  async unexpectedValues(): Promise<number> {
    const counts = await Promise.all(this.#unexpected.map((count) => count()));
    return counts.reduce((sum, count) => sum + count, 0);
  }

  override getMetricsAsArray(): MetricObject[] {
    return (super.getMetricsAsArray() as unknown as readonly { readonly name: string }[]).toSorted(byName) as unknown as MetricObject[];
  }

  override registerMetric<T extends string>(metric: Metric<T>): void {
    const { name = '' } = metric as { readonly name?: string };
    const hiddenSince = hidden.get(name);
    if (this.#disabled.has(name)) {
      this.counts.disabled++;
      return;
    }
    if (hiddenSince !== undefined && this.#shownFor !== hiddenSince) {
      this.counts.hidden++;
      return;
    }
    this.counts.registered++;
    const labels = this.#allowed.get(name);
    if (labels !== undefined) this.#unexpected.push(bound(metric as unknown as Readable, labels));
    super.registerMetric(metric);
  }
}

interface Readable {
  get: Reading;
  getForPromString?: Reading;
}

function byMetric(allowed: AllowedLabels): Map<string, Map<string, ReadonlySet<string>>> {
  const metrics = new Map<string, Map<string, ReadonlySet<string>>>();
  for (const [key, values] of allowed) {
    const [metric = '', label = ''] = key.split(',');
    metrics.set(metric, (metrics.get(metric) ?? new Map<string, ReadonlySet<string>>()).set(label, values));
  }
  return metrics;
}

/** Keeps allowed label values only, and sums series that become equal. Returns the count of other observations. */
function bound(metric: Readable, labels: ReadonlyMap<string, ReadonlySet<string>>): () => Promise<number> {
  const readAll = metric.get.bind(metric);
  for (const method of ['get', 'getForPromString'] as const) {
    const read = metric[method]?.bind(metric);
    if (read !== undefined) metric[method] = async () => bounded(await read(), labels);
  }
  return async () => unexpectedIn(await readAll(), labels);
}

const isAllowed = (allowed: ReadonlyMap<string, ReadonlySet<string>>, name: string, value: number | string): boolean =>
  allowed.get(name)?.has(String(value)) !== false;

const unexpectedIn = ({ values }: Exported, allowed: ReadonlyMap<string, ReadonlySet<string>>): number =>
  values
    .filter(({ metricName }) => metricName === undefined || !/_(bucket|sum)$/.test(metricName))
    .filter(({ labels }) => Object.entries(labels).some(([name, value]) => !isAllowed(allowed, name, value)))
    .reduce((sum, { value }) => sum + value, 0);

function bounded(exported: Exported, allowed: ReadonlyMap<string, ReadonlySet<string>>): Exported {
  const merged = new Map<string, Value>();
  for (const each of exported.values) {
    const labels = Object.fromEntries(
      Object.entries(each.labels).map(([name, value]) => [name, isAllowed(allowed, name, value) ? value : unexpected]),
    );
    const key = JSON.stringify([each.metricName ?? '', Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1))]);
    const same = merged.get(key);
    merged.set(key, { ...each, labels, value: each.value + (same?.value ?? 0) });
  }
  return { ...exported, values: [...merged.values()] };
}
