import type { ApiObject } from '../../api/object.js';
import type { GroupResource } from '../../api/resource.js';
import type { ObjectKey, SideWrite, Storage, StoredObject } from '../storage/contract.js';
import { readFailure } from '../registry/failures.js';
import { everything } from '../registry/everything.js';
import { textAt } from '../../api/json/members.js';
import { claimKey, giveBack, nodePorts, type Claim } from './claims.js';
import { emptyBits, isSet, portBits, portsOf, textOf, withBits, withoutBits, type PortBits } from './portBits.js';
import type { PortRange } from './ranges.js';

export interface PortRecord {
  isTaken(claim: Claim, at: 'any' | 'mostRecent'): Promise<boolean>;
  taken(): Promise<number>;
  /** Returns the record's part of a write that takes and releases ports; `taking` makes the claims of single ports. */
  change(change: {
    readonly taken: readonly Claim[];
    readonly given: readonly Claim[];
    readonly taking: (claims: readonly Claim[]) => readonly SideWrite[];
  }): readonly SideWrite[];
}

/** One object per taken port in the built-in store, so that writers of different ports do not conflict. */
export const portClaims = (storage: Pick<Storage, 'get' | 'list'>): PortRecord => ({
  taken: () => objectsOf(storage),
  isTaken: async (claim, at) => (await stateOf(storage, claimKey(claim), at)) !== null,
  change: ({ taken, given, taking }) => [...taking(taken), ...giveBack(given)],
});

export const portAllocations: GroupResource = { group: '', resource: 'servicenodeportallocations' };
/** `/registry/ranges/servicenodeports` in the reference's layout. */
export const portAllocationKey: ObjectKey = { resource: portAllocations, namespace: '', name: 'servicenodeports' };

/**
 * One RangeAllocation with a bit per port, as in kube-apiserver, so that servers of both programs can allocate ports concurrently. Unlike there, it changes in
 * the transaction that writes the service.
 */
export function portBitmap(storage: Pick<Storage, 'get'>, range: PortRange): PortRecord {
  let known: { readonly stored: StoredObject; readonly bits: PortBits } | null = null;
  return {
    async taken() {
      const stored = await stateOf(storage, portAllocationKey, 'any');
      return portsOf(bitsOf(stored?.decode() ?? null, range), range).length;
    },
    async isTaken({ name }, at) {
      const stored = await stateOf(storage, portAllocationKey, at);
      if (stored === null) return false;
      if (known?.stored !== stored) known = { stored, bits: bitsOf(stored.decode(), range) };
      return isSet(known.bits, range, Number(name));
    },
    change({ taken, given }) {
      if (taken.length + given.length === 0) return [];
      const [takes, gives] = [taken, given].map((claims) => claims.map(({ name }) => Number(name)));
      return [{ action: 'amend', key: portAllocationKey, amend: (current) => amended(current, range, takes ?? [], gives ?? []) }];
    },
  };
}

/** Returns the object's next state; null if a port is taken. */
function amended(current: ApiObject | null, range: PortRange, takes: readonly number[], gives: readonly number[]): ApiObject | null {
  const bits = bitsOf(current, range);
  if (takes.some((port) => isSet(bits, range, port))) return null;
  return allocationOf(withBits(withoutBits(bits, range, gives), range, takes), range, current);
}

/** Returns the object's taken ports. Translates ports of another range. */
export const bitsOf = (current: ApiObject | null, range: PortRange): PortBits =>
  current === null ? emptyBits(range) : portBits({ range: textAt(current, 'range'), data: textAt(current, 'data') }, range);

export const allocationOf = (bits: PortBits, range: PortRange, current: ApiObject | null): ApiObject => ({
  apiVersion: 'v1',
  kind: 'RangeAllocation',
  metadata: current?.metadata ?? {},
  range: `${range.first}-${range.last}`,
  data: textOf(bits),
});

async function objectsOf(storage: Pick<Storage, 'list'>): Promise<number> {
  const result = await storage.list({ ...everything, resource: nodePorts, namespace: null });
  if (result.outcome === 'found') return result.items.length;
  throw readFailure(result);
}

async function stateOf(storage: Pick<Storage, 'get'>, key: ObjectKey, at: 'any' | 'mostRecent'): Promise<StoredObject | null> {
  const result = await storage.get(key, { at });
  if (result.outcome === 'found') return result.object;
  if (result.outcome === 'absent') return null;
  throw readFailure(result);
}
