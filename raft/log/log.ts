import assert from 'node:assert';
import type { Persist } from '../core/ready.js';
import { failPoint } from '../failPoints.js';
import type { Entry, HardState, LogIndex, MemberId, SnapshotMeta, Term } from '../types.js';
import type { SqliteConnection } from '../sqlite/connection.js';
import { checkpoint, openDatabase, translateError } from '../sqlite/database.js';
import type { DatabaseKind, OpenedDatabase } from '../sqlite/database.js';
import { DamagedLogError, WrongIdentityError } from '../sqlite/errors.js';
import { FailStop } from '../sqlite/failStop.js';
import { forgetWal } from '../sqlite/keptWal.js';
import type { LogIdentity, LogOptions, PeerIncarnation, RaftLog } from './contract.js';
import { checkpointPages, dropSliceMin, logKind, logStatements, pageBytes } from './file.js';
import type { LogStatements } from './file.js';
import { entryFromRow, entryRow, identityFromRow, peerRow, stateFromRow, stateRow } from './records.js';
import type { Base } from './records.js';
import { Tail } from './tail.js';
import { TermRuns } from './termRuns.js';

export type { LogOptions, RaftLog } from './contract.js';

const otherPages = 16;

const tailBytesDefault = 16 * 1024 * 1024;

/**
 * Opens or creates the log, and verifies it completely. Throws a `StorageError`: InUseError, DamagedLogError, WrongIdentityError, NotDurableError,
 * UnsupportedFormatError, CannotOpenError.
 */
export function openLog(path: string, options: LogOptions): RaftLog {
  const kind = logKind(options);
  const opened = openDatabase(path, kind);
  try {
    return new SqliteLog(path, opened, kind, options);
  } catch (error) {
    opened.db.close();
    throw translateError(error, 'reading the log', path, kind);
  }
}

class SqliteLog implements RaftLog {
  readonly path: string;
  readonly created: boolean;
  readonly identity: LogIdentity;
  readonly #db: SqliteConnection;
  readonly #sql: LogStatements;
  readonly #failStop: FailStop;
  readonly #terms = new TermRuns();
  readonly #tail: Tail;
  readonly #peers: Map<string, string>;
  #hardState: HardState;
  #base: Base;
  #lastIndex: LogIndex;
  /** Rows are deleted in slices along with later appends, so this lags the base. */
  #oldestStored: number;
  /** An upper bound, which often avoids asking SQLite. */
  #walPagesMax = checkpointPages;

  constructor(path: string, { db, created }: OpenedDatabase, kind: DatabaseKind, options: LogOptions) {
    this.path = path;
    this.created = created;
    this.#db = db;
    this.#sql = logStatements(db);
    this.#failStop = new FailStop(path, (error, what) => translateError(error, what, path, kind));
    this.#tail = new Tail(options.tailBytesMax ?? tailBytesDefault);
    this.identity = this.#readIdentity(options);
    this.#peers = this.#readPeers();
    const { state, base } = this.#readState();
    this.#hardState = state;
    this.#base = base;
    this.#lastIndex = base.index;
    this.#oldestStored = this.#sql.oldest.get()?.log_index ?? this.firstIndex;
    this.#verifyEntries();
  }

  get firstIndex(): LogIndex {
    return (this.#base.index + 1) as LogIndex;
  }

  get lastIndex(): LogIndex {
    return this.#lastIndex;
  }

  get hardState(): HardState {
    return this.#hardState;
  }

  termAt(index: LogIndex): Term | null {
    this.#failStop.check();
    if (index === this.#base.index) return this.#base.term;
    if (index < this.#base.index || index > this.#lastIndex) return null;
    return this.#terms.at(index);
  }

  entries(from: LogIndex, to: LogIndex, bytesMax: number): Entry[] {
    this.#failStop.check();
    assert(
      from >= this.firstIndex && to <= this.#lastIndex,
      `entries ${from} to ${to} were asked for, held are ${this.firstIndex} to ${this.#lastIndex}`,
    );
    if (from > to) return [];
    return this.#tail.read(from, to, bytesMax) ?? this.#failStop.run('reading entries', () => this.#readEntries(from, to, bytesMax));
  }

  append({ hardState, entries }: Persist): void {
    this.#failStop.check();
    const next =
      hardState === null ? this.#hardState : { ...hardState, commit: Math.max(hardState.commit, this.#hardState.commit) as LogIndex };
    const lastIndex = this.#checkAppend(next, entries);
    if (hardState === null && entries.length === 0) return;
    this.#write('append', this.#pagesOf(entries), () => {
      const first = entries[0];
      if (first !== undefined && first.index <= this.#lastIndex) this.#sql.truncateFrom.run(first.index);
      for (const entry of entries) this.#insert(entry);
      if (hardState !== null) this.#sql.updateState.run(stateRow(next, this.#base));
      this.#dropSlice(this.#base.index, Math.max(dropSliceMin, 2 * entries.length));
      failPoint?.(first === undefined ? 'log.state.unsynced' : 'log.append.unsynced');
    });
    failPoint?.(entries.length === 0 ? 'log.state.synced' : 'log.append.synced');
    this.#hardState = next;
    this.#replaceInMemory(entries, lastIndex);
  }

  compactTo(index: LogIndex): void {
    this.#failStop.check();
    if (index <= this.#base.index) return;
    assert(index <= this.#lastIndex, `the log ends at ${this.#lastIndex}, before ${index}`);
    const base = { index, term: this.#terms.at(index) };
    const hardState = atLeast(this.#hardState, base);
    this.#write('compaction', checkpointPages, () => {
      this.#sql.updateState.run(stateRow(hardState, base));
      this.#dropSlice(index, dropSliceMin);
      failPoint?.('log.trim.unsynced');
    });
    failPoint?.('log.trim.synced');
    this.#hardState = hardState;
    this.#startAfter(base);
  }

  resetTo({ index, term }: SnapshotMeta): void {
    this.#failStop.check();
    assert(index >= this.#base.index, `snapshot ${index} is older than the log's own, ${this.#base.index}`);
    assert(
      index > this.#base.index || term === this.#base.term,
      `snapshot ${index} has term ${term}, but the log began there in term ${this.#base.term}`,
    );
    const keep = this.termAt(index) === term;
    const base = { index, term };
    const hardState = atLeast(this.#hardState, base);
    this.#write('reset', checkpointPages, () => {
      if (keep) this.#dropSlice(index, dropSliceMin);
      else this.#sql.truncateFrom.run(0);
      this.#sql.updateState.run(stateRow(hardState, base));
      failPoint?.('log.reset.unsynced');
    });
    failPoint?.('log.reset.synced');
    this.#hardState = hardState;
    if (!keep) {
      this.#forgetEntries(index);
      this.#oldestStored = index + 1;
    }
    this.#startAfter(base);
  }

  rememberPeer(memberId: MemberId, incarnation: string): PeerIncarnation {
    this.#failStop.check();
    const known = this.#peers.get(memberId);
    if (known !== undefined) return known === incarnation ? 'known' : 'different';
    this.#write('remembering a peer', checkpointPages, () => this.#sql.insertPeer.run(peerRow(memberId, incarnation)));
    this.#peers.set(memberId, incarnation);
    return 'new';
  }

  close(): void {
    const marked = !this.#failStop.works || !this.#takeMark();
    if (!this.#failStop.close()) return;
    this.#db.close();
    if (!marked) forgetWal(this.path);
  }

  /** After a failed write the next start reads the write-ahead file again, by its second name. */
  #takeMark(): boolean {
    try {
      this.#db.immediate(() => this.#sql.closeState.run());
      return true;
    } catch {
      return false;
    }
  }

  #checkAppend(next: HardState, entries: readonly Entry[]): LogIndex {
    const now = this.#hardState;
    assert(next.term >= now.term, `term would go back from ${now.term} to ${next.term}`);
    assert(
      next.term > now.term || now.vote === null || next.vote === now.vote,
      `the vote of term ${next.term} would change from ${String(now.vote)} to ${String(next.vote)}`,
    );
    const lastIndex = this.#checkEntries(next, entries);
    assert(next.commit <= lastIndex, `commit index ${next.commit} lies behind the end of the log, ${lastIndex}`);
    return lastIndex;
  }

  #checkEntries(next: HardState, entries: readonly Entry[]): LogIndex {
    const first = entries[0];
    if (first === undefined) return this.#lastIndex;
    assert(
      first.index > this.#hardState.commit,
      `entry ${first.index} would replace a committed one (commit index ${this.#hardState.commit})`,
    );
    let previous = { index: first.index - 1, term: this.termAt((first.index - 1) as LogIndex) };
    for (const { index, term } of entries) {
      assert(
        previous.term !== null && index === previous.index + 1,
        `entry ${index} does not follow the log, which ends at ${this.#lastIndex}`,
      );
      assert(
        term >= previous.term && term <= next.term,
        `entry ${index} has term ${term}, after ${previous.term} and in term ${next.term}`,
      );
      previous = { index, term };
    }
    return previous.index as LogIndex;
  }

  /** `pagesMax` bounds the added pages. */
  #write(what: string, pagesMax: number, change: () => void): void {
    this.#failStop.run(what, () => {
      this.#db.immediate(change);
      this.#walPagesMax += pagesMax;
      if (this.#walPagesMax < checkpointPages) return;
      this.#walPagesMax = this.#sql.walPages.get()?.log ?? 0;
      if (this.#walPagesMax < checkpointPages) return;
      failPoint?.('log.checkpoint.begun');
      checkpoint(this.#db, 'passive');
      failPoint?.('log.checkpoint.done');
    });
  }

  #pagesOf(entries: readonly Entry[]): number {
    const first = entries[0];
    if (this.#oldestStored <= this.#base.index || (first !== undefined && first.index <= this.#lastIndex)) return checkpointPages;
    let bytes = 0;
    for (const { data } of entries) bytes += data.length;
    return otherPages + 2 * (entries.length + Math.ceil(bytes / pageBytes));
  }

  #insert(entry: Entry): void {
    const row = entryRow(entry);
    this.#sql.insertEntry.run(row.log_index, row.term, row.kind, row.crc, row.data);
  }

  #dropSlice(last: LogIndex, countMax: number): void {
    if (this.#oldestStored > last) return;
    const through = Math.min(last, this.#oldestStored + countMax - 1);
    this.#sql.dropTo.run(through);
    this.#oldestStored = through + 1;
  }

  #replaceInMemory(entries: readonly Entry[], lastIndex: LogIndex): void {
    const first = entries[0];
    if (first === undefined) return;
    this.#forgetEntries(first.index);
    for (const entry of entries) {
      this.#terms.add(entry.index, entry.term);
      this.#tail.push(entry);
    }
    this.#lastIndex = lastIndex;
  }

  #forgetEntries(from: LogIndex): void {
    this.#terms.truncateFrom(from);
    this.#tail.truncateFrom(from);
    this.#lastIndex = Math.min(this.#lastIndex, from - 1) as LogIndex;
  }

  #startAfter(base: Base): void {
    this.#base = base;
    this.#lastIndex = Math.max(this.#lastIndex, base.index) as LogIndex;
    this.#tail.dropBefore(this.firstIndex);
    if (this.#lastIndex === base.index) this.#terms.clear();
    else this.#terms.dropBefore(this.firstIndex);
  }

  #readEntries(from: LogIndex, to: LogIndex, bytesMax: number): Entry[] {
    const found: Entry[] = [];
    let bytes = 0;
    for (const row of this.#sql.entriesBetween.iterate(from, to)) {
      const entry = entryFromRow(row);
      const expected = from + found.length;
      if (entry === null || entry.index !== expected)
        throw new DamagedLogError(this.path, expected, 'the entry is missing or was changed after it was written');
      bytes += entry.data.length;
      if (bytes > bytesMax && found.length > 0) return found;
      found.push(entry);
    }
    if (found.length !== to - from + 1) throw new DamagedLogError(this.path, from + found.length, 'the entry is missing');
    return found;
  }

  #readIdentity({ clusterId, memberId }: LogOptions): LogIdentity {
    const row = this.#sql.identity.get();
    const identity = row === undefined ? null : identityFromRow(row);
    if (identity === null) throw new DamagedLogError(this.path, null, 'whose it is was changed after it was written');
    if (identity.clusterId !== clusterId)
      throw new WrongIdentityError(
        this.path,
        `it is of cluster ${JSON.stringify(identity.clusterId)}, not ${JSON.stringify(clusterId)}: it was made with another cluster token`,
      );
    if (identity.memberId !== memberId)
      throw new WrongIdentityError(this.path, `it is of member ${JSON.stringify(identity.memberId)}, not ${JSON.stringify(memberId)}`);
    return identity;
  }

  #readPeers(): Map<string, string> {
    const peers = this.#sql.peers.all();
    for (const { member_id, incarnation, crc } of peers) {
      if (peerRow(member_id, incarnation).crc !== crc)
        throw new DamagedLogError(this.path, null, `what is known of peer ${JSON.stringify(member_id)} was changed after it was written`);
    }
    return new Map(peers.map(({ member_id, incarnation }) => [member_id, incarnation]));
  }

  #readState(): { readonly state: HardState; readonly base: Base } {
    const row = this.#sql.state.get();
    const read = row === undefined ? null : stateFromRow(row);
    if (read === null) throw new DamagedLogError(this.path, null, 'term, vote and commit index are missing or were changed');
    return read;
  }

  /** Damage must be found before this replica votes or leads. */
  #verifyEntries(): void {
    let expected = this.firstIndex as number;
    let term = this.#base.term as number;
    for (const row of this.#sql.entriesAfter.iterate(this.#base.index)) {
      const entry = entryFromRow(row);
      if (entry === null || entry.index !== expected)
        throw new DamagedLogError(this.path, expected, 'the entry is missing or was changed after it was written');
      if (entry.term < term || entry.term > this.#hardState.term)
        throw new DamagedLogError(this.path, expected, `its term ${entry.term} cannot be`);
      this.#replaceInMemory([entry], entry.index);
      expected += 1;
      term = entry.term;
    }
    if (this.#hardState.commit > this.#lastIndex)
      throw new DamagedLogError(this.path, expected, `it ends before the commit index ${this.#hardState.commit}`);
  }
}

/** A new term starts without a vote. */
function atLeast(state: HardState, { index, term }: Base): HardState {
  const moved = state.commit >= index ? state : { ...state, commit: index };
  return moved.term >= term ? moved : { ...moved, term, vote: null };
}
