export interface Share {
  amount: number;
}

const keptMax = 1_000;

/** Counts the shares of owners. Owners without a share stay known for a while: frequent changes of a map's keys are costly (see `ExchangeList`). */
export class Shares {
  readonly #byOwner = new Map<string, Share>();
  #forgetAt = keptMax;

  /** Must be called anew before something is added. */
  of(owner: string): Share {
    const known = this.#byOwner.get(owner);
    if (known !== undefined) return known;
    if (this.#byOwner.size >= this.#forgetAt) this.#forget();
    const share = { amount: 0 };
    this.#byOwner.set(owner, share);
    return share;
  }

  #forget(): void {
    for (const [owner, { amount }] of this.#byOwner) if (amount === 0) this.#byOwner.delete(owner);
    this.#forgetAt = Math.max(keptMax, 2 * this.#byOwner.size);
  }
}
