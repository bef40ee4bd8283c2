import type { Clock } from '../client/clock.js';
import { type KubeObject, uidOf } from '../../api/meta/object.js';
import { isOlder } from '../client/versions.js';

/** A write unseen by then was undone by another client, or the informer is late. */
const forgottenAfterMs = 5 * 60_000;
/** Ends the wait for our own writes when no change of the cache does. */
export const staleAgainMs = 5_000;

interface Pending {
  readonly version: string;
  readonly gone: boolean;
  readonly since: number;
}

/**
 * A controller's writes that its cache does not show yet: slices have generated names, so an early check would create them twice. Bounded by the writes in
 * progress.
 */
export class PendingWrites {
  readonly #clock: Clock;
  readonly #pending = new Map<string, Map<string, Pending>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  wrote(key: string, object: KubeObject): void {
    this.#note(key, object, false);
  }
  deleted(key: string, object: KubeObject): void {
    this.#note(key, object, true);
  }

  /** Records that the cache showed an object's end, whatever its cause. */
  sawEnd(key: string, object: KubeObject): void {
    const pending = this.#pending.get(key);
    pending?.delete(uidOf(object));
    if (pending?.size === 0) this.#pending.delete(key);
  }

  /** Returns whether a key's `objects` in the cache precede a write. */
  isStale(key: string, objects: readonly KubeObject[]): boolean {
    const pending = this.#pending.get(key);
    if (!pending) return false;
    const shown = new Map(objects.map((object) => [uidOf(object), object.metadata.resourceVersion]));
    for (const [uid, { version, gone, since }] of pending) {
      const seen = gone ? !shown.has(uid) : shown.has(uid) && !isOlder(shown.get(uid), version);
      if (seen || this.#clock.elapsed() - since > forgottenAfterMs) pending.delete(uid);
    }
    if (pending.size > 0) return true;
    this.#pending.delete(key);
    return false;
  }

  forget(key: string): void {
    this.#pending.delete(key);
  }

  #note(key: string, object: KubeObject, gone: boolean): void {
    let pending = this.#pending.get(key);
    if (!pending) this.#pending.set(key, (pending = new Map<string, Pending>()));
    pending.set(uidOf(object), { version: object.metadata.resourceVersion ?? '', gone, since: this.#clock.elapsed() });
  }
}
