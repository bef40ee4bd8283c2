import { logIndex, term as toTerm } from '../types.js';
import type { Entry, LogIndex, SnapshotMeta, Term } from '../types.js';
import { invariant } from './invariant.js';
import { limits } from './limits.js';
import type { LogReader } from './ready.js';

function sizeOf(entry: Entry): number {
  return entry.data.length + limits.entryOverheadBytes;
}

/**
 * The owner's log on disk, extended by a tail in memory.
 *
 *      disk (LogReader)                      tail (memory)
 *   [ firstIndex ............ ][ tailFirst ..... commit ..... handed ..... last ]
 *                                     durable ----^ somewhere up to handed
 *
 * The tail holds everything not both durable and committed, so appending, sending, committing and truncating read no disk. Older entries leave it once it
 * outgrows `tailBytesMax`.
 */
export class RaftLog {
  readonly #reader: LogReader;
  readonly #tailBytesMax: number;
  commit: LogIndex;
  uncommittedBytes = 0;
  #tail: Entry[] = [];
  #tailFirst: number;
  #tailBytes = 0;
  #baseTerm: Term;
  #durable: LogIndex;
  #handed: LogIndex;
  /** The reader is outdated until it is installed. */
  #installing: SnapshotMeta | null = null;
  #installHanded = false;

  constructor(reader: LogReader, commit: LogIndex, tailBytesMax: number) {
    this.#reader = reader;
    this.#tailBytesMax = tailBytesMax;
    invariant(commit <= reader.lastIndex && commit + 1 >= reader.firstIndex, 'the commit index lies within the log', () => ({
      commit,
      firstIndex: reader.firstIndex,
      lastIndex: reader.lastIndex,
    }));
    this.commit = commit;
    this.#durable = this.#handed = reader.lastIndex;
    this.#tailFirst = commit + 1;
    this.#baseTerm = commit === 0 ? toTerm(0) : known(reader.termAt(commit), commit);
    this.#loadTail();
  }

  get firstIndex(): number {
    return this.#installing === null ? this.#reader.firstIndex : this.#installing.index + 1;
  }

  get lastIndex(): LogIndex {
    return logIndex(this.#tailFirst + this.#tail.length - 1);
  }

  get lastTerm(): Term {
    return this.#tail[this.#tail.length - 1]?.term ?? this.#baseTerm;
  }

  get durableIndex(): LogIndex {
    return this.#durable;
  }

  termAt(index: number): Term | null {
    if (index > this.lastIndex || index < 0) return null;
    if (index >= this.#tailFirst) return this.#tail[index - this.#tailFirst]?.term ?? null;
    if (index === this.#tailFirst - 1) return this.#baseTerm;
    if (index === 0) return toTerm(0);
    return this.#installing === null ? this.#reader.termAt(logIndex(index)) : null;
  }

  /** About `bytesMax` but at least one; may stop early where memory begins. */
  slice(from: number, to: number, bytesMax: number): Entry[] {
    if (from > to) return [];
    if (from < this.#tailFirst) return this.#reader.entries(logIndex(from), logIndex(Math.min(to, this.#tailFirst - 1)), bytesMax);
    let bytes = 0;
    let end = from - this.#tailFirst;
    for (; end <= to - this.#tailFirst; end++) {
      bytes += this.#sizeAt(end);
      if (bytes > bytesMax && end > from - this.#tailFirst) break;
    }
    return this.#tail.slice(from - this.#tailFirst, end);
  }

  /** The largest index from `index` down to `floor` with a term of at most `term`. */
  lastNotAfter(index: number, term: Term, floor: number): { index: LogIndex; term: Term } {
    let at = Math.min(index, this.lastIndex);
    for (; at > floor; at--) {
      const found = this.termAt(at);
      if (found === null || found <= term) break;
    }
    return { index: logIndex(at), term: this.termAt(at) ?? toTerm(0) };
  }

  append(entries: readonly Entry[]): void {
    for (const entry of entries) {
      invariant(
        entry.index === this.lastIndex + 1 && entry.term >= this.lastTerm,
        'entries follow one another and their terms never go back',
        () => ({ index: entry.index, term: entry.term, lastIndex: this.lastIndex, lastTerm: this.lastTerm }),
      );
      this.#tail.push(entry);
      this.#tailBytes += sizeOf(entry);
      this.uncommittedBytes += sizeOf(entry);
    }
  }

  truncate(from: LogIndex): void {
    invariant(from > this.commit, 'committed entries are never truncated', () => ({ from, commit: this.commit }));
    for (const entry of this.#tail.splice(from - this.#tailFirst)) {
      this.#tailBytes -= sizeOf(entry);
      this.uncommittedBytes -= sizeOf(entry);
    }
    this.#durable = logIndex(Math.min(this.#durable, from - 1));
    this.#handed = logIndex(Math.min(this.#handed, from - 1));
  }

  commitTo(index: LogIndex): void {
    invariant(index >= this.commit && index <= this.lastIndex, 'the commit index never goes back and never passes the log', () => ({
      index,
      commit: this.commit,
      lastIndex: this.lastIndex,
    }));
    for (let at = this.commit + 1; at <= index; at++) this.uncommittedBytes -= this.#sizeAt(at - this.#tailFirst);
    this.commit = index;
  }

  install(snapshot: SnapshotMeta): void {
    invariant(snapshot.index > this.commit, 'a snapshot never takes committed entries back', () => ({
      snapshot: snapshot.index,
      commit: this.commit,
    }));
    this.#tail = [];
    this.#tailBytes = this.uncommittedBytes = 0;
    this.#tailFirst = snapshot.index + 1;
    this.#baseTerm = snapshot.term;
    this.commit = this.#durable = this.#handed = snapshot.index;
    this.#installing = snapshot;
    this.#installHanded = false;
  }

  hand(): { readonly install: SnapshotMeta | null; readonly entries: Entry[] } {
    const entries = this.#tail.slice(this.#handed + 1 - this.#tailFirst);
    const install = this.#installing;
    this.#handed = this.lastIndex;
    this.#installHanded = install !== null;
    return { install, entries };
  }

  /** Handed entries are durable unless truncated or replaced since. */
  persisted(): void {
    this.#durable = this.#handed;
    if (this.#installHanded) {
      this.#installing = null;
      this.#installHanded = false;
    }
    this.#evict();
  }

  #evict(): void {
    if (this.#tailBytes <= this.#tailBytesMax) return;
    const evictable = Math.min(this.#durable, this.commit) + 1 - this.#tailFirst;
    let count = 0;
    // Evicts half at once: the rest is moved.
    for (; count < evictable && this.#tailBytes > this.#tailBytesMax / 2; count++) this.#tailBytes -= this.#sizeAt(count);
    this.#baseTerm = this.#tail[count - 1]?.term ?? this.#baseTerm;
    this.#tail.splice(0, count);
    this.#tailFirst += count;
  }

  /** Reads at most a leader's `uncommittedBytesMax`. */
  #loadTail(): void {
    while (this.lastIndex < this.#reader.lastIndex) {
      const entries = this.#reader.entries(logIndex(this.lastIndex + 1), this.#reader.lastIndex, this.#tailBytesMax);
      invariant(entries.length > 0, 'the log has every entry up to its last index', () => ({
        from: this.lastIndex + 1,
        lastIndex: this.#reader.lastIndex,
      }));
      this.append(entries);
    }
  }

  #sizeAt(offset: number): number {
    const entry = this.#tail[offset];
    invariant(entry !== undefined, 'uncommitted entries are in memory', () => ({
      offset,
      tailFirst: this.#tailFirst,
      length: this.#tail.length,
    }));
    return sizeOf(entry);
  }
}

function known(term: Term | null, index: LogIndex): Term {
  invariant(term !== null, 'the log knows the term of its commit index', () => ({ index }));
  return term;
}
