import type { Failure, Version, Watch, WatchEvent, WatchRequest, WatchSink } from '../contract.js';
import { selects, selectsAll } from '../matching.js';
import { DamagedItem, type StoredItem } from '../storedObject.js';
import { expired } from '../watchEnds.js';
import { unreadable, type ChangeEvents } from './change.js';
import type { ResourceCache } from './resourceCache.js';
import type { Step } from './slices.js';
import type { TreeView } from './tree.js';
import type { LiveWatcher } from './watchIndex.js';

/** Objects or changes per step. */
const stepSize = 64;
const stepBytes = 256 * 1024;

const replayAtOnceMax = 64;

/**
 * The source of a watcher's events:
 *
 *     waiting ──▶ initial ──▶ replaying ◀──▶ live        any state ──▶ ended
 *                 (a frozen    (history, from
 *                  state)       a place in it)
 *
 * Initial events and replays use history as their queue: it is shared and bounded, and ends a watcher that it outruns. A live watcher whose sink is full
 * returns to it. Only live watchers are in the index.
 */
type State = 'waiting' | 'initial' | 'replaying' | 'live' | 'ended';

export class Watcher implements Watch, LiveWatcher {
  readonly #sink: WatchSink;
  #state: State = 'waiting';
  #source: ResourceCache | null = null;
  #after: Version = 0;
  #place = 0;
  /** The sink accepts nothing beyond this version for now. */
  #fullAt: Version | null = null;
  /** Skips selection: the index handles namespaces. */
  readonly #all: boolean;

  constructor(
    readonly request: WatchRequest,
    sink: WatchSink,
  ) {
    this.#sink = sink;
    this.#all = selectsAll(request);
  }

  get version(): Version {
    switch (this.#state) {
      case 'waiting':
      case 'initial':
      case 'ended':
        return 0;
      case 'replaying':
        return this.#after;
      case 'live':
        return Math.max(this.#after, this.#resource.clock.version);
    }
  }

  get #resource(): ResourceCache {
    if (this.#source === null) throw new Error('broken invariant: a watch without a resource is under way');
    return this.#source;
  }

  get ended(): boolean {
    return this.#state === 'ended';
  }

  fallBehind(): void {
    if (this.#state !== 'live') return;
    const { history, clock } = this.#resource;
    // Shows whole versions, of which more changes may follow.
    this.#fullAt = history.end > history.start ? history.at(history.end - 1).version : clock.version;
  }

  stop(): void {
    if (this.#state === 'live') this.#resource.watchers.delete(this);
    this.#state = 'ended';
  }

  end(reason: Failure): void {
    if (this.#state === 'ended') return;
    this.stop();
    this.#sink.end(reason);
  }

  startWithState(resource: ResourceCache): void {
    if (this.#state !== 'waiting') return;
    this.#source = resource;
    this.#state = 'initial';
    const { history, tree, clock, slices } = this.#resource;
    this.#place = history.end;
    this.#after = clock.version;
    slices.add(this.#initialStep(tree.view(), this.#after));
  }

  startAfter(resource: ResourceCache, version: Version): void {
    if (this.#state !== 'waiting') return;
    this.#source = resource;
    const { history } = this.#resource;
    if (version < history.floor) return this.end(expired('BeforeHistory', history.floor));
    this.#after = version;
    this.#place = history.placeAfter(version);
    this.#replay();
  }

  /** Called by the index for live watchers. */
  deliver(events: ChangeEvents): void {
    const { version } = events.change;
    if (version <= this.#after || this.#state === 'ended') return;
    if (this.#fullAt !== null && version > this.#fullAt) this.#leave(version);
    else if (!this.#tellsUnreadable(events)) this.#showAs(this.#all ? events.seenByAll : shownOf(events, this.request));
  }

  #tellsUnreadable(events: ChangeEvents): boolean {
    return (
      this.#sink.unreadable !== undefined &&
      tellUnreadable(events, this.#sink, (event) => {
        this.#send(event);
      })
    );
  }

  #show(events: ChangeEvents): void {
    if (!this.#tellsUnreadable(events)) this.#showAs(shownOf(events, this.request));
  }

  #showAs(shown: WatchEvent | Failure | null): void {
    if (shown === null) return;
    if ('outcome' in shown) this.end(shown);
    else this.#send(shown);
  }

  #initialStep(view: TreeView, version: Version): Step {
    const range = view.range(this.request);
    let position = range.start;
    return () => {
      if (this.#state === 'ended') return false;
      if (position >= range.end) return this.#finishInitial(version);
      let bytes = 0;
      for (const item of view.slice(position, Math.min(range.end, position + stepSize))) {
        if (bytes >= stepBytes) break;
        position++;
        bytes += item.size;
        this.#showInitial(item);
      }
      return this.#pause();
    };
  }

  #showInitial(item: StoredItem): void {
    if (item instanceof DamagedItem) this.#showUnreadable(item);
    else if (!this.ended && selects(this.request, item)) this.#send(this.#resource.recentEvents.addedOf(item));
  }

  #showUnreadable(item: DamagedItem): void {
    if (this.#sink.unreadable === undefined) this.end(unreadable(item));
    else if (!this.ended) this.#sink.unreadable(item, item.damage.message);
  }

  #finishInitial(version: Version): false {
    this.#sink.synced(version);
    if (!this.ended) this.#replay();
    return false;
  }

  #replay(): void {
    this.#state = 'replaying';
    if (this.#resource.history.end - this.#place > replayAtOnceMax) return this.#resource.slices.add(() => this.#replayStep());
    this.#replayChanges();
    if (this.#state === 'replaying') this.#replayOnceThereIsRoom();
  }

  #replayOnceThereIsRoom(): void {
    const { slices } = this.#resource;
    const step = (): boolean | Promise<void> => this.#replayStep();
    const room = this.#pause();
    if (room === true) slices.add(step);
    else if (room !== false)
      void room
        .finally(() => {
          slices.add(step);
        })
        .catch((error: unknown) => {
          this.#resource.report(error);
        });
  }

  #replayStep(): boolean | Promise<void> {
    if (this.ended) return false;
    this.#replayChanges();
    return this.#state === 'replaying' && this.#pause();
  }

  /** A concurrent bookmark must not precede what the client has seen. */
  #replayChanges(): void {
    const { history, recentEvents } = this.#resource;
    if (this.#place < history.start) return this.end(expired(history.whyForgotten(this.#place), history.floor));
    let shown = this.#after;
    let bytes = 0;
    for (let count = 0; this.#place < history.end && !this.ended; count++) {
      const change = history.at(this.#place);
      if ((count >= stepSize || bytes >= stepBytes) && change.version > shown) break;
      this.#place++;
      shown = Math.max(shown, change.version);
      bytes += change.subject.size;
      this.#show(recentEvents.changeOf(change));
    }
    this.#after = shown;
    if (this.#place === history.end && !this.ended) this.#goLive();
  }

  #goLive(): void {
    this.#state = 'live';
    this.#fullAt = null;
    this.#resource.watchers.add(this);
  }

  /** History supplies events from here on as room permits. */
  #leave(version: Version): void {
    const { watchers, history } = this.#resource;
    watchers.delete(this);
    this.#state = 'replaying';
    this.#place = history.end - 1;
    this.#after = version - 1;
    this.#replayOnceThereIsRoom();
  }

  #send(event: WatchEvent): void {
    if (this.#state === 'ended') return;
    try {
      this.#sink.event(event);
    } catch (error) {
      this.stop();
      this.#resource.report(error);
    }
  }

  #pause(): boolean | Promise<void> {
    return this.ended ? false : (this.#sink.drained?.() ?? true);
  }
}

/** Null for no event; a Failure ends the watch. */
export function shownOf(events: ChangeEvents, request: WatchRequest): WatchEvent | Failure | null {
  const { previous, next } = events.change;
  if (next instanceof DamagedItem) return unreadable(next);
  const before = previous !== null && !(previous instanceof DamagedItem) && selects(request, previous);
  return events.seenAs(before, next !== null && selects(request, next));
}

/** Returns whether the change was of an unreadable object. */
export function tellUnreadable(events: ChangeEvents, sink: WatchSink, send: (event: WatchEvent) => void): boolean {
  const { previous, next } = events.change;
  if (next instanceof DamagedItem) sink.unreadable?.(next, next.damage.message);
  else if (next !== null || !(previous instanceof DamagedItem)) return false;
  else {
    const gone = events.seenAs(true, false);
    if (gone !== null) send(gone);
  }
  return true;
}
