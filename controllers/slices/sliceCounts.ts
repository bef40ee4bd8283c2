import { nameOf } from '../../api/meta/object.js';
import type { EndpointSlice } from '../../api/types/discovery/v1.js';
import type { Measures } from '../measures.js';
import type { SliceWrites } from './sliceWrites.js';

type Prefix = 'endpoint_slice_controller' | 'endpoint_slice_mirroring_controller';

interface Totals {
  readonly slices: number;
  readonly endpoints: number;
}

function changeOf(
  before: readonly EndpointSlice[],
  { create, update, remove }: SliceWrites,
): Totals & { readonly added: number; readonly removed: number } {
  const replaced = new Set([...update, ...remove].map(nameOf));
  const after = [...before.filter((slice) => !replaced.has(nameOf(slice))), ...update, ...create];
  const [old, fresh] = [addressesIn(before), addressesIn(after)];
  return {
    slices: after.length,
    endpoints: after.reduce((sum, { endpoints }) => sum + (endpoints?.length ?? 0), 0),
    added: [...fresh].filter((address) => !old.has(address)).length,
    removed: [...old].filter((address) => !fresh.has(address)).length,
  };
}

const addressesIn = (slices: readonly EndpointSlice[]): ReadonlySet<string> =>
  new Set(
    slices.flatMap(({ addressType, endpoints }) => (endpoints ?? []).map(({ addresses }) => `${addressType} ${addresses?.[0] ?? ''}`)),
  );

export class SliceCounts {
  readonly #measures: Measures;
  readonly #prefix: Prefix;
  readonly #totals = new Map<string, Totals>();

  constructor(measures: Measures, prefix: Prefix) {
    this.#measures = measures;
    this.#prefix = prefix;
  }

  wrote(key: string, before: readonly EndpointSlice[], writes: SliceWrites): void {
    const measures = this.#measures;
    const prefix = this.#prefix;
    const { added, removed, ...totals } = changeOf(before, writes);
    measures.observe(`${prefix}_endpoints_added_per_sync`, {}, added);
    measures.observe(`${prefix}_endpoints_removed_per_sync`, {}, removed);
    for (const operation of ['create', 'update', 'delete'] as const) {
      const count = writes[operation === 'delete' ? 'remove' : operation].length;
      if (count > 0) measures.count(`${prefix}_changes`, { operation }, count);
    }
    this.#totals.set(key, totals);
    this.#tell();
  }

  forget(key: string): void {
    if (this.#totals.delete(key)) this.#tell();
  }

  #tell(): void {
    let [slices, endpoints] = [0, 0];
    for (const each of this.#totals.values()) {
      slices += each.slices;
      endpoints += each.endpoints;
    }
    this.#measures.set(`${this.#prefix}_num_endpoint_slices`, {}, slices);
    this.#measures.set(`${this.#prefix}_endpoints_desired`, {}, endpoints);
  }
}
