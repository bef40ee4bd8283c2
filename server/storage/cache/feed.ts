import type { ChangeBatch, Replica } from '../../../raft/replica-api.js';
import type { Revision } from '../../../raft/types.js';
import type { KeySpace } from '../keys.js';
import type { WatchCache } from './watchcache.js';

/** Keys per page while loading: a compromise between round trips and the memory of one page. */
const pageKeys = 500;
/** Changes that may arrive while a state is being loaded; beyond it, loading starts again at a newer version. */
const backlogChangesMax = 200_000;
/** A load is given up after so many attempts that compaction or the backlog overtook. */
const attemptsMax = 10;

/**
 * Keeps a cache equal to a replica: loads the state at one revision, page by page, then applies the changes after it.
 *
 *     onChanges ──▶ backlog ──┐ (while loading)
 *     range@R ──▶ cache ──────┴──▶ apply changes > R ──▶ apply each batch as it comes
 *
 * The subscription begins before the first page is read, so no change is missed; changes up to R are skipped, so none counts twice.
 */
export class ReplicaFeed {
  private backlog: ChangeBatch[] | null = [];
  private backlogSize = 0;
  private readonly unsubscribe: () => void;

  constructor(private readonly replica: Pick<Replica, 'range' | 'onChanges'>, private readonly cache: WatchCache, private readonly keys: KeySpace) {
    this.unsubscribe = replica.onChanges(batch => this.receive(batch));
  }

  /** Resolves when the cache holds the replica's state and follows it; rejects if the state cannot be read. */
  async load(): Promise<void> {
    for (let attempt = 1; !await this.loadOnce(); attempt++) {
      if (attempt >= attemptsMax) throw new Error(`the state could not be read in ${attemptsMax} attempts: changes or compactions were faster`);
      this.backlog = [];
      this.backlogSize = 0;
    }
    const backlog = this.backlog ?? [];
    this.backlog = null;
    for (const { changes } of backlog) this.cache.apply(changes);
  }

  stop(): void {
    this.unsubscribe();
  }

  private receive(batch: ChangeBatch): void {
    if (this.backlog === null) return this.cache.apply(batch.changes);
    this.backlogSize += batch.changes.length;
    if (this.backlogSize <= backlogChangesMax) this.backlog.push(batch);
  }

  /** False if the attempt was overtaken. */
  private async loadOnce(): Promise<boolean> {
    let start = this.keys.start;
    for (let revision: Revision | null = null; ;) {
      const page = await this.replica.range({ start, end: this.keys.end, revision, limit: pageKeys });
      if (page.outcome === 'compacted') return false;
      if (page.outcome === 'future') throw new Error(`broken invariant: revision ${revision} was read and is not there any more; newest is ${page.revision}`);
      if (revision === null) this.cache.beginLoad(page.revision);
      revision = page.revision;
      for (const item of page.items) this.cache.load(item);
      const last = page.items.at(-1);
      if (last === undefined || page.remaining === 0) break;
      start = `${last.key}\0`;
    }
    if (this.backlogSize > backlogChangesMax) return false;
    this.cache.endLoad();
    return true;
  }
}
