import type { ServerAddress } from '../presence/serverLease.js';

/** More than a cluster's API servers, since writers of leases could create any number. */
const peersMax = 64;

/** Addresses of other API servers by lease. Those beyond the limit are ignored until another goes; they keep renewing their leases. */
export class PeerAddresses {
  readonly #addresses = new Map<string, ServerAddress>();

  put(name: string, address: ServerAddress): void {
    if (this.#addresses.has(name) || this.#addresses.size < peersMax) this.#addresses.set(name, address);
  }

  remove(name: string): void {
    this.#addresses.delete(name);
  }

  all(): readonly ServerAddress[] {
    return [...this.#addresses.values()];
  }
}
