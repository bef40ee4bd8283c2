import type { Storage } from '../storage/contract.js';
import { everything } from '../registry/everything.js';
import { readFailure } from '../registry/failures.js';
import { contains, parseAddress, type Family, type Range } from '../registry/validation/addresses.js';
import { addresses } from './claims.js';
import { addressRanges, usable } from './ranges.js';

export interface Usage {
  readonly allocated: number;
  readonly available: number;
}

/** Returns the use of all address ranges by text. Reads the names of all taken addresses. */
export async function addressUsage(options: {
  readonly storage: Pick<Storage, 'list'>;
  readonly ranges: readonly Range[];
}): Promise<ReadonlyMap<string, Usage>> {
  const families: readonly Family[] = ['IPv4', 'IPv6'];
  const ranges = (await Promise.all(families.map((family) => addressRanges(options, family)))).flat();
  const result = await options.storage.list({ ...everything, resource: addresses, namespace: null });
  if (result.outcome !== 'found') throw readFailure(result);
  const taken = result.items.map(({ name }) => parseAddress(name)).filter((address) => address !== null);
  return new Map(
    ranges.map((range) => {
      const { first, last } = usable(range);
      const allocated = taken.filter((address) => contains(range, address)).length;
      return [range.text, { allocated, available: Number(last - first + 1n) - allocated }];
    }),
  );
}
