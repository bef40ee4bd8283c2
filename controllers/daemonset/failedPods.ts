/** First wait before a node's failed pod is replaced: the node may refuse every pod. */

const firstMs = 1_000;
const maxMs = 15 * 60_000;
/** A node without failures for this long begins anew. */
const forgottenMs = 2 * maxMs;

/** `at` and `now` are on a monotonic clock: a wall clock may go back by a day. */
export interface Attempt {
  readonly at: number;
  readonly backoffMs: number;
}

/** Returns milliseconds until a node's next failed pod is removed; 0 or less for now. Pure. */
export function waitMs(last: Attempt | undefined, now: number): number {
  return !last || now - last.at > forgottenMs ? 0 : last.at + last.backoffMs - now;
}

export const nextAttempt = (last: Attempt | undefined, now: number): Attempt => ({
  at: now,
  backoffMs: !last || now - last.at > forgottenMs ? firstMs : Math.min(maxMs, last.backoffMs * 2),
});

/** Attempts by set and node. Expired ones are removed as soon as a set has more than its nodes. */
export class FailedPods {
  readonly #attempts = new Map<string, Map<string, Attempt>>();

  of(set: string): ReadonlyMap<string, Attempt> {
    return this.#attempts.get(set) ?? new Map<string, Attempt>();
  }

  tried(set: string, nodes: readonly string[], now: number): void {
    const attempts = this.#attempts.get(set) ?? new Map<string, Attempt>();
    for (const node of nodes) attempts.set(node, nextAttempt(attempts.get(node), now));
    for (const [node, { at }] of attempts) if (now - at > forgottenMs) attempts.delete(node);
    if (attempts.size > 0) this.#attempts.set(set, attempts);
  }

  forget(set: string): void {
    this.#attempts.delete(set);
  }
}
