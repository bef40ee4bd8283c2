import type { Clock } from './clock.js';
import { isNotFound } from './errors.js';

/** As in the reference: a creation that is not seen within this time was lost, or the informer is late; going on is safer than standing still. */
const forgottenAfterMs = 5 * 60_000;

interface Expected {
  creations: number;
  /** Uids of what was deleted: an object that is seen deleted twice, or was deleted by someone else, counts once. */
  readonly deletions: Set<string>;
  readonly since: number;
}

/**
 * What a controller has done and not yet seen in its cache. A cache lags behind the controller's own writes; one that created three pods and
 * looks at once would see none, and create three more. So it notes what it did, and waits with further decisions until the cache shows it.
 */
export class Expectations {
  readonly #expected = new Map<string, Expected>();

  constructor(private readonly clock: Clock) {}

  /** Whether everything noted for `key` was seen, or was long ago. */
  satisfied(key: string): boolean {
    const expected = this.#expected.get(key);
    if (!expected) return true;
    return (expected.creations <= 0 && expected.deletions.size === 0) || this.clock.elapsed() - expected.since > forgottenAfterMs;
  }

  /** Notes what is about to be done, before the first request: its effect may be seen before its answer. */
  expect(key: string, { creations = 0, deletions = [] }: { readonly creations?: number; readonly deletions?: readonly string[] }): void {
    this.#expected.set(key, { creations, deletions: new Set(deletions), since: this.clock.elapsed() });
  }

  /** A creation was seen, or will not happen. */
  created(key: string, count = 1): void {
    const expected = this.#expected.get(key);
    if (expected) expected.creations -= count;
  }

  /** A deletion was seen, or will not happen. */
  deleted(key: string, { uid }: { readonly uid: string }): void {
    this.#expected.get(key)?.deletions.delete(uid);
  }

  /** Carries out a deletion that was noted. What was gone already, or cannot be deleted, will not be seen to go. Rejects where it cannot be deleted. */
  async deleting(key: string, { uid }: { readonly uid: string }, deletion: Promise<unknown>): Promise<void> {
    try {
      await deletion;
    } catch (error) {
      this.deleted(key, { uid });
      if (!isNotFound(error)) throw error;
    }
  }

  forget(key: string): void {
    this.#expected.delete(key);
  }
}
