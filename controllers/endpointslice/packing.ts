import { nameOf } from '../../api/meta/object.js';
import type { Endpoint, EndpointSlice } from '../../api/types/discovery/v1.js';
import type { SliceWrites } from '../slices/sliceWrites.js';
import { sameMeaning } from '../../api/json/equality.js';
import { endpointKey, sameEndpoint } from './endpoint.js';

export interface Packing {
  readonly slices: readonly EndpointSlice[];
  readonly wanted: readonly Endpoint[];
  readonly labels: Readonly<Record<string, string>>;
  readonly endpointsMax: number;
  readonly empty: () => EndpointSlice;
}

interface Filling {
  readonly slice: EndpointSlice;
  readonly endpoints: Endpoint[];
  change: 'none' | 'update' | 'remove';
}

/**
 * Distributes endpoints with equal ports over slices with few writes, since each write goes to every node. Endpoints keep their slice; new ones fill slices
 * that change anyway, then the fullest slice with room for the rest, then new slices. Pure.
 */
export function pack({ slices, wanted, labels, endpointsMax, empty }: Packing): SliceWrites {
  const left = new Map(wanted.map((endpoint) => [endpointKey(endpoint), endpoint]));
  const fillings = slices.map((slice) => keep(slice, left, labels));
  const changing = fillings.filter(({ change }) => change === 'update').sort((a, b) => b.endpoints.length - a.endpoints.length);
  for (const { endpoints } of changing) fill(endpoints, left, endpointsMax);
  const fresh: Endpoint[][] = [];
  while (left.size > 0) {
    const roomy = left.size < endpointsMax ? fullestWithRoom(fillings, left.size, endpointsMax) : null;
    if (roomy) roomy.change = 'update';
    else fresh.push([]);
    fill(roomy?.endpoints ?? fresh.at(-1) ?? [], left, endpointsMax);
  }
  return {
    create: fresh.map((endpoints) => ({ ...empty(), endpoints })),
    update: fillings
      .filter(({ change }) => change === 'update')
      .map(({ slice, endpoints }) => ({ ...slice, metadata: { ...slice.metadata, labels }, endpoints })),
    remove: fillings.filter(({ change }) => change === 'remove').map(({ slice }) => slice),
  };
}

/** Returns the remaining endpoints of a slice in its order, removing them from `left`. */
function keep(slice: EndpointSlice, left: Map<string, Endpoint>, labels: Readonly<Record<string, string>>): Filling {
  const before = slice.endpoints ?? [];
  const endpoints: Endpoint[] = [];
  let changed = false;
  for (const old of before) {
    const key = endpointKey(old);
    const endpoint = left.get(key);
    if (!endpoint || !left.delete(key)) continue;
    const same = sameEndpoint(old, endpoint);
    changed ||= !same;
    endpoints.push(same ? old : endpoint);
  }
  if (!changed && endpoints.length === before.length)
    return { slice, endpoints, change: sameMeaning(labels, slice.metadata.labels) ? 'none' : 'update' };
  return { slice, endpoints, change: endpoints.length === 0 ? 'remove' : 'update' };
}

function fill(endpoints: Endpoint[], left: Map<string, Endpoint>, endpointsMax: number): void {
  for (const [key, endpoint] of left) {
    if (endpoints.length >= endpointsMax) return;
    endpoints.push(endpoint);
    left.delete(key);
  }
}

function fullestWithRoom(fillings: readonly Filling[], count: number, endpointsMax: number): Filling | null {
  const candidates = fillings.filter(({ change, endpoints }) => change === 'none' && endpoints.length + count <= endpointsMax);
  return candidates.sort((a, b) => b.endpoints.length - a.endpoints.length || (nameOf(a.slice) < nameOf(b.slice) ? -1 : 1))[0] ?? null;
}
