import type { LogIndex, Member, MemberId, Revision, Term } from './types.js';
import type { MembershipChange } from './core/contract.js';
import type { Role } from './core/ready.js';
import type { Change, ChangesResult, Comparison, KeyValue, Operation, RangeOptions, RangeResult } from './store/contract.js';

/**
 * A process's access to its replica, which `raft/replica/portReplica.ts` implements over the consensus thread's message port. Every promise settles within the caller's time
 * limit; results are values that distinguish definite from indefinite failures.
 */
export interface Replica {
  /** Waits until this replica has applied the transaction. Leader changes are retried inside while it is certainly not in the log. */
  write(
    transaction: { readonly comparisons: readonly Comparison[]; readonly operations: readonly Operation[] },
    options: { readonly timeoutMs: number; readonly use?: SpaceUse },
  ): Promise<WriteOutcome>;

  /**
   * Linearizable read barrier (read index): resolves once this replica has applied everything committed at the time of the call, and `onChanges` listeners have
   * received it.
   */
  barrier(options: { readonly timeoutMs: number }): Promise<BarrierOutcome>;

  /**
   * The revision up to which `onChanges` listeners have received everything that any client may know, if that is certain without a barrier; else null. It is
   * certain for the only member of a cluster: everything acknowledged went through this process.
   */
  current(): Revision | null;

  /** Reads this replica's applied state at its newest or an older revision. Not linearizable: call `barrier` first. */
  range(options: RangeOptions): Promise<RangeResult>;

  /** Returns applied changes after `after`, in order; complete revisions only, at most about `bytesMax` bytes of values. */
  changesSince(after: Revision, options: { readonly bytesMax: number }): Promise<ChangesResult>;

  compact(revision: Revision, options: { readonly timeoutMs: number }): Promise<WriteOutcome>;

  /**
   * Delivers every change applied after this call, once and in order, in batches of complete revisions. Returns the function that stops it. A compaction is a
   * batch too, possibly empty, and so is a gap. Listeners must not throw.
   */
  onChanges(listener: (batch: ChangeBatch) => void): () => void;
  /** Called when the replica can no longer serve (disk failure, broken invariant): the process must end. A full disk is waited for instead. */
  onFailure(listener: (error: Error) => void): () => void;

  status(): Promise<ReplicaStatus>;
  /** Transfers leadership to the most up-to-date voter, if this replica leads and another exists; resolves when another leads or after `timeoutMs`. */
  transferLeadership(options: { readonly timeoutMs: number }): Promise<void>;
  /** Stops the thread; everything applied is then durable. */
  stop(): Promise<void>;
}

export type WriteOutcome =
  | { readonly outcome: 'applied'; readonly revision: Revision }
  /** Definite: nothing was written. `current` holds the compared keys. */
  | { readonly outcome: 'conflict'; readonly revision: Revision; readonly current: readonly (KeyValue | null)[] }
  | { readonly outcome: 'compacted'; readonly revision: Revision }
  /** Definite: nothing was or will be written, for lack of space. Deleting objects or freeing disk space helps. */
  | { readonly outcome: 'noSpace'; readonly reason: string }
  /** Definite: nothing was or will be written (no leader in time, queue full, stopping). Retry. */
  | { readonly outcome: 'unavailable'; readonly reason: string }
  /** Indefinite: the entry may still commit. */
  | { readonly outcome: 'unknown'; readonly reason: string };

/**
 * The importance of a write when space runs out. Default: `growing`. `essential`: small, and needed to free space (leases of leaders). `freeing`: needed to
 * remove more than it writes.
 */
export type SpaceUse = 'growing' | 'essential' | 'freeing';

/** A disk's room: for everything, for essential and freeing writes, for freeing ones only, or for nothing. */
export type SpaceLevel = 'ample' | 'low' | 'scarce' | 'none';

export interface SpaceStatus {
  /** The free bytes of this replica's disk, at most a second ago. */
  readonly freeBytes: number;
  readonly reserveBytes: number;
  /** Excludes reusable pages. */
  readonly storeBytes: number;
  /** 0: none. */
  readonly quotaBytes: number;
  readonly level: SpaceLevel;
  /** Why this replica refuses creates and updates; null while it accepts them. */
  readonly alarm: 'disk' | 'quota' | null;
  readonly shortMembers: readonly MemberId[];
}

export type BarrierOutcome =
  { readonly outcome: 'reached'; readonly revision: Revision } | { readonly outcome: 'unavailable'; readonly reason: string };

/** Offers operators what `Replica` lacks. */
export interface ReplicaAdministration {
  /** Works on the leader only, one change at a time. A learner is promoted once it has caught up. */
  changeMembership(change: MembershipChange, options: { readonly timeoutMs: number }): Promise<MembershipOutcome>;
  /**
   * Copies this replica's applied state into one self-verifying file (`maintenance.ts` reads it) while it runs. The caller removes the file, or else the
   * replica's next start.
   */
  snapshot(): Promise<SnapshotOutcome>;
}

export type SnapshotOutcome =
  | { readonly outcome: 'made'; readonly path: string; readonly index: LogIndex; readonly revision: Revision }
  /** Another copy is in progress, for a follower or an operator. */
  | { readonly outcome: 'busy' }
  | { readonly outcome: 'failed'; readonly reason: string };

export type MembershipOutcome =
  | { readonly outcome: 'applied' }
  /** Definite: ask that replica instead. */
  | { readonly outcome: 'notLeader'; readonly leader: MemberId | null }
  /** Definite: the change is invalid, or premature. */
  | { readonly outcome: 'refused'; readonly reason: string }
  | { readonly outcome: 'unavailable'; readonly reason: string }
  | { readonly outcome: 'unknown'; readonly reason: string };

/**
 * Changes are decoded when `changes` is first read. Values are views into the batch's buffer: copy a small value that is kept long, or it keeps the whole
 * buffer.
 */
export interface ChangeBatch {
  readonly changes: readonly Change[];
  readonly revision: Revision;
  /** History before this revision is gone. */
  readonly compacted: Revision;
  /**
   * Changes between the last batch and `compacted` are lost: this replica was absent for longer than history is kept, and installed a snapshot. Such a batch is
   * empty. Consumers that keep state read it anew; changes after `revision` follow.
   */
  readonly gap: boolean;
}

export interface ReplicaStatus {
  readonly clusterId: string;
  readonly memberId: MemberId;
  readonly leaderId: MemberId | null;
  readonly role: Role;
  readonly term: Term;
  readonly commitIndex: LogIndex;
  readonly appliedIndex: LogIndex;
  readonly firstIndex: LogIndex;
  readonly lastIndex: LogIndex;
  readonly revision: Revision;
  readonly compactedRevision: Revision;
  readonly members: readonly (Member & {
    /** Null unless this replica leads. */
    readonly progress: {
      readonly match: LogIndex;
      readonly state: 'probe' | 'replicate' | 'snapshot';
      readonly active: boolean;
      readonly snapshot: { readonly sentBytes: number; readonly bytes: number } | null;
    } | null;
  })[];
  /** The shortest time that this replica would now wait for a leader; the longest is almost twice that. Above the configured one if leaders have been late. */
  readonly electionTimeoutMs: number;
  /** The intervals at which this replica, as a follower, heard its leaders since its start. */
  readonly leaderSilence: LeaderSilence;
  readonly space: SpaceStatus;
  readonly figures: ReplicaFigures;
  readonly peers: readonly PeerStatus[];
}

export interface PeerStatus {
  readonly id: MemberId;
  readonly connected: boolean;
  /** The latest ping's; null before the first reply. */
  readonly roundTripMs: number | null;
}

export interface ReplicaFigures {
  readonly logSync: DurationCounts;
  /** Elections in which this replica was a candidate. */
  readonly elections: number;
  readonly leaderChanges: number;
  readonly proposalsWaiting: number;
  /** Writes refused at once, because too many waited. */
  readonly proposalsRefused: number;
  /** Writes that timed out with unknown outcome. */
  readonly proposalsGivenUp: number;
  readonly snapshotsInstalled: number;
  /** The time since the store was last made durable, up to where the log may be cut. */
  readonly checkpointAgeMs: number;
}

export type LeaderSilence = DurationCounts;

/** `counts` has one more item than `boundsMs`, for longer durations. */
export interface DurationCounts {
  readonly boundsMs: readonly number[];
  readonly counts: readonly number[];
  readonly sumMs: number;
  readonly longestMs: number;
}

/** Times are milliseconds. */
export interface ReplicaOptions {
  readonly dataDirectory: string;
  readonly memberId: MemberId;
  /** Members of a new cluster; ignored if the data directory already holds a cluster. */
  readonly initialMembers: readonly Member[];
  /** Any shared text; clusters with different tokens never mix, even on the same addresses. */
  readonly clusterToken: string;
  /** Null for a single replica that expects no peers. */
  readonly listenAddress: string | null;
  /** PEM file paths; required with more than one member. */
  readonly tls: { readonly caFile: string; readonly certFile: string; readonly keyFile: string } | null;
  readonly heartbeatIntervalMs: number;
  /** Elections start after one to two times this without a leader. */
  readonly electionTimeoutMs: number;
  /** Entries kept before the checkpoint so that a short absence needs no snapshot. */
  readonly logEntriesKept: number;
  /** Disk space reserved for freeing and essential writes. Absent or null: 64 MiB, or a quarter of a small file system. */
  readonly diskReserveBytes?: number | null;
  /** The largest size of the store; absent or 0: limited by the disk only. */
  readonly quotaBytes?: number;
}
