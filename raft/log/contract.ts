import type { LogReader, Persist } from '../core/ready.js';
import type { HardState, LogIndex, MemberId, SnapshotMeta } from '../types.js';

/** Who this data directory belongs to. `incarnation` is a random word made with the directory: it tells a wiped disk from the old one. */
export interface LogIdentity {
  readonly clusterId: string;
  readonly memberId: MemberId;
  readonly incarnation: string;
}

export interface LogOptions {
  readonly clusterId: string;
  readonly memberId: MemberId;
  /** Bytes of the newest entries kept in memory for followers and for applying; `tailBytesDefault` when absent. */
  readonly tailBytesMax?: number;
}

/** 'different': the peer was known with another incarnation, so it lost its disk and must not take part under its old name. */
export type PeerAcquaintance = 'known' | 'new' | 'different';

/**
 * The durable half of a replica: entries, term, vote and identity, in one SQLite file. All calls are synchronous, and what they change is on
 * disk when they return. After a failed write (`DiskFailedError`) or found damage (`DamagedLogError`) every call throws that error again.
 */
export interface RaftLog extends LogReader {
  readonly path: string;
  /** True when `openLog` made the file: this replica has never taken part in anything under this incarnation. */
  readonly created: boolean;
  readonly identity: LogIdentity;
  readonly hardState: HardState;

  /**
   * Stores the hard state, drops entries from `entries[0].index` on and adds the new ones, in one transaction that is on disk on return.
   * Asserts: no gap, nothing replaced at or below the known commit index, terms never go back, at most one vote in a term, and a commit
   * index that the log reaches (so after a snapshot, `resetTo` comes first). A commit index below the known one is ignored: it may lag.
   */
  append(persist: Persist): void;
  /**
   * Drops entries up to `index` inclusive, which must be committed, keeping its term for `termAt`. Earlier than the oldest held entry: does nothing.
   * Their space is used again by later entries.
   */
  compactTo(index: LogIndex): void;
  /**
   * Starts the log anew behind an installed snapshot. Entries after it are kept only if the entry at its index has its term (Raft, figure 13, step 6).
   * Raises commit index, and term, to the snapshot's where they lag.
   */
  resetTo(snapshot: SnapshotMeta): void;
  /** Remembers, durably, with which incarnation a peer first came. A 'different' one is not remembered. */
  rememberPeer(memberId: MemberId, incarnation: string): PeerAcquaintance;
  close(): void;
}
