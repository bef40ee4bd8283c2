import type { GroupResource } from '../../api/resource.js';
import { portsIn } from '../../program/flags/checks.js';
import type { Storage } from '../storage/contract.js';
import { everything } from '../registry/everything.js';
import { readFailure } from '../registry/failures.js';
import { itemsOf, memberAt, textAt } from '../../api/json/members.js';
import { parseRange, type Family, type Range } from '../registry/validation/addresses.js';

/** Ports `first` to `last`; the first `reserved` are allocated last. */
export interface PortRange {
  readonly first: number;
  readonly last: number;
  readonly reserved: number;
}

const reservedPortsMin = 16;
const reservedPortsMax = 128;

/** Parses `30000-32767`, both ends inclusive. */
export function parsePortRange(text: string): PortRange {
  const { first, last } = portsIn(text);
  const size = last - first + 1;
  const reserved = size <= reservedPortsMin ? 0 : Math.min(Math.max(reservedPortsMin, Math.floor(size / 32)), reservedPortsMax);
  return { first, last, reserved };
}

const configuredName = 'kubernetes';

/** Parses `10.0.0.0/24,fd00::/112`; the first family is primary. Throws for invalid text, which option checks exclude. */
export const parseRanges = (text: string): Range[] =>
  text.split(',').map((part) => {
    const range = parseRange(part.trim());
    if (range === null) throw new Error(`${JSON.stringify(part)} is no range of addresses`);
    return range;
  });

const serviceRanges: GroupResource = { group: 'networking.k8s.io', resource: 'servicecidrs' };

/**
 * Returns a family's ranges: configured ones, then those of ready ServiceCIDR objects. An object shows the configured ranges, too; while it is being deleted
 * they are not used, so that an administrator can move services.
 */
export async function addressRanges(
  { storage, ranges }: { readonly storage: Pick<Storage, 'list'>; readonly ranges: readonly Range[] },
  family: Family,
): Promise<Range[]> {
  const result = await storage.list({ ...everything, resource: serviceRanges, namespace: null });
  if (result.outcome !== 'found') throw readFailure(result);
  const objects = result.items.map((item) => item.decode());
  const configuredGo = objects.some(
    ({ metadata }) => metadata.name === configuredName && metadata.deletionTimestamp !== undefined && metadata.deletionTimestamp !== null,
  );
  const further = objects
    .filter(
      (object) =>
        object.metadata.deletionTimestamp === undefined &&
        itemsOf(memberAt(object, 'status', 'conditions')).some(
          (condition) => textAt(condition, 'type') === 'Ready' && textAt(condition, 'status') === 'True',
        ),
    )
    .flatMap((object) => itemsOf(memberAt(object, 'spec', 'cidrs')).map((cidr) => parseRange(String(cidr))));
  const all = [...(configuredGo ? [] : ranges), ...further.filter((range) => range !== null)].filter((range) => range.family === family);
  return all.filter((range, position) => all.findIndex(({ text }) => text === range.text) === position);
}

/** Excludes a range's first address, which names the network, and the last IPv4 one, for broadcasts. */
export function usable({ family, first, last }: Range): { readonly first: bigint; readonly last: bigint; readonly reserved: bigint } {
  const bounds = { first: first + 1n, last: family === 'IPv4' ? last - 1n : last };
  return { ...bounds, reserved: reservedOf(bounds.last - bounds.first + 2n) };
}

const reservedMin = 16n;
const reservedMax = 256n;
/** A sixteenth of the range, within limits, is reserved for named addresses. */
function reservedOf(size: bigint): bigint {
  if (size <= reservedMin) return 0n;
  const share = size / 16n;
  return share < reservedMin ? reservedMin : share > reservedMax ? reservedMax : share;
}
