import { randomInt } from 'node:crypto';
import type { EtcdClient } from './client.js';
import { EtcdError } from './failure.js';
import { leaseGrant } from './messages.js';
import { errorText } from '../../../api/errorText.js';

export interface LeaseOptions {
  readonly client: EtcdClient;
  /** The bound is a twentieth of their lifetime. */
  readonly reuseMs: number;
  /** Returns milliseconds of a monotonic clock. */
  readonly now: () => number;
}

interface Lease {
  readonly id: number;
  readonly goodUntil: number;
  keys: number;
}

const sharedPartMax = 0.05;
const keysPerLeaseMax = 1_000;
const grantTimeoutMs = 5_000;
/** Ids stay within exact numbers. */
const idMax = 2 ** 48 - 1;

/** Keys of about the same time share a lease, as in the reference: a lease per key would cost etcd more than the keys. */
export class Leases {
  readonly #options: LeaseOptions;
  readonly #current = new Map<number, Promise<Lease>>();

  constructor(options: LeaseOptions) {
    this.#options = options;
  }

  /** Rejects with an EtcdError if nothing was written. */
  async leaseFor(ttlMs: number): Promise<number> {
    const known = await this.#current.get(ttlMs)?.catch(() => null);
    if (known !== undefined && known !== null && known.goodUntil >= this.#options.now() + ttlMs && known.keys < keysPerLeaseMax) {
      known.keys++;
      return known.id;
    }
    const granted = this.#grant(ttlMs);
    this.#current.set(ttlMs, granted);
    return (await granted).id;
  }

  async #grant(ttlMs: number): Promise<Lease> {
    const sharedMs = Math.min(this.#options.reuseMs, ttlMs * sharedPartMax);
    const id = randomInt(1, idMax);
    const since = this.#options.now();
    const { error } = await this.#options.client
      .call(leaseGrant, { id, ttlSeconds: Math.ceil((ttlMs + sharedMs) / 1_000) }, { timeoutMs: grantTimeoutMs, repeatable: false })
      .catch((cause: unknown) => {
        // An unused lease expires.
        throw new EtcdError('unavailable', errorText(cause), { cause });
      });
    if (error !== '') throw new EtcdError('unavailable', error);
    return { id, goodUntil: since + ttlMs + sharedMs, keys: 1 };
  }
}
