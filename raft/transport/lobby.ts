export interface LobbyBounds {
  /** Guests at a time. */
  readonly countMax: number;
  /** Of them, from one address. */
  readonly perAddressMax: number;
}

/**
 * Where connections wait that have proved nothing yet. When there is no room, the one that has waited longest is put out, not the newest refused: who means
 * well is on its way within milliseconds, who holds a place waits for ever. So a place costs an attacker a new connection each time, and keeps nobody out.
 */
export class Lobby {
  readonly #guests = new Map<string, { readonly address: string; readonly putOut: () => void }>();
  readonly #byAddress = new Map<string, Set<string>>();

  constructor(private readonly bounds: LobbyBounds) {}

  get size(): number {
    return this.#guests.size;
  }

  /** `key` is the guest's own. `putOut` is called at most once, when its place is needed. */
  enter(key: string, address: string, putOut: () => void): void {
    const neighbours = this.#byAddress.get(address);
    if (neighbours !== undefined && neighbours.size >= this.bounds.perAddressMax) this.#putOutFirst(neighbours.keys());
    else if (this.#guests.size >= this.bounds.countMax) this.#putOutFirst(this.#guests.keys());
    this.#guests.set(key, { address, putOut });
    const known = this.#byAddress.get(address);
    if (known === undefined) this.#byAddress.set(address, new Set([key]));
    else known.add(key);
  }

  leave(key: string): void {
    const guest = this.#guests.get(key);
    if (guest === undefined) return;
    this.#guests.delete(key);
    const neighbours = this.#byAddress.get(guest.address);
    neighbours?.delete(key);
    if (neighbours?.size === 0) this.#byAddress.delete(guest.address);
  }

  /** Sets keep their order of arrival. */
  #putOutFirst(keys: Iterator<string>): void {
    const { value: oldest } = keys.next() as { readonly value: string };
    const guest = this.#guests.get(oldest);
    this.leave(oldest);
    guest?.putOut();
  }
}
