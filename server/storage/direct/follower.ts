import type { Change } from '../../../raft/index.js';
import { ObjectChange } from '../cache/change.js';
import type { VersionGate } from '../cache/versionGate.js';
import { WatchIndex } from '../cache/watchIndex.js';
import type { Failure, ObjectKey, Version } from '../contract.js';
import { storedObjectOf, type ResourceFacts, type StoredItem } from '../storedObject.js';
import type { StoreReader } from '../storeReader.js';
import { expired } from '../watchEnds.js';
import { errorText } from '../../../api/errorText.js';

const waitingMax = 10_000;

export interface FollowerContext {
  readonly reader: StoreReader;
  readonly clock: VersionGate;
  readonly now: () => number;
  readonly report: (error: unknown) => void;
}

interface Waiting {
  readonly key: ObjectKey;
  readonly change: Change;
  readonly next: StoredItem | null;
}

/** Shows changes of an uncached resource to its live watchers, with previous states from the store. */
export class Follower {
  readonly watchers = new WatchIndex();
  floor: Version = 0;
  #batch: Waiting[] = [];
  #waiting = 0;
  #shown: Version = 0;
  #tail: Promise<void> = Promise.resolve();

  constructor(
    readonly facts: ResourceFacts,
    readonly context: FollowerContext,
  ) {}

  get version(): Version {
    return this.#waiting === 0 ? this.context.clock.version : this.#shown;
  }

  receive(change: Change, key: ObjectKey): void {
    if (this.watchers.size === 0) return;
    if (this.#waiting >= waitingMax) return this.endWatches(expired('StoreTooSlow', change.revision));
    if (this.#batch.length === 0) this.#tail = this.#tail.then(() => this.#showBatch());
    this.#waiting++;
    this.#batch.push({ key, change, next: change.value === null ? null : storedObjectOf(this.facts, key, change.revision, change.value) });
  }

  restart(version: Version): void {
    this.floor = version;
    this.watchers.endBefore(version);
  }

  settled(): Promise<void> {
    return this.#tail;
  }

  endWatches(reason: Failure): void {
    for (const watcher of this.watchers.all()) watcher.end(reason);
  }

  async #showBatch(): Promise<void> {
    const batch = this.#batch;
    this.#batch = [];
    try {
      const changes = await Promise.all(
        batch.map(({ change, key, next }) => completeChange(this.facts, this.context, { change, key, next })),
      );
      for (const change of changes) this.#show(change);
      // Bookmarks must not lie behind.
      this.#shown = batch.at(-1)?.change.revision ?? this.#shown;
    } catch (error) {
      this.context.report(error);
      this.endWatches({ outcome: 'unavailable', reason: errorText(error) });
    }
    this.#waiting -= batch.length;
  }

  #show(change: ObjectChange | Failure): void {
    if ('outcome' in change) return this.endWatches(change);
    this.#shown = change.version - 1;
    this.watchers.deliver(change);
  }
}

/** Returns the change with its previous state, or why that is unreadable. */
export async function completeChange(
  facts: ResourceFacts,
  { reader, now }: FollowerContext,
  { change, key, next }: Waiting,
): Promise<ObjectChange | Failure> {
  const created = next !== null && change.createRevision === change.revision;
  const previous = created ? null : await reader.stateAt(facts, key, change.revision - 1);
  return previous !== null && 'outcome' in previous ? previous : new ObjectChange(change.revision, previous, next, now());
}
