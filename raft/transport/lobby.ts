export interface LobbyBounds {
  readonly countMax: number;
  readonly perAddressMax: number;
}

/** When full, closes the longest waiting connection: honest peers proceed within milliseconds, and an attacker needs a new connection for each place. */
export class Lobby {
  readonly #bounds: LobbyBounds;
  readonly #guests = new Map<string, { readonly address: string; readonly putOut: () => void }>();
  readonly #byAddress = new Map<string, Set<string>>();

  constructor(bounds: LobbyBounds) {
    this.#bounds = bounds;
  }

  get size(): number {
    return this.#guests.size;
  }

  /** `putOut` is called at most once, when the place is needed. */
  enter(key: string, address: string, putOut: () => void): void {
    const neighbours = this.#byAddress.get(address);
    if (neighbours !== undefined && neighbours.size >= this.#bounds.perAddressMax) this.#putOutFirst(neighbours.keys());
    else if (this.#guests.size >= this.#bounds.countMax) this.#putOutFirst(this.#guests.keys());
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

  #putOutFirst(keys: Iterator<string>): void {
    const { value: oldest } = keys.next() as { readonly value: string };
    const guest = this.#guests.get(oldest);
    this.leave(oldest);
    guest?.putOut();
  }
}
