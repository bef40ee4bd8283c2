import { Registry, type Metric } from 'prom-client';

interface Value {
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
  readonly metricName?: string;
}

export interface Exported {
  readonly name: string;
  readonly help: string;
  readonly type: unknown;
  readonly values: readonly Value[];
}

export type Exposition = 'metrics' | 'indicators';

/** The minimum over all threads counts: a check fails if any does. */
const leastGauges = [/^kubernetes_healthcheck$/];

/** Counted once: each thread reads a changed file. */
const commonCounters = [/_automatic_reloads_total$/];

/** Other gauges are the same on every thread. */
const summedGauges = [
  /^apiserver_current_inflight_requests$/,
  /^apiserver_serving_thread_(connections|form_bytes)$/,
  /^apiserver_longrunning_requests$/,
  /^authentication_token_cache_active_fetch_count$/,
  /^apiserver_flowcontrol_current_(executing|inqueue)_(requests|seats)$/,
  /^apiserver_current_inqueue_requests$/,
];

/** The first reading is that of the thread with the process's gauges. */
export function summed(readings: readonly (readonly Exported[])[]): Exported[] {
  const byName = new Map<string, Exported[]>();
  for (const metric of readings.flat()) byName.set(metric.name, [...(byName.get(metric.name) ?? []), metric]);
  return [...byName.values()].map((all) => {
    const merge = mergeOf(all[0]!);
    return merge === null ? all[0]! : merged(all, merge);
  });
}

type Merge = (one: number, other: number) => number;
const sum: Merge = (one, other) => one + other;

/** Null where the first thread's value suffices. */
function mergeOf({ name, type }: Exported): Merge | null {
  const isAmong = (patterns: readonly RegExp[]): boolean => patterns.some((pattern) => pattern.test(name));
  if (isAmong(commonCounters)) return null;
  if (type !== 'gauge' || isAmong(summedGauges)) return sum;
  return isAmong(leastGauges) ? Math.min : null;
}

function merged(all: readonly Exported[], merge: Merge): Exported {
  const bySeries = new Map<string, Value>();
  for (const value of all.flatMap(({ values }) => values)) {
    const key = JSON.stringify([value.metricName ?? '', Object.entries(value.labels).sort(([a], [b]) => (a < b ? -1 : 1))]);
    const known = bySeries.get(key);
    bySeries.set(key, known === undefined ? value : { ...known, value: merge(known.value, value.value) });
  }
  return { ...all[0]!, values: [...bySeries.values()] };
}

interface Named {
  readonly name: string;
}

export const byName = (a: Named, b: Named): number => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);

export async function textOf(metrics: readonly Exported[]): Promise<string> {
  const registry = new Registry();
  for (const metric of metrics.toSorted(byName))
    registry.registerMetric({ ...metric, get: () => Promise.resolve(metric) } as unknown as Metric);
  return registry.metrics();
}
