import type { JsonObject } from '../../api/object.js';
import type { ServerAddress } from '../presence/serverLease.js';

const againMsDefault = 30_000;

export interface PeerDiscoveryOptions {
  /** Returns a peer's groups from aggregated discovery. Rejects when unavailable. */
  readonly ask: (address: ServerAddress) => Promise<readonly JsonObject[]>;
  /** For tests. */
  readonly againMs?: number;
}

interface Known {
  groups: readonly JsonObject[];
  timer: NodeJS.Timeout | null;
}

/** Polls other API servers. A peer's last answer counts until the next one. */
export class PeerDiscovery {
  readonly #options: PeerDiscoveryOptions;
  readonly #known = new Map<string, Known>();
  #groups: readonly (readonly JsonObject[])[] = [];

  constructor(options: PeerDiscoveryOptions) {
    this.#options = options;
  }

  /** Keyed by address; the array is replaced with every change. */
  groups(): readonly (readonly JsonObject[])[] {
    return this.#groups;
  }

  follow(addresses: readonly ServerAddress[]): void {
    const present = new Map(addresses.map((address) => [keyOf(address), address]));
    for (const [key, { timer }] of this.#known) {
      if (present.has(key)) continue;
      clearTimeout(timer ?? undefined);
      this.#known.delete(key);
      this.#changed();
    }
    for (const [key, address] of present) {
      if (this.#known.has(key)) continue;
      const known: Known = { groups: [], timer: null };
      this.#known.set(key, known);
      void this.#look(address, known);
    }
  }

  stop(): void {
    this.follow([]);
  }

  async #look(address: ServerAddress, known: Known): Promise<void> {
    const groups = await this.#options.ask(address).catch(() => null);
    if (this.#known.get(keyOf(address)) !== known) return;
    if (groups !== null) {
      known.groups = groups;
      this.#changed();
    }
    known.timer = setTimeout(() => {
      void this.#look(address, known);
    }, this.#options.againMs ?? againMsDefault).unref();
  }

  #changed(): void {
    this.#groups = [...this.#known].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, { groups }]) => groups);
  }
}

const keyOf = ({ ip, port }: ServerAddress): string => `${ip} ${port}`;
