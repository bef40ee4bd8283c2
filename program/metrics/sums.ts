import { Registry, type Metric } from 'prom-client';

/** A value as a registry exports it. */
interface Value {
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
  /** Of histograms: which of their series it belongs to. */
  readonly metricName?: string;
}

/** A metric as a registry exports it. */
export interface Exported {
  readonly name: string;
  readonly help: string;
  readonly type: unknown;
  readonly values: readonly Value[];
}

/** The pages that say what a process has counted. */
export type Exposition = 'metrics' | 'indicators';

/** Gauges that each thread sets for itself, of which the least is true of the process: a check fails as soon as it fails anywhere. */
const leastGauges = [/^kubernetes_healthcheck$/];

/** Counters of what happens to the process, which each thread sees: all of them read a file that has changed. */
const commonCounters = [/_automatic_reloads_total$/];

/** Gauges that count what happens on each thread. The others tell of the process, or of the cluster, and are the same wherever they are read. */
const summedGauges = [
  /^apiserver_current_inflight_requests$/,
  /^apiserver_serving_thread_(connections|form_bytes)$/,
  /^apiserver_longrunning_requests$/,
  /^authentication_token_cache_active_fetch_count$/,
  /^apiserver_flowcontrol_current_(executing|inqueue)_(requests|seats)$/,
  /^apiserver_current_inqueue_requests$/,
];

/** What several threads have counted, as if one had. Pure. The first reading is of the thread that has the gauges of the process. */
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

/** How the values of threads become one; null where that of the first is as good as any. */
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

/** Orders metrics as the reference does. */
export const byName = (a: { readonly name: string }, b: { readonly name: string }): number =>
  a.name < b.name ? -1 : a.name > b.name ? 1 : 0;

/** In the form that Prometheus reads. */
export async function textOf(metrics: readonly Exported[]): Promise<string> {
  const registry = new Registry();
  for (const metric of metrics.toSorted(byName))
    registry.registerMetric({ ...metric, get: () => Promise.resolve(metric) } as unknown as Metric);
  return registry.metrics();
}
