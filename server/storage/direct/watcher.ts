import { unreadable, ChangeEvents, SharedEvent } from '../cache/change.js';
import { shownOf, tellUnreadable } from '../cache/watcher.js';
import type { LiveWatcher } from '../cache/watchIndex.js';
import type { Failure, Version, Watch, WatchEvent, WatchRequest, WatchSink } from '../contract.js';
import { selects } from '../matching.js';
import { DamagedItem, storedObjectOf } from '../storedObject.js';
import type { StorePage } from '../storeReader.js';
import { expired } from '../watchEnds.js';
import { completeChange, type Follower } from './follower.js';
import { errorText } from '../../../api/errorText.js';

/** Further live changes are read back. */
const heldMax = 10_000;
const heldBytesMax = 4 << 20;

/**
 * A watch of an uncached resource:
 *
 *     waiting ──▶ initial ──▶ catching up ◀──▶ live        any state ──▶ ended
 *                 (pages of    (changes since, from the store;
 *                  the store)   live ones are held)
 */
type State = 'waiting' | 'initial' | 'catchingUp' | 'live' | 'ended';

export class DirectWatcher implements Watch, LiveWatcher {
  readonly #sink: WatchSink;
  #state: State = 'waiting';
  #source: Follower | null = null;
  #after: Version = 0;
  #held: ChangeEvents[] = [];
  #heldBytes = 0;
  #indexed = false;
  #fullAt: Version = Infinity;
  #shown: Version = 0;

  constructor(
    readonly request: WatchRequest,
    sink: WatchSink,
  ) {
    this.#sink = sink;
  }

  get version(): Version {
    switch (this.#state) {
      case 'waiting':
      case 'initial':
      case 'ended':
        return 0;
      case 'catchingUp':
        return this.#after;
      case 'live':
        return Math.max(this.#after, this.#follower.version);
    }
  }

  fallBehind(): void {
    if (this.#state === 'live') this.#fullAt = Math.max(this.#after, this.#shown);
  }

  stop(): void {
    this.#leaveIndex();
    this.#state = 'ended';
  }

  end(reason: Failure): void {
    if (this.#state === 'ended') return;
    this.stop();
    this.#sink.end(reason);
  }

  async startWithState(follower: Follower, version: Version): Promise<void> {
    if (this.#state !== 'waiting') return;
    this.#source = follower;
    this.#state = 'initial';
    const { reader } = follower.context;
    for (let bounds: StorePage['next'] = reader.boundsOf(this.request, null); bounds !== null;) {
      const page: StorePage | Failure = await reader.page(follower.facts, bounds, version);
      if (this.#isOver()) return;
      if (page.outcome !== 'found') return this.end(page);
      for (const item of page.items) {
        if (item instanceof DamagedItem) {
          if (this.#sink.unreadable === undefined) return this.end(unreadable(item));
          this.#sink.unreadable(item, item.damage.message);
        } else if (selects(this.request, item)) this.#send(new SharedEvent('ADDED', item));
      }
      await this.#sink.drained?.();
      bounds = page.next;
    }
    if (this.#isOver()) return;
    this.#sink.synced(version);
    await this.#follow(version);
  }

  async startAfter(follower: Follower, version: Version): Promise<void> {
    if (this.#state !== 'waiting') return;
    this.#source = follower;
    await this.#follow(version);
  }

  deliver(events: ChangeEvents): void {
    const { version } = events.change;
    if (version <= this.#after || !this.#indexed) return;
    if (this.#state !== 'live') return this.#hold(events);
    if (version > this.#fullAt) return this.#leave(version);
    this.#shown = version;
    this.#show(events);
  }

  #hold(events: ChangeEvents): void {
    this.#held.push(events);
    this.#heldBytes += events.change.subject.size;
    if (this.#held.length > heldMax || this.#heldBytes > heldBytesMax) this.#leaveIndex();
  }

  get #follower(): Follower {
    if (this.#source === null) throw new Error('broken invariant: a watch without a resource is under way');
    return this.#source;
  }

  #isOver(): boolean {
    return this.#state === 'ended';
  }

  async #follow(version: Version): Promise<void> {
    if (this.#isOver()) return;
    this.#after = version;
    this.#state = 'catchingUp';
    const follower = this.#follower;
    while (!this.#indexed) {
      if (this.#after < follower.floor) return this.end(expired('Reloaded', follower.floor));
      // Nothing is missed from here on.
      const newest = follower.context.clock.version;
      this.#indexed = true;
      follower.watchers.add(this);
      while (this.#after < newest && !this.#isOver()) await this.#catchUp();
      if (this.#isOver()) return;
    }
    this.#state = 'live';
    this.#fullAt = Infinity;
    this.#heldBytes = 0;
    for (const events of this.#held.splice(0)) this.deliver(events);
  }

  #leaveIndex(): void {
    this.#source?.watchers.delete(this);
    this.#indexed = false;
    this.#held = [];
    this.#heldBytes = 0;
  }

  /** Changes are read back from here on as room permits. */
  #leave(version: Version): void {
    this.#leaveIndex();
    this.#state = 'catchingUp';
    this.#after = version - 1;
    this.#returnOnceThereIsRoom().catch((error: unknown) => {
      this.#follower.context.report(error);
      this.end({ outcome: 'unavailable', reason: errorText(error) });
    });
  }

  async #returnOnceThereIsRoom(): Promise<void> {
    await this.#sink.drained?.();
    await this.#follow(this.#after);
  }

  async #catchUp(): Promise<void> {
    const { facts, context } = this.#follower;
    const page = await context.reader.changesSince(facts, this.#after);
    if (page.outcome === 'expired' && this.#fullAt !== Infinity) return this.end(expired('ClientTooSlow', page.oldest));
    if (page.outcome !== 'found') return this.end(page);
    const changes = await Promise.all(
      page.changes.map(([change, key]) =>
        completeChange(facts, context, {
          change,
          key,
          next: change.value === null ? null : storedObjectOf(facts, key, change.revision, change.value),
        }),
      ),
    );
    for (const change of changes) {
      if ('outcome' in change) return this.end(change);
      this.#show(new ChangeEvents(change));
    }
    this.#after = page.through;
    await this.#sink.drained?.();
  }

  #show(events: ChangeEvents): void {
    if (this.#isOver()) return;
    if (
      this.#sink.unreadable !== undefined &&
      tellUnreadable(events, this.#sink, (event) => {
        this.#send(event);
      })
    )
      return;
    const shown = shownOf(events, this.request);
    if (shown === null) return;
    if ('outcome' in shown) this.end(shown);
    else this.#send(shown);
  }

  #send(event: WatchEvent): void {
    if (this.#isOver()) return;
    try {
      this.#sink.event(event);
    } catch (error) {
      this.stop();
      this.#follower.context.report(error);
    }
  }
}
