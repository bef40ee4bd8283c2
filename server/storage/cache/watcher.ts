import type { Failure, Version, Watch, WatchEvent, WatchRequest, WatchSink } from '../contract.js';
import { selects } from '../matching.js';
import { DamagedItem, type StoredItem } from '../storedobject.js';
import type { ChangeEvents } from './change.js';
import type { ResourceCache } from './resourcecache.js';
import type { Step } from './slices.js';
import type { TreeView } from './tree.js';
import type { LiveWatcher } from './watchindex.js';

/** Objects or changes that one step looks at. */
const stepSize = 64;

/** A replay of at most this many changes is done at once instead of in slices. */
const replayAtOnceMax = 64;

/**
 * Whose events a watcher gets at the moment:
 *
 *     waiting ──▶ initial ──▶ replaying ──▶ live        any state ──▶ ended
 *                 (a frozen    (history, from
 *                  state)       a place in it)
 *
 * While initial events and replays are under way, history itself is the queue of what comes next: it is shared by all and bounded, and a
 * watcher that it outruns is ended. Only live watchers are in the index.
 */
type State = 'waiting' | 'initial' | 'replaying' | 'live' | 'ended';

export class Watcher implements Watch, LiveWatcher {
  private state: State = 'waiting';
  /** Set when the watch starts. */
  private source: ResourceCache | null = null;
  /** Changes up to here are not shown: they are part of the initial state, or the client has seen them. */
  private after: Version = 0;
  /** Of the next change in history, while replaying. */
  private place = 0;

  constructor(readonly request: WatchRequest, private readonly sink: WatchSink) {}

  get version(): Version {
    switch (this.state) {
      case 'waiting': case 'initial': case 'ended': return 0;
      case 'replaying': return this.after;
      case 'live': return Math.max(this.after, this.resource.clock.version);
    }
  }

  private get resource(): ResourceCache {
    if (this.source === null) throw new Error('broken invariant: a watch without a resource is under way');
    return this.source;
  }

  get ended(): boolean {
    return this.state === 'ended';
  }

  stop(): void {
    if (this.state === 'live') this.resource.watchers.delete(this);
    this.state = 'ended';
  }

  end(reason: Failure): void {
    if (this.state === 'ended') return;
    this.stop();
    this.sink.end(reason);
  }

  /** Shows the present state and then what follows. */
  startWithState(resource: ResourceCache): void {
    if (this.state !== 'waiting') return;
    this.source = resource;
    this.state = 'initial';
    const { history, tree, clock, slices } = this.resource;
    this.place = history.end;
    this.after = clock.version;
    slices.add(this.initialStep(tree.view(), this.after));
  }

  /** Shows what follows `version`. */
  startAfter(resource: ResourceCache, version: Version): void {
    if (this.state !== 'waiting') return;
    this.source = resource;
    const { history } = this.resource;
    if (version < history.floor) return this.end({ outcome: 'expired', oldest: history.floor });
    this.after = version;
    this.place = history.placeAfter(version);
    this.replay();
  }

  /** Shows one change, if it matters to this watcher. Called for live watchers by the index. */
  deliver(events: ChangeEvents): void {
    if (events.change.version <= this.after || this.state === 'ended') return;
    const shown = shownOf(events, this.request);
    if (shown === null) return;
    if ('outcome' in shown) this.end(shown);
    else this.send(shown);
  }

  private initialStep(view: TreeView, version: Version): Step {
    const range = view.range(this.request);
    let position = range.start;
    return () => {
      if (this.state === 'ended') return false;
      if (position >= range.end) return this.finishInitial(version);
      const items = view.slice(position, Math.min(range.end, position + stepSize));
      position += items.length;
      for (const item of items) this.showInitial(item);
      return this.pause();
    };
  }

  private showInitial(item: StoredItem): void {
    if (item instanceof DamagedItem) this.end(unreadable(item));
    else if (!this.ended && selects(this.request, item)) this.send(this.resource.recentEvents.addedOf(item));
  }

  private finishInitial(version: Version): false {
    this.sink.synced(version);
    if (!this.ended) this.replay();
    return false;
  }

  private replay(): void {
    this.state = 'replaying';
    if (this.resource.history.end - this.place > replayAtOnceMax) this.resource.slices.add(() => this.replayStep());
    else this.replayChanges(Infinity);
  }

  private replayStep(): boolean | Promise<void> {
    if (this.ended) return false;
    this.replayChanges(stepSize);
    return this.state === 'replaying' && this.pause();
  }

  /**
   * Shows `max` changes, and what else belongs to the version of the last one; having shown the last of all, the watch is live. A bookmark
   * that is sent meanwhile must not lie behind what the client has seen.
   */
  private replayChanges(max: number): void {
    const { history, recentEvents } = this.resource;
    if (this.place < history.start) return this.end({ outcome: 'expired', oldest: history.floor });
    let shown = this.after;
    for (let count = 0; this.place < history.end && !this.ended; count++) {
      const change = history.at(this.place);
      if (count >= max && change.version > shown) break;
      this.place++;
      shown = Math.max(shown, change.version);
      this.deliver(recentEvents.changeOf(change));
    }
    this.after = shown;
    if (this.place === history.end && !this.ended) this.goLive();
  }

  private goLive(): void {
    this.state = 'live';
    this.resource.watchers.add(this);
  }

  private send(event: WatchEvent): void {
    if (this.state === 'ended') return;
    try {
      this.sink.event(event);
    } catch (error) {
      // A broken sink must not keep the change from the others.
      this.stop();
      this.resource.report(error);
    }
  }

  /** True to go on, a promise to wait until the sink has room, false if the watch has ended. */
  private pause(): boolean | Promise<void> {
    return this.ended ? false : this.sink.drained?.() ?? true;
  }
}

/** What a watch shows of a change: an event, nothing, or that it cannot go on. */
export function shownOf(events: ChangeEvents, request: WatchRequest): WatchEvent | Failure | null {
  const { previous, next } = events.change;
  if (next instanceof DamagedItem) return unreadable(next);
  const before = previous !== null && !(previous instanceof DamagedItem) && selects(request, previous);
  return events.seenAs(before, next !== null && selects(request, next));
}

export const unreadable = (item: DamagedItem): Failure => ({ outcome: 'unavailable', reason: item.damage.message });
