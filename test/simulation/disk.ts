import { logIndex, term } from '../../raft/types.js';
import { decodeMembership } from '../../raft/core/membership.js';
import type { Entry, HardState, LogIndex, Membership, SnapshotMeta, Term } from '../../raft/types.js';
import type { LogReader, Persist } from '../../raft/core/ready.js';
import type { StoreState } from './store.js';

/** What one Ready writes, in one transaction. */
export interface Write {
  readonly persist: Persist | null;
  readonly install: { readonly meta: SnapshotMeta; readonly state: StoreState } | null;
}

/** Ways in which a disk may be made to lie. */
export interface DiskFaults {
  /** What is kept of a hard state that was said to be durable. */
  readonly keep: (hardState: HardState, before: HardState) => HardState;
}

export const honestDisk: DiskFaults = { keep: (hardState) => hardState };

/**
 * A disk that knows what was written from what was synced. A crash may forget what was only written. Reads see what is synced, which is all that the core may
 * rely on.
 */
export class Disk implements LogReader {
  readonly #faults: DiskFaults;
  hardState: HardState = { term: term(0), vote: null, commit: logIndex(0) };
  /** The store as of its last checkpoint. The log holds every entry after it. */
  checkpoint: StoreState;
  #baseIndex = 0;
  #baseTerm: Term = term(0);
  #log: Entry[] = [];
  /** Membership entries as they were put; some may be truncated since. */
  #memberships: { readonly entry: Entry; readonly membership: Membership }[] = [];
  #written: Write | null = null;

  constructor(checkpoint: StoreState, faults: DiskFaults) {
    this.#faults = faults;
    this.checkpoint = checkpoint;
  }

  get firstIndex(): LogIndex {
    return logIndex(this.#baseIndex + 1);
  }

  get lastIndex(): LogIndex {
    return logIndex(this.#baseIndex + this.#log.length);
  }

  termAt(index: LogIndex): Term | null {
    return index === this.#baseIndex ? this.#baseTerm : (this.#log[index - this.#baseIndex - 1]?.term ?? null);
  }

  entries(from: LogIndex, to: LogIndex, bytesMax: number): Entry[] {
    if (from < this.firstIndex || to > this.lastIndex)
      throw new Error(`read of ${from} to ${to} outside of ${this.firstIndex} to ${this.lastIndex}`);
    let bytes = 0;
    const end = this.#log.findIndex(
      (entry, at) => at >= from - this.firstIndex && (entry.index > to || ((bytes += entry.data.length) > bytesMax && entry.index > from)),
    );
    return this.#log.slice(from - this.firstIndex, end === -1 ? undefined : end);
  }

  /** Of the newest membership entry that is held, committed or not, or of the checkpoint. */
  membership(): Membership {
    while (this.#memberships.length > 0 && !this.#holds(this.#memberships.at(-1)?.entry)) this.#memberships.pop();
    const newest = this.#memberships.at(-1);
    return newest === undefined || newest.entry.index <= this.checkpoint.index ? this.checkpoint.membership : newest.membership;
  }

  write(write: Write): void {
    this.#written = write;
  }

  sync(): void {
    if (this.#written === null) return;
    const { persist, install } = this.#written;
    this.#written = null;
    if (install !== null) this.#install(install);
    if (persist?.hardState) this.hardState = this.#faults.keep(persist.hardState, this.hardState);
    for (const entry of persist?.entries ?? []) this.#put(entry);
  }

  crash(survives: boolean): void {
    if (survives) this.sync();
    this.#written = null;
  }

  /** Makes the store durable and cuts the log up to `index`. */
  compact(store: StoreState, index: number): void {
    this.checkpoint = store;
    const cut = Math.min(index, store.index);
    if (cut <= this.#baseIndex) return;
    this.#baseTerm = this.termAt(logIndex(cut)) as Term;
    this.#log = this.#log.slice(cut - this.#baseIndex);
    this.#baseIndex = cut;
  }

  #holds(entry: Entry | undefined): boolean {
    return entry !== undefined && this.#log[entry.index - this.#baseIndex - 1] === entry;
  }

  #install({ meta, state }: NonNullable<Write['install']>): void {
    this.checkpoint = state;
    this.#baseIndex = meta.index;
    this.#baseTerm = meta.term;
    this.#log = [];
  }

  #put(entry: Entry): void {
    const at = entry.index - this.#baseIndex - 1;
    if (at < 0 || at > this.#log.length)
      throw new Error(`entry ${entry.index} leaves a gap after ${this.lastIndex}, or lies before ${this.firstIndex}`);
    this.#log.length = at;
    this.#log.push(entry);
    if (entry.kind !== 'membership') return;
    this.membership(); // drops what was truncated, so that the order stays that of the log
    this.#memberships.push({ entry, membership: decodeMembership(entry.data) });
  }
}
