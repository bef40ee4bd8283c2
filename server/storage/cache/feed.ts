import { revision, type Revision } from '../../../raft/index.js';
import { PassingError, type ChangeBatch, type StoreEngine } from '../engine.js';
import type { KeySpace } from '../keys.js';
import type { WatchCache } from './watchcache.js';

/** Keys and bytes per page while loading: a compromise between round trips and the memory of one page. */
const pageKeys = 1_000;
const pageBytes = 1 << 20;
/**
 * The state is loaded as it was this many revisions ago, and what happened since is applied to it like news. So a replica that has started
 * again knows the past that its clients resume from. More would delay its start: each costs some 20 µs.
 */
const replayedRevisionsDefault = 20_000;
/** Changes that may arrive while a state is being loaded; beyond it, loading starts again at a newer version. */
const backlogChangesMax = 200_000;
/** A load is given up after so many attempts that compaction, the backlog or a gap overtook. */
const attemptsMax = 10;

export interface FeedOptions {
  /** Instead of the default; 0 where the engine cannot tell what happened before it was first asked. */
  readonly replayedRevisions?: number | undefined;
  /** Changes are missing: the cache is no longer fed, nothing of it may be read, and `load` has to be called again. */
  readonly onGap: () => void;
}

/**
 * Keeps a cache equal to a replica: loads the state at one revision, page by page, then applies the changes after it.
 *
 *     onChanges ──▶ backlog ────────────────────┐ (while loading)
 *     range@R ──▶ cache ──changesSince(R)──▶ ───┴──▶ apply each batch as it comes
 *
 * The subscription begins before the first page is read, so no change is missed; changes that the cache has already are skipped, so none
 * counts twice. When the replica cannot tell every change, because it took over a snapshot, all of this begins again.
 */
export class ReplicaFeed {
  private backlog: ChangeBatch[] | null = [];
  private backlogSize = 0;
  /** The load under way has to begin again. */
  private overtaken = false;
  private compacted: Revision = revision(0);
  private readonly unsubscribe: () => void;

  constructor(
    private readonly replica: Pick<StoreEngine, 'range' | 'changesSince' | 'onChanges'>,
    private readonly cache: WatchCache,
    private readonly keys: KeySpace,
    private readonly options: FeedOptions,
  ) {
    this.unsubscribe = replica.onChanges((batch) => this.receive(batch));
  }

  /** Resolves when the cache holds the replica's state and follows it; rejects if the state cannot be read. */
  async load(): Promise<void> {
    for (let attempt = 1; !(await this.loadOnce()); attempt++) {
      if (attempt >= attemptsMax)
        throw new PassingError(`the state could not be read in ${attemptsMax} attempts: changes or compactions were faster`);
    }
    const backlog = this.backlog ?? [];
    this.backlog = null;
    for (const batch of backlog) this.apply(batch);
  }

  stop(): void {
    this.unsubscribe();
  }

  private receive(batch: ChangeBatch): void {
    if (batch.gap) return this.lose();
    if (this.backlog === null) return this.apply(batch);
    this.backlogSize += batch.changes.length;
    if (this.backlogSize <= backlogChangesMax) this.backlog.push(batch);
    else this.overtaken = true;
  }

  private lose(): void {
    this.overtaken = true;
    if (this.backlog !== null) return;
    this.backlog = [];
    this.options.onGap();
  }

  private apply({ changes, revision: through, compacted }: ChangeBatch): void {
    this.cache.apply(changes);
    this.cache.reached(through);
    // Part of a larger batch may be told before the rest of it: then the compaction is noticed with the next one.
    if (compacted <= this.compacted || compacted > this.cache.clock.version) return;
    this.compacted = compacted;
    this.cache.forgetBefore(compacted);
  }

  /** False if the attempt was overtaken. */
  private async loadOnce(): Promise<boolean> {
    // What has come so far is part of the state that is read now.
    this.overtaken = false;
    this.backlog = [];
    this.backlogSize = 0;
    const start = await this.startRevision();
    // Compacted beyond what was the newest a moment ago.
    if (start.base > start.newest) return false;
    this.cache.beginLoad(start.base);
    if (!(await this.loadState(start.base)) || this.overtaken) return false;
    this.cache.endLoad();
    return (await this.replay(start.base, start.newest)) && !this.overtaken;
  }

  private async startRevision(): Promise<{ readonly base: Revision; readonly newest: Revision }> {
    const nothing = { start: this.keys.start, end: this.keys.start, limit: 1 };
    const now = await this.replica.range({ ...nothing, revision: null });
    if (now.outcome !== 'found') throw new Error(`broken invariant: the newest state cannot be read: ${now.outcome}`);
    const newest = now.revision;
    const { replayedRevisions = replayedRevisionsDefault } = this.options;
    const wanted = revision(Math.max(0, newest - replayedRevisions));
    const then = await this.replica.range({ ...nothing, revision: wanted });
    return { newest, base: then.outcome === 'compacted' ? then.compacted : wanted };
  }

  private async loadState(base: Revision): Promise<boolean> {
    for (let start: string | null = this.keys.start; start !== null;) {
      const page = await this.replica.range({
        start,
        end: this.keys.end,
        revision: base,
        limit: pageKeys,
        bytesMax: pageBytes,
        countRemaining: false,
      });
      if (page.outcome === 'compacted') return false;
      if (page.outcome === 'future')
        throw new Error(`broken invariant: revision ${base} was read and is not there any more; newest is ${page.revision}`);
      this.cache.load(page.items);
      const last = page.items.at(-1);
      start = last === undefined || page.remaining === 0 ? null : `${last.key}\0`;
    }
    return true;
  }

  /** Everything after `newest` is in the backlog. */
  private async replay(base: Revision, newest: Revision): Promise<boolean> {
    for (let from = base; from < newest;) {
      const page = await this.replica.changesSince(from, { bytesMax: pageBytes });
      if (page.outcome === 'compacted') return false;
      this.cache.apply(page.changes);
      this.cache.reached(page.through);
      from = page.through;
    }
    return true;
  }
}
