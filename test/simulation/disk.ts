import { logIndex, term } from '../../raft/types.js';
import { decodeMembership } from '../../raft/core/membership.js';
import type { Entry, HardState, LogIndex, Membership, SnapshotMeta, Term } from '../../raft/types.js';
import type { LogReader, Persist } from '../../raft/core/ready.js';
import type { StoreState } from './store.js';

/** The writes of one Ready, in one transaction. */
export interface Write {
  readonly persist: Persist | null;
  readonly install: { readonly meta: SnapshotMeta; readonly state: StoreState } | null;
}

/** Ways in which a disk may lie. */
export interface DiskFaults {
  /** The part of a synced hard state that survives. */
  readonly keep: (hardState: HardState, before: HardState) => HardState;
}

export const honestDisk: DiskFaults = { keep: (hardState) => hardState };

/** A disk with unsynced writes, which a crash may lose. Reads see synced data only, because the core may rely on nothing else. */
export class Disk implements LogReader {
  readonly #faults: DiskFaults;
  hardState: HardState = { term: term(0), vote: null, commit: logIndex(0) };
  /** The store at its last checkpoint, followed by the log. */
  checkpoint: StoreState;
  #baseIndex = 0;
  #baseTerm: Term = term(0);
  #log: Entry[] = [];
  /** Membership entries; later truncations may have removed some. */
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

  /** The membership of the newest entry, committed or not, or of the checkpoint. */
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

  /** Saves the store and cuts the log up to `index`. */
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
