import type { ApiObject } from '../../api/object.js';
import type { GroupResource } from '../../api/resource.js';
import { writeFailure } from '../registry/failures.js';
import { itemsOf, memberAt, textAt } from '../../api/json/members.js';
import type { ObjectKey, Storage, StoredObject, WriteResult } from '../storage/contract.js';
import { follow, type Following } from '../storage/follow.js';

/** The reference's name for what stands under `/registry/masterleases`. */
export const masterLeaseResource: GroupResource = { group: '', resource: 'apiServerIPInfo' };
const writeTimeoutMs = 5_000;

/**
 * How kube-apiservers say to each other which addresses the `kubernetes` service has: under each address an Endpoints with that address alone, which the
 * store removes when it is not written for a while. Whoever shares an etcd with them says it too, and looks at theirs.
 */
export class MasterLeases {
  readonly #seen = new Map<string, StoredObject>();
  readonly #following: Following;

  constructor(
    private readonly storage: Pick<Storage, 'watch' | 'update' | 'delete'>,
    readonly ip: string,
  ) {
    this.#following = follow(storage, masterLeaseResource, {
      put: (object) => this.#seen.set(object.name, object),
      remove: (_, name) => this.#seen.delete(name),
    });
  }

  get synced(): Promise<void> {
    return this.#following.synced;
  }

  /** Addresses of servers that are there, of either program. */
  ips(): readonly string[] {
    return [...this.#seen.values()].map(addressIn).filter((ip) => ip !== '');
  }

  /** Says that the server with this address is there. Rejects with a StatusError. */
  async renew(): Promise<void> {
    const first = await this.#put(this.#seen.get(this.ip) ?? null);
    // Another server has the same address, and was faster.
    const result = first.outcome === 'conflict' ? await this.#put(first.current) : first;
    if (result.outcome !== 'applied' && result.outcome !== 'conflict' && result.outcome !== 'taken') throw writeFailure(result);
  }

  async remove(): Promise<void> {
    const own = this.#seen.get(this.ip);
    this.#seen.delete(this.ip);
    if (own !== undefined) await this.storage.delete(keyOf(this.ip), own.version, { timeoutMs: writeTimeoutMs });
  }

  stop(): void {
    this.#following.stop();
  }

  #put(current: StoredObject | null): Promise<WriteResult> {
    const object = renewed(this.ip, current?.decode() ?? null);
    return this.storage.update(keyOf(this.ip), object, current?.version ?? 0, { timeoutMs: writeTimeoutMs });
  }
}

const keyOf = (ip: string): ObjectKey => ({ resource: masterLeaseResource, namespace: '', name: ip });

/** The generation counts on because kube-apiserver does not write what has not changed. Pure. */
const renewed = (ip: string, current: ApiObject | null): ApiObject => ({
  ...current,
  apiVersion: 'v1',
  kind: 'Endpoints',
  metadata: { ...current?.metadata, generation: (current?.metadata.generation ?? 0) + 1 },
  subsets: [{ addresses: [{ ip }] }],
});

/** An object that cannot be read says nothing of any server. */
function addressIn(stored: StoredObject): string {
  try {
    const [subset] = itemsOf(memberAt(stored.decode(), 'subsets'));
    const [address] = itemsOf(memberAt(subset, 'addresses'));
    return textAt(address, 'ip');
  } catch {
    return '';
  }
}
