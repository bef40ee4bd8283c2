export interface PendingBounds {
  readonly countMax: number;
  readonly perAddressMax: number;
}

/** When full, closes the longest waiting connection: honest peers proceed within milliseconds, and an attacker needs a new connection for each place. */
export class PendingConnections {
  readonly #bounds: PendingBounds;
  readonly #pending = new Map<string, { readonly address: string; readonly putOut: () => void }>();
  readonly #byAddress = new Map<string, Set<string>>();

  constructor(bounds: PendingBounds) {
    this.#bounds = bounds;
  }

  get size(): number {
    return this.#pending.size;
  }

  /** `putOut` is called at most once, when the place is needed. */
  enter(key: string, address: string, putOut: () => void): void {
    const neighbours = this.#byAddress.get(address);
    if (neighbours !== undefined && neighbours.size >= this.#bounds.perAddressMax) this.#putOutFirst(neighbours.keys());
    else if (this.#pending.size >= this.#bounds.countMax) this.#putOutFirst(this.#pending.keys());
    this.#pending.set(key, { address, putOut });
    const known = this.#byAddress.get(address);
    if (known === undefined) this.#byAddress.set(address, new Set([key]));
    else known.add(key);
  }

  leave(key: string): void {
    const pending = this.#pending.get(key);
    if (pending === undefined) return;
    this.#pending.delete(key);
    const neighbours = this.#byAddress.get(pending.address);
    neighbours?.delete(key);
    if (neighbours?.size === 0) this.#byAddress.delete(pending.address);
  }

  #putOutFirst(keys: Iterator<string>): void {
    const { value: oldest } = keys.next() as { readonly value: string };
    const pending = this.#pending.get(oldest);
    this.leave(oldest);
    pending?.putOut();
  }
}
