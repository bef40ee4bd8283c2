import type { ApiObject } from '../../../api/object.js';
import type { GroupResource } from '../../../api/resource.js';
import type { Storage, StoredObject } from '../../../storage/contract.js';
import { readFailure } from '../../../registry/failures.js';
import { textAt } from '../../../registry/members.js';
import { addresses, claimKey, claimsOf, nodePorts, take, type Claim } from './claims.js';

export interface RepairOptions {
  readonly storage: Storage;
  /** Now, RFC 3339 with seconds. */
  readonly now: string;
  readonly newUid: () => string;
}

const services: GroupResource = { group: '', resource: 'services' };
const managedBy = 'ipaddress.kubernetes.io/managed-by';
const writeTimeoutMs = 10_000;

/**
 * Makes claims and services agree again, at the start of a server: data may come from elsewhere, and clients can delete addresses by
 * hand. Claims are read before services, so that one without an owner had none when it was read; removing it compares its version. May
 * run on several servers at once. Returns how much was repaired.
 */
export async function repairServiceClaims({
  storage,
  now,
  newUid,
}: RepairOptions): Promise<{ readonly added: number; readonly removed: number }> {
  const claims = new Map<string, StoredObject>();
  for (const resource of [addresses, nodePorts])
    for (const claim of await all(storage, resource)) claims.set(idOf({ resource, name: claim.name }), claim);
  const wanted = new Map<string, readonly [claim: Claim, service: ApiObject]>();
  for (const stored of await all(storage, services)) {
    const service = stored.decode();
    for (const claim of claimsOf(service)) if (!wanted.has(idOf(claim))) wanted.set(idOf(claim), [claim, service]);
  }
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

const idOf = ({ resource, name }: Claim): string => `${resource.resource}/${name}`;

/** Clients may create addresses too, for purposes of their own. */
function isOurs(claim: StoredObject): boolean {
  return (
    claim.apiVersion === 'v1' ||
    (claim.labels[managedBy] === 'ipallocator.k8s.io' && textAt(claim.decode(), 'spec', 'parentRef', 'resource') === 'services')
  );
}

async function all(storage: Storage, resource: GroupResource): Promise<readonly StoredObject[]> {
  const result = await storage.list({
    resource,
    namespace: null,
    labels: [],
    fields: [],
    consistency: { at: 'mostRecent' },
    limit: null,
    after: null,
  });
  if (result.outcome !== 'found') throw readFailure(result);
  return result.items;
}
