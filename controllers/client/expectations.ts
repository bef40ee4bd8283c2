import type { Clock } from './clock.js';
import { isNotFound } from './errors.js';

/** The reference's value. A creation unseen for this long was lost, or the informer is late; going on is safer than waiting for ever. */
const forgottenAfterMs = 5 * 60_000;

interface Expected {
  creations: number;
  /** Uids of deleted objects: a deletion seen twice, or made by another client, counts once. */
  readonly deletions: Set<string>;
  readonly since: number;
}

/**
 * A controller's writes that its cache does not show yet. A controller that created three pods and checked its late cache at once would create three more. So
 * it records its writes, and delays decisions until the cache shows them.
 */
export class Expectations {
  readonly #clock: Clock;
  readonly #expected = new Map<string, Expected>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Returns whether all writes for `key` were seen, or have timed out. */
  satisfied(key: string): boolean {
    const expected = this.#expected.get(key);
    if (!expected) return true;
    return (expected.creations <= 0 && expected.deletions.size === 0) || this.#clock.elapsed() - expected.since > forgottenAfterMs;
  }

  /** Records writes before the first request, whose effect may precede its response. */
  expect(key: string, { creations = 0, deletions = [] }: { readonly creations?: number; readonly deletions?: readonly string[] }): void {
    this.#expected.set(key, { creations, deletions: new Set(deletions), since: this.#clock.elapsed() });
  }

  /** Records that a creation was seen, or will not happen. */
  created(key: string, count = 1): void {
    const expected = this.#expected.get(key);
    if (expected) expected.creations -= count;
  }

  /** Records that a deletion was seen, or will not happen. */
  deleted(key: string, uid: string): void {
    this.#expected.get(key)?.deletions.delete(uid);
  }

  /** Awaits a recorded deletion, and forgets it when the object was gone already or cannot be deleted: no event would come. Rejects in the latter case. */
  async deleting(key: string, uid: string, deletion: Promise<unknown>): Promise<void> {
    try {
      await deletion;
    } catch (error) {
      this.deleted(key, uid);
      if (!isNotFound(error)) throw error;
    }
  }

  forget(key: string): void {
    this.#expected.delete(key);
  }
}
