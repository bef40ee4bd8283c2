import { Counter, Gauge, type Registry } from 'prom-client';
import { DurationHistogram, type DurationSeries } from '../../program/metrics/durations.js';
import { qualifiedName, type GroupResource } from '../../api/resource.js';
import type { StoreTimes } from './measured.js';

interface Estimate {
  readonly objects: number;
  readonly bytes: number;
}

export interface CountOptions {
  readonly registry: Registry;
  readonly resources: () => readonly GroupResource[];
  readonly count: (resource: GroupResource) => Estimate;
  /** The counting interval; 0 for never. */
  readonly periodMs: number;
}

export function every<T>(periodMs: number, read: () => T, now: () => number = () => performance.now()): () => T {
  let last: { readonly value: T; readonly until: number } | null = null;
  return () => {
    if (last === null || now() >= last.until) last = { value: read(), until: now() + periodMs };
    return last.value;
  };
}

const ofEach: readonly { readonly name: string; readonly help: string; readonly value: (estimate: Estimate) => number }[] = [
  {
    name: 'apiserver_resource_objects',
    help: 'Objects of each resource that are stored, when they were last counted.',
    value: ({ objects }) => objects,
  },
  {
    name: 'apiserver_resource_size_estimate_bytes',
    help: 'Bytes that the objects of each resource take in the store, when they were last counted.',
    value: ({ bytes }) => bytes,
  },
];

export function exposeCounts({ registry, resources, count, periodMs }: CountOptions): void {
  if (periodMs === 0) return;
  const read = every(periodMs, () => resources().map((resource) => ({ resource, ...count(resource) })));
  for (const { name, help, value } of ofEach)
    new Gauge({
      name,
      help,
      labelNames: ['group', 'resource'],
      registers: [registry],
      collect() {
        this.reset();
        for (const { resource, ...estimate } of read()) this.set({ group: resource.group, resource: resource.resource }, value(estimate));
      },
    });
  new Gauge({
    name: 'apiserver_storage_objects',
    help: 'The same by the name of the resource with its group.',
    labelNames: ['resource'],
    registers: [registry],
    collect() {
      this.reset();
      for (const { resource, objects } of read()) this.set({ resource: qualifiedName(resource) }, objects);
    },
  });
}

/** Upper bounds in seconds, as in the reference. */
const storeBuckets = [0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60];

/** Times of any store under the reference's etcd names. */
export function createStoreTimes(registry: Registry): StoreTimes {
  const labelNames = ['operation', 'group', 'resource'] as const;
  const duration = new DurationHistogram({
    name: 'etcd_request_duration_seconds',
    help: 'Time that the store took for what was asked of it, in seconds, by operation and resource.',
    labelNames,
    buckets: storeBuckets,
    registers: [registry],
  });
  const [total, errors] = (
    [
      ['etcd_requests_total', 'What was asked of the store, by operation and resource.'],
      ['etcd_request_errors_total', 'What the store could not do.'],
    ] as const
  ).map(([name, help]) => new Counter({ name, help, labelNames, registers: [registry] })) as [Counter, Counter];
  const series = new Map<string, DurationSeries>();
  return (operation, { group, resource }, { seconds, failed }) => {
    const labels = { operation, group, resource };
    const id = `${operation} ${resource}.${group}`;
    let own = series.get(id);
    if (own === undefined) {
      // Definitions come and go.
      if (series.size >= storeSeriesMax) return;
      series.set(id, (own = duration.of(labels)));
    }
    own.observe(seconds);
    total.inc(labels);
    if (failed) errors.inc(labels);
  };
}

const storeSeriesMax = 5_000;
