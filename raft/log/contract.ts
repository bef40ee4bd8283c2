import type { LogReader, Persist } from '../core/ready.js';
import type { HardState, LogIndex, MemberId, SnapshotMeta } from '../types.js';

/** `incarnation` is random and distinguishes a wiped disk from the old one. */
export interface LogIdentity {
  readonly clusterId: string;
  readonly memberId: MemberId;
  readonly incarnation: string;
}

export interface LogOptions {
  readonly clusterId: string;
  readonly memberId: MemberId;
  /** Default: `tailBytesDefault`. */
  readonly tailBytesMax?: number;
}

/** 'different': the peer had another incarnation, so it lost its disk and must not return under its old name. */
export type PeerIncarnation = 'known' | 'new' | 'different';

/** Calls are synchronous and durable on return. After a failed write (`DiskFailedError`) or damage (`DamagedLogError`) every call throws that error again. */
export interface RaftLog extends LogReader {
  readonly path: string;
  /** True for a new file: this incarnation has never taken part in anything. */
  readonly created: boolean;
  readonly identity: LogIdentity;
  readonly hardState: HardState;

  /**
   * Stores all in one durable transaction. Asserts: no gap, nothing replaced up to the known commit index, terms never decrease, at most one vote per term,
   * and a commit index within the log (so after a snapshot, `resetTo` comes first). Ignores an older commit index.
   */
  append(persist: Persist): void;
  /** Drops committed entries up to `index` inclusive and keeps its term for `termAt`. */
  compactTo(index: LogIndex): void;
  /** Later entries stay only if the entry at its index has its term (Raft, figure 13, step 6). Raises commit index and term to the snapshot's if they lag. */
  resetTo(snapshot: SnapshotMeta): void;
  /** Durable on return; a 'different' incarnation is not stored. */
  rememberPeer(memberId: MemberId, incarnation: string): PeerIncarnation;
  close(): void;
}
