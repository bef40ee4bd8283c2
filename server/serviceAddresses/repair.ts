import type { ApiObject } from '../../api/object.js';
import type { GroupResource } from '../../api/resource.js';
import type { Storage, StoredObject, WriteResult } from '../storage/contract.js';
import { everything } from '../registry/everything.js';
import { readFailure, writeFailure } from '../registry/failures.js';
import { textAt } from '../../api/json/members.js';
import { addresses, claimKey, claimsOf, nodePorts, take, type Claim } from './claims.js';
import { portsOf, withBits, withoutBits } from './portBits.js';
import { allocationOf, bitsOf, portAllocationKey } from './portRecord.js';
import type { PortRange } from './ranges.js';

export interface RepairOptions {
  readonly storage: Storage;
  /** RFC 3339 with seconds. */
  readonly now: string;
  readonly newUid: () => string;
  /** Claims that are objects. Default: addresses and node ports. */
  readonly claimed?: readonly GroupResource[];
}

export interface Repaired {
  readonly added: number;
  readonly removed: number;
}

export const services: GroupResource = { group: '', resource: 'services' };
const managedBy = 'ipaddress.kubernetes.io/managed-by';
const writeTimeoutMs = 10_000;

/**
 * Repairs claims and services at a server's start. Claims are read before services, so an unowned one had no service then; its removal requires its version.
 * Several servers may run it concurrently. Returns the number of repairs.
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

/** Claims a service's unclaimed addresses, as another program may have written it into the store. Reads claims from memory first, since few are missing. */
export async function claimMissing({ storage, now, newUid }: RepairOptions, service: StoredObject): Promise<number> {
  const isFree = async (claim: Claim, at: 'any' | 'mostRecent'): Promise<boolean> =>
    (await storage.get(claimKey(claim), { at })).outcome === 'absent';
  const missing: Claim[] = [];
  for (const claim of claimsOf(service.decode()))
    if (claim.resource === addresses && (await isFree(claim, 'any')) && (await isFree(claim, 'mostRecent'))) missing.push(claim);
  if (missing.length === 0) return 0;
  const present = await storage.get({ resource: services, namespace: service.namespace, name: service.name }, { at: 'mostRecent' });
  if (present.outcome === 'absent') return 0;
  if (present.outcome !== 'found') throw readFailure(present);
  const owner = present.object.decode();
  const wanted = new Set(claimsOf(owner).map(idOf));
  const sides = take(
    missing.filter((claim) => wanted.has(idOf(claim))),
    owner,
    { now, newUid },
  );
  for (const side of sides) if (side.action === 'create') await storage.create(side.key, side.object, { timeoutMs: writeTimeoutMs });
  return sides.length;
}

/** Sightings after which an unowned port is released, as in kube-apiserver, which takes a port before it writes the service. */
const sightingsMin = 3;
const attemptsMax = 5;

interface PortRepairOptions {
  readonly storage: Storage;
  readonly range: PortRange;
}

/**
 * Repairs the port bits by the services. All servers of both programs call `turn` at the start and every few minutes: it sets a missing bit at once, and
 * clears an unowned one after three turns.
 */
export class PortRepair {
  readonly #options: PortRepairOptions;
  #sightings = new Map<number, number>();

  constructor(options: PortRepairOptions) {
    this.#options = options;
  }

  /** Rejects with a StatusError; the next turn tries again. */
  async turn(): Promise<Repaired> {
    const { storage, range } = this.#options;
    for (let attempt = 1; ; attempt++) {
      const found = await storage.get(portAllocationKey, { at: 'mostRecent' });
      if (found.outcome !== 'found' && found.outcome !== 'absent') throw readFailure(found);
      const stored = found.outcome === 'found' ? found.object : null;
      const current = stored?.decode() ?? null;
      const bits = bitsOf(current, range);
      // Read after the bits: later allocations raise their version.
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

async function wantedClaims(storage: Storage): Promise<readonly (readonly [claim: Claim, service: ApiObject])[]> {
  return (await all(storage, services)).flatMap((stored) => {
    const service = stored.decode();
    return claimsOf(service).map((claim) => [claim, service] as const);
  });
}

const idOf = ({ resource, name }: Claim): string => `${resource.resource}/${name}`;

/** Clients may create addresses of their own. */
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
