import { Gauge, type Registry } from 'prom-client';
import { qualifiedName, type GroupResource } from '../../api/resource.js';

interface Estimate {
  readonly objects: number;
  readonly bytes: number;
}

export interface CountOptions {
  readonly registry: Registry;
  /** Every resource that is stored here, at the time of asking. */
  readonly resources: () => readonly GroupResource[];
  readonly count: (resource: GroupResource) => Estimate;
  /** How often objects are counted; 0 for never. */
  readonly periodMs: number;
}

/** Keeps a reading for some time. */
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

/** How many objects there are of each resource, and how large they are together. */
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
