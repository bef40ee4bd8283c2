import { ChangeEvents, SharedEvent } from '../cache/change.js';
import { shownOf, unreadable } from '../cache/watcher.js';
import type { LiveWatcher } from '../cache/watchindex.js';
import type { Failure, Version, Watch, WatchEvent, WatchRequest, WatchSink } from '../contract.js';
import { selects } from '../matching.js';
import { DamagedItem, storedObjectOf } from '../storedobject.js';
import type { StorePage } from '../storereader.js';
import { completeChange, type Follower } from './follower.js';

/** Live changes that may wait while an earlier part of history is read. */
const heldMax = 10_000;

/**
 * A watch of a resource that is not cached:
 *
 *     waiting ──▶ initial ──▶ catching up ──▶ live        any state ──▶ ended
 *                 (pages of    (changes since, from the store;
 *                  the store)   live ones are held)
 */
type State = 'waiting' | 'initial' | 'catchingUp' | 'live' | 'ended';

export class DirectWatcher implements Watch, LiveWatcher {
  private state: State = 'waiting';
  private source: Follower | null = null;
  /** Changes up to here are not shown: they are part of the initial state, or the client has seen them. */
  private after: Version = 0;
  private held: ChangeEvents[] = [];

  constructor(readonly request: WatchRequest, private readonly sink: WatchSink) {}

  get version(): Version {
    switch (this.state) {
      case 'waiting': case 'initial': case 'ended': return 0;
      case 'catchingUp': return this.after;
      case 'live': return Math.max(this.after, this.follower.version);
    }
  }

  stop(): void {
    this.source?.watchers.delete(this);
    this.state = 'ended';
    this.held = [];
  }

  end(reason: Failure): void {
    if (this.state === 'ended') return;
    this.stop();
    this.sink.end(reason);
  }

  /** Shows the state at a version and then what follows. */
  async startWithState(follower: Follower, version: Version): Promise<void> {
    if (this.state !== 'waiting') return;
    this.source = follower;
    this.state = 'initial';
    const { reader } = follower.context;
    for (let bounds: StorePage['next'] = reader.boundsOf(this.request, null); bounds !== null;) {
      const page: StorePage | Failure = await reader.page(follower.facts, bounds, version);
      if (this.isOver()) return;
      if (page.outcome !== 'found') return this.end(page);
      for (const item of page.items) {
        if (item instanceof DamagedItem) return this.end(unreadable(item));
        if (selects(this.request, item)) this.send(new SharedEvent('ADDED', item));
      }
      await this.sink.drained?.();
      bounds = page.next;
    }
    if (this.isOver()) return;
    this.sink.synced(version);
    await this.follow(version);
  }

  /** Shows what follows `version`. */
  async startAfter(follower: Follower, version: Version): Promise<void> {
    if (this.state !== 'waiting') return;
    this.source = follower;
    await this.follow(version);
  }

  /** Called for live watchers by the index. */
  deliver(events: ChangeEvents): void {
    if (this.state === 'live') return this.show(events);
    if (this.held.length >= heldMax) return this.end({ outcome: 'expired', oldest: events.change.version });
    this.held.push(events);
  }

  private get follower(): Follower {
    if (this.source === null) throw new Error('broken invariant: a watch without a resource is under way');
    return this.source;
  }

  private isOver(): boolean {
    return this.state === 'ended';
  }

  private async follow(version: Version): Promise<void> {
    if (this.isOver()) return;
    this.after = version;
    this.state = 'catchingUp';
    const { follower } = this;
    if (version < follower.floor) return this.end({ outcome: 'expired', oldest: follower.floor });
    // From here on nothing is missed: what the store has now is read back, and what comes later is held until then.
    const newest = follower.context.clock.version;
    follower.watchers.add(this);
    while (this.after < newest && !this.isOver()) await this.catchUp();
    if (this.isOver()) return;
    this.state = 'live';
    for (const events of this.held.splice(0)) this.show(events);
  }

  private async catchUp(): Promise<void> {
    const { facts, context } = this.follower;
    const page = await context.reader.changesSince(facts, this.after);
    if (page.outcome !== 'found') return this.end(page);
    const changes = await Promise.all(page.changes.map(([change, key]) =>
      completeChange(facts, context, { change, key, next: change.value === null ? null : storedObjectOf(facts, key, change.revision, change.value) })));
    for (const change of changes) {
      if ('outcome' in change) return this.end(change);
      this.show(new ChangeEvents(change));
    }
    this.after = page.through;
    await this.sink.drained?.();
  }

  private show(events: ChangeEvents): void {
    if (events.change.version <= this.after || this.isOver()) return;
    const shown = shownOf(events, this.request);
    if (shown === null) return;
    if ('outcome' in shown) this.end(shown);
    else this.send(shown);
  }

  private send(event: WatchEvent): void {
    if (this.isOver()) return;
    try {
      this.sink.event(event);
    } catch (error) {
      // A broken sink must not keep the change from the others.
      this.stop();
      this.follower.context.report(error);
    }
  }
}
