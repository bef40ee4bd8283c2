/** What one user has of something that all share. */
export interface Share {
  amount: number;
}

/** Users of whom nothing is counted any more are forgotten when there are so many. */
const keptMax = 1_000;

/**
 * Counts what everybody has. Who comes down to nothing stays known for a while: a map through which entries stream replaces its table again and again,
 * which would cost each request more than the counting does.
 */
export class Shares {
  readonly #byOwner = new Map<string, Share>();
  #forgetAt = keptMax;

  /** To be asked for anew before something is added. */
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
