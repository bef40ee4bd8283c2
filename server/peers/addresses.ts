import type { ServerAddress } from '../presence/serverLease.js';

/** More API servers than a cluster has: whoever may write leases could make any number of them. */
const peersMax = 64;

/** Where the other API servers are, by the names of their leases. Beyond a bound further ones are not known until another one goes; they say again that they are there. */
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
