import type { ApiObject } from '../../../../api/object.js';
import type { GroupResource } from '../../../../api/resource.js';
import type { Storage, StoredObject, WriteResult } from '../../../storage/contract.js';
import { everything } from '../../../registry/everything.js';
import { readFailure, writeFailure } from '../../../registry/failures.js';
import { textAt } from '../../../../api/json/members.js';
import { addresses, claimKey, claimsOf, nodePorts, take, type Claim } from './claims.js';
import { portsOf, withBits, withoutBits } from './portBits.js';
import { allocationOf, bitsOf, portAllocationKey } from './portRecord.js';
import type { PortRange } from './ranges.js';

export interface RepairOptions {
  readonly storage: Storage;
  /** Now, RFC 3339 with seconds. */
  readonly now: string;
  readonly newUid: () => string;
  /** Which kinds of claims are objects of their own. Default: addresses and node ports. */
  readonly claimed?: readonly GroupResource[];
}

export interface Repaired {
  readonly added: number;
  readonly removed: number;
}

const services: GroupResource = { group: '', resource: 'services' };
const managedBy = 'ipaddress.kubernetes.io/managed-by';
const writeTimeoutMs = 10_000;

/**
 * Makes claims and services agree again, at the start of a server: data may come from elsewhere, and clients can delete addresses by
 * hand. Claims are read before services, so that one without an owner had none when it was read; removing it compares its version. May
 * run on several servers at once. Returns how much was repaired.
 */
export async function repairServiceClaims({ storage, now, newUid, claimed = [addresses, nodePorts] }: RepairOptions): Promise<Repaired> {
  const claims = new Map<string, StoredObject>();
  for (const resource of claimed) for (const claim of await all(storage, resource)) claims.set(idOf({ resource, name: claim.name }), claim);
  const wanted = new Map<string, readonly [claim: Claim, service: ApiObject]>();
  for (const [claim, service] of await wantedClaims(storage))
    if (claimed.includes(claim.resource) && !wanted.has(idOf(claim))) wanted.set(idOf(claim), [claim, service]);
  const missing = [...wanted].filter(([id]) => !claims.has(id)).flatMap(([, [claim, service]]) => take([claim], service, { now, newUid }));
  const leaked = [...claims].filter(([id, claim]) => !wanted.has(id) && isOurs(claim));
  for (const side of missing) if (side.action === 'create') await storage.create(side.key, side.object, { timeoutMs: writeTimeoutMs });
  for (const [, claim] of leaked) {
    await storage.delete(
      { ...claimKey({ resource: claim.apiVersion === 'v1' ? nodePorts : addresses, name: claim.name }) },
      claim.version,
      { timeoutMs: writeTimeoutMs },
    );
  }
  return { added: missing.length, removed: leaked.length };
}

/** How often an unowned port is seen before it is free: kube-apiserver takes a port first and writes its service afterwards. As there. */
const sightingsMin = 3;
const attemptsMax = 5;

/**
 * Makes the bits of node ports agree with the services again. `turn` is called at the start and every few minutes, by all servers of both programs: what a
 * service has and the bits do not is set at once, and a bit without a service goes when it was seen in three turns.
 */
export class PortRepair {
  #sightings = new Map<number, number>();

  constructor(private readonly options: { readonly storage: Storage; readonly range: PortRange }) {}

  /** Rejects with a StatusError; the next turn is another attempt. */
  async turn(): Promise<Repaired> {
    const { storage, range } = this.options;
    for (let attempt = 1; ; attempt++) {
      const found = await storage.get(portAllocationKey, { at: 'mostRecent' });
      if (found.outcome !== 'found' && found.outcome !== 'absent') throw readFailure(found);
      const stored = found.outcome === 'found' ? found.object : null;
      const current = stored?.decode() ?? null;
      const bits = bitsOf(current, range);
      // Read after the bits: what is taken from here on raises their version.
      const owned = new Set(
        (await wantedClaims(storage)).flatMap(([{ resource, name }]) => (resource === nodePorts ? [Number(name)] : [])),
      );
      const set = portsOf(bits, range);
      const missing = [...owned].filter((port) => port >= range.first && port <= range.last && !set.includes(port));
      const seen = new Map(set.filter((port) => !owned.has(port)).map((port) => [port, (this.#sightings.get(port) ?? 0) + 1]));
      const leaked = [...seen].filter(([, times]) => times >= sightingsMin).map(([port]) => port);
      const next = allocationOf(withBits(withoutBits(bits, range, leaked), range, missing), range, current);
      const unchanged = current !== null && textAt(current, 'range') === next['range'] && missing.length + leaked.length === 0;
      const result = unchanged ? null : await storage.update(portAllocationKey, next, stored?.version ?? 0, { timeoutMs: writeTimeoutMs });
      if (result !== null && result.outcome !== 'applied') {
        if (isChanged(result) && attempt < attemptsMax) continue;
        if (isChanged(result)) return { added: 0, removed: 0 };
        throw writeFailure(result);
      }
      this.#sightings = new Map([...seen].filter(([port]) => !leaked.includes(port)));
      return { added: missing.length, removed: leaked.length };
    }
  }
}

const isChanged = (result: WriteResult): result is Extract<WriteResult, { outcome: 'conflict' | 'taken' }> =>
  result.outcome === 'conflict' || result.outcome === 'taken';

/** What the services hold, and which of them. */
async function wantedClaims(storage: Storage): Promise<readonly (readonly [claim: Claim, service: ApiObject])[]> {
  return (await all(storage, services)).flatMap((stored) => {
    const service = stored.decode();
    return claimsOf(service).map((claim) => [claim, service] as const);
  });
}

const idOf = ({ resource, name }: Claim): string => `${resource.resource}/${name}`;

/** Clients may create addresses too, for purposes of their own. */
function isOurs(claim: StoredObject): boolean {
  return (
    claim.apiVersion === 'v1' ||
    (claim.labels[managedBy] === 'ipallocator.k8s.io' && textAt(claim.decode(), 'spec', 'parentRef', 'resource') === 'services')
  );
}

async function all(storage: Storage, resource: GroupResource): Promise<readonly StoredObject[]> {
  const result = await storage.list({ ...everything, resource, namespace: null, consistency: { at: 'mostRecent' } });
  if (result.outcome !== 'found') throw readFailure(result);
  return result.items;
}
