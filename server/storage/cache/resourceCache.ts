import type { Place } from '../matching.js';
import type { Version } from '../contract.js';
import type { ResourceFacts, StoredItem } from '../storedObject.js';
import { ObjectChange } from './change.js';
import { CacheCounts } from './counts.js';
import { History, type HistoryBounds } from './history.js';
import { PastStates, type PastBounds, type PastState } from './pastStates.js';
import type { RecentEvents } from './recentEvents.js';
import type { Slices } from './slices.js';
import { isAt, ObjectTree, type TreeView } from './tree.js';
import type { VersionGate } from './versionGate.js';
import { WatchIndex } from './watchIndex.js';

export interface CacheContext {
  readonly clock: VersionGate;
  readonly slices: Slices;
  readonly recentEvents: RecentEvents;
  readonly now: () => number;
  readonly report: (error: unknown) => void;
  readonly history: HistoryBounds;
  readonly past: PastBounds;
}

export class ResourceCache {
  readonly #context: CacheContext;
  readonly tree = new ObjectTree();
  readonly watchers = new WatchIndex();
  readonly counts = new CacheCounts();
  readonly history: History;
  readonly #past: PastStates;
  #bytes = 0;

  constructor(
    readonly facts: ResourceFacts,
    floor: Version,
    context: CacheContext,
  ) {
    this.#context = context;
    this.history = new History(context.history, floor);
    this.#past = new PastStates(this.tree, this.history, context.past);
  }

  get bytes(): number {
    return this.#bytes;
  }

  get clock(): VersionGate {
    return this.#context.clock;
  }

  get slices(): Slices {
    return this.#context.slices;
  }

  get recentEvents(): RecentEvents {
    return this.#context.recentEvents;
  }

  /** Watchers from that version on stay; others would miss changes. */
  restart(version: Version): void {
    this.counts.loads++;
    for (let position = 0; position < this.tree.size;) {
      const items = this.tree.slice(position, this.tree.size);
      for (const item of items) item.leaveSegment();
      position += items.length;
    }
    this.tree.clear();
    this.#bytes = 0;
    this.history.restart(version);
    this.#past.restart();
    this.watchers.endBefore(version);
  }

  load(object: StoredItem): void {
    this.#bytes += object.sizeAtFirst - (this.tree.set(object)?.sizeAtFirst ?? 0);
  }

  apply(version: Version, place: Place, next: StoredItem | null): void {
    const previous = next === null ? this.tree.delete(place) : this.tree.set(next);
    if (previous === null && next === null) return;
    this.#bytes += (next?.sizeAtFirst ?? 0) - (previous?.sizeAtFirst ?? 0);
    this.counts.changes++;
    const change = new ObjectChange(version, previous, next, this.#context.now());
    this.history.push(change);
    this.watchers.deliver(change);
  }

  changeAt(version: Version, place: Place): ObjectChange | null {
    if (version <= this.history.floor) return null;
    for (let at = this.history.placeAfter(version - 1); at < this.history.end; at++) {
      const change = this.history.at(at);
      if (change.version !== version) return null;
      if (isAt(change.subject, place)) return change;
    }
    return null;
  }

  /** Null if history does not reach back. */
  stateAt(version: Version): TreeView | null {
    return this.#past.at(version, this.#context.now());
  }

  present(): PastState {
    return this.#past.present(this.clock.version);
  }

  keep(state: PastState): void {
    this.#past.keep(state, this.#context.now());
  }

  trim(): void {
    const now = this.#context.now();
    this.history.trim(now);
    this.#past.trim(now);
  }

  forgetBefore(version: Version): void {
    this.history.forgetThrough(version);
    this.#past.forgetBefore(version);
  }

  report(error: unknown): void {
    this.#context.report(error);
  }
}
