import type { ApiObject } from '../../api/object.js';
import type { GroupResource } from '../../api/resource.js';
import { writeFailure } from '../registry/failures.js';
import { itemsOf, memberAt, textAt } from '../../api/json/members.js';
import type { ObjectKey, Storage, StoredObject, WriteResult } from '../storage/contract.js';
import { follow, type Following } from '../storage/follow.js';

/** The reference's name for the objects under `/registry/masterleases`. */
export const masterLeaseResource: GroupResource = { group: '', resource: 'apiServerIPInfo' };
const writeTimeoutMs = 5_000;

/** The leases by which kube-apiservers agree on the `kubernetes` service's addresses: an Endpoints per address, which the store expires. */
export class MasterLeases {
  readonly #storage: Pick<Storage, 'watch' | 'update' | 'delete'>;
  readonly #seen = new Map<string, StoredObject>();
  readonly #following: Following;

  constructor(
    storage: Pick<Storage, 'watch' | 'update' | 'delete'>,
    readonly ip: string,
  ) {
    this.#storage = storage;
    this.#following = follow(storage, masterLeaseResource, {
      put: (object) => this.#seen.set(object.name, object),
      remove: (_, name) => this.#seen.delete(name),
    });
  }

  get synced(): Promise<void> {
    return this.#following.synced;
  }

  /** Addresses of live servers, of either program. */
  ips(): readonly string[] {
    return [...this.#seen.values()].map(addressIn).filter((ip) => ip !== '');
  }

  /** Renews this server's lease. Rejects with a StatusError. */
  async renew(): Promise<void> {
    const first = await this.#put(this.#seen.get(this.ip) ?? null);
    // Another server with the same address was faster.
    const result = first.outcome === 'conflict' ? await this.#put(first.current) : first;
    if (result.outcome !== 'applied' && result.outcome !== 'conflict' && result.outcome !== 'taken') throw writeFailure(result);
  }

  async remove(): Promise<void> {
    const own = this.#seen.get(this.ip);
    this.#seen.delete(this.ip);
    if (own !== undefined) await this.#storage.delete(keyOf(this.ip), own.version, { timeoutMs: writeTimeoutMs });
  }

  stop(): void {
    this.#following.stop();
  }

  #put(current: StoredObject | null): Promise<WriteResult> {
    const object = renewed(this.ip, current?.decode() ?? null);
    return this.#storage.update(keyOf(this.ip), object, current?.version ?? 0, { timeoutMs: writeTimeoutMs });
  }
}

const keyOf = (ip: string): ObjectKey => ({ resource: masterLeaseResource, namespace: '', name: ip });

/** Increases the generation, because kube-apiserver does not write unchanged objects. Pure. */
const renewed = (ip: string, current: ApiObject | null): ApiObject => ({
  ...current,
  apiVersion: 'v1',
  kind: 'Endpoints',
  metadata: { ...current?.metadata, generation: (current?.metadata.generation ?? 0) + 1 },
  subsets: [{ addresses: [{ ip }] }],
});

/** An unreadable object names no server. */
function addressIn(stored: StoredObject): string {
  try {
    const [subset] = itemsOf(memberAt(stored.decode(), 'subsets'));
    const [address] = itemsOf(memberAt(subset, 'addresses'));
    return textAt(address, 'ip');
  } catch {
    return '';
  }
}
