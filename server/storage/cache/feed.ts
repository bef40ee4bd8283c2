import { revision, type Revision } from '../../../raft/index.js';
import { PassingError, type ChangeBatch, type StoreEngine } from '../engine.js';
import type { KeySpace } from '../keys.js';
import type { WatchCache } from './watchCache.js';

/** Balances round trips and memory. */
const pageKeys = 1_000;
const pageBytes = 1 << 20;
/** Replayed changes let clients resume after a restart; each costs some 20 µs. */
const replayedRevisionsDefault = 20_000;
/** Loading restarts beyond it. */
const backlogChangesMax = 200_000;
const attemptsMax = 10;

export interface FeedOptions {
  /** 0 where the engine does not know earlier changes. */
  readonly replayedRevisions?: number | undefined;
  /** The cache must not be read until `load` is called again. */
  readonly onGap: () => void;
}

/**
 * Keeps a cache equal to a replica: loads the state at one revision, page by page, then applies later changes.
 *
 *     onChanges ──▶ backlog ────────────────────┐ (while loading)
 *     range@R ──▶ cache ──changesSince(R)──▶ ───┴──▶ apply each batch as it comes
 *
 * It subscribes before the first page is read, so no change is missed, and skips known changes. When the replica installs a snapshot, all of this begins again.
 */
export class ReplicaFeed {
  readonly #replica: Pick<StoreEngine, 'range' | 'changesSince' | 'onChanges'>;
  readonly #cache: WatchCache;
  readonly #keys: KeySpace;
  readonly #options: FeedOptions;
  #backlog: ChangeBatch[] | null = [];
  #backlogSize = 0;
  /** The load in progress must restart. */
  #overtaken = false;
  #compacted: Revision = revision(0);
  readonly #unsubscribe: () => void;

  constructor(replica: Pick<StoreEngine, 'range' | 'changesSince' | 'onChanges'>, cache: WatchCache, keys: KeySpace, options: FeedOptions) {
    this.#replica = replica;
    this.#cache = cache;
    this.#keys = keys;
    this.#options = options;
    this.#unsubscribe = replica.onChanges((batch) => this.#receive(batch));
  }

  async load(): Promise<void> {
    for (let attempt = 1; !(await this.#loadOnce()); attempt++) {
      if (attempt >= attemptsMax)
        throw new PassingError(`the state could not be read in ${attemptsMax} attempts: changes or compactions were faster`);
    }
    const backlog = this.#backlog ?? [];
    this.#backlog = null;
    for (const batch of backlog) this.#apply(batch);
  }

  stop(): void {
    this.#unsubscribe();
  }

  #receive(batch: ChangeBatch): void {
    if (batch.gap) return this.#lose();
    if (this.#backlog === null) return this.#apply(batch);
    this.#backlogSize += batch.changes.length;
    if (this.#backlogSize <= backlogChangesMax) this.#backlog.push(batch);
    else this.#overtaken = true;
  }

  #lose(): void {
    this.#overtaken = true;
    if (this.#backlog !== null) return;
    this.#backlog = [];
    this.#options.onGap();
  }

  #apply({ changes, revision: through, compacted }: ChangeBatch): void {
    this.#cache.apply(changes);
    this.#cache.reached(through);
    // A part of a batch may arrive early.
    if (compacted <= this.#compacted || compacted > this.#cache.clock.version) return;
    this.#compacted = compacted;
    this.#cache.forgetBefore(compacted);
  }

  async #loadOnce(): Promise<boolean> {
    this.#overtaken = false;
    this.#backlog = [];
    this.#backlogSize = 0;
    const start = await this.#startRevision();
    // The newest revision of a moment ago was compacted.
    if (start.base > start.newest) return false;
    this.#cache.beginLoad(start.base);
    if (!(await this.#loadState(start.base)) || this.#overtaken) return false;
    this.#cache.endLoad();
    return (await this.#replay(start.base, start.newest)) && !this.#overtaken;
  }

  async #startRevision(): Promise<{ readonly base: Revision; readonly newest: Revision }> {
    const nothing = { start: this.#keys.start, end: this.#keys.start, limit: 1 };
    const now = await this.#replica.range({ ...nothing, revision: null });
    if (now.outcome !== 'found') throw new Error(`broken invariant: the newest state cannot be read: ${now.outcome}`);
    const newest = now.revision;
    const { replayedRevisions = replayedRevisionsDefault } = this.#options;
    const wanted = revision(Math.max(0, newest - replayedRevisions));
    const then = await this.#replica.range({ ...nothing, revision: wanted });
    return { newest, base: then.outcome === 'compacted' ? then.compacted : wanted };
  }

  async #loadState(base: Revision): Promise<boolean> {
    for (let start: string | null = this.#keys.start; start !== null;) {
      const page = await this.#replica.range({
        start,
        end: this.#keys.end,
        revision: base,
        limit: pageKeys,
        bytesMax: pageBytes,
        countRemaining: false,
      });
      if (page.outcome === 'compacted') return false;
      if (page.outcome === 'future')
        throw new Error(`broken invariant: revision ${base} was read and is not there any more; newest is ${page.revision}`);
      this.#cache.load(page.items);
      const last = page.items.at(-1);
      start = last === undefined || page.remaining === 0 ? null : `${last.key}\0`;
    }
    return true;
  }

  async #replay(base: Revision, newest: Revision): Promise<boolean> {
    for (let from = base; from < newest;) {
      const page = await this.#replica.changesSince(from, pageBytes);
      if (page.outcome === 'compacted') return false;
      this.#cache.apply(page.changes);
      this.#cache.reached(page.through);
      from = page.through;
    }
    return true;
  }
}
