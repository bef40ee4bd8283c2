import type { LogIndex, Member, MemberId, Revision, Term } from './types.js';
import type { MembershipChange } from './core/contract.js';
import type { Role } from './core/ready.js';
import type { Change, ChangesResult, Comparison, KeyValue, Operation, RangeOptions, RangeResult } from './store/contract.js';

/**
 * What the rest of a process asks of its replica. `raft/client.ts` implements it over the message port of the consensus thread.
 * Every promise settles within the caller's time limit; results are values, and say whether a failure is definite.
 */
export interface Replica {
  /**
   * Proposes a transaction and waits until this replica has applied it. A leader change on the way is retried inside, as long as it is
   * certain that the transaction is not in the log.
   */
  write(
    transaction: { readonly comparisons: readonly Comparison[]; readonly operations: readonly Operation[] },
    options: { readonly timeoutMs: number; readonly use?: SpaceUse },
  ): Promise<WriteOutcome>;

  /**
   * Linearizable read barrier (read index): resolves when this replica has applied all that was committed when the call was made.
   * The changes up to there have then been handed to `onChanges` listeners.
   */
  barrier(options: { readonly timeoutMs: number }): Promise<BarrierOutcome>;

  /**
   * The revision up to which `onChanges` listeners have been told all that anybody may know of, where that is certain without asking; null where only
   * `barrier` can tell. It is certain of the only member of a cluster: whatever was acknowledged was acknowledged through this process.
   */
  current(): Revision | null;

  /** Reads this replica's applied state, at its newest revision or an older one. Not linearizable by itself: call `barrier` first. */
  range(options: RangeOptions): Promise<RangeResult>;

  /** Changes after `after` that this replica has applied, in order; complete revisions only, about `bytesMax` bytes of values at most. */
  changesSince(after: Revision, options: { readonly bytesMax: number }): Promise<ChangesResult>;

  /** Asks the cluster to forget revisions replaced at or before `revision`. */
  compact(revision: Revision, options: { readonly timeoutMs: number }): Promise<WriteOutcome>;

  /**
   * Every change that this replica applies after this call, complete, once and in order, in batches. Returns the call that stops it.
   * A compaction comes as a batch too, which may be empty, and so does a gap. Listeners must not throw.
   */
  onChanges(listener: (batch: ChangeBatch) => void): () => void;
  /** Called when the replica can no longer serve (disk failure, broken invariant): the process must end. A disk that is full is waited for instead. */
  onFailure(listener: (error: Error) => void): () => void;

  status(): Promise<ReplicaStatus>;
  /** Hands leadership to the most up-to-date voter, if this replica leads and there is another one; resolves when another leads or after `timeoutMs`. */
  transferLeadership(options: { readonly timeoutMs: number }): Promise<void>;
  /** Stops the thread: everything applied is on disk afterwards. */
  stop(): Promise<void>;
}

export type WriteOutcome =
  | { readonly outcome: 'applied'; readonly revision: Revision }
  /** Definite: nothing was written. `current` holds the compared keys as they are. */
  | { readonly outcome: 'conflict'; readonly revision: Revision; readonly current: readonly (KeyValue | null)[] }
  | { readonly outcome: 'compacted'; readonly revision: Revision }
  /** Definite: nothing was or will be written, because too little space is left for it. It helps to delete something, or to make room on the disk. */
  | { readonly outcome: 'noSpace'; readonly reason: string }
  /** Definite: nothing was or will be written (no leader within the time, queue full, stopping). Retry. */
  | { readonly outcome: 'unavailable'; readonly reason: string }
  /** Indefinite: the entry may still commit. */
  | { readonly outcome: 'unknown'; readonly reason: string };

/**
 * What a write means where space runs out; `growing` unless told. `essential`: small, and needed by whoever would make room again (leases of leaders). `freeing`: what it
 * writes is needed to remove more.
 */
export type SpaceUse = 'growing' | 'essential' | 'freeing';

/** How much room a disk has: for everything, for essential writes and those that free space, for the latter alone, or for nothing. */
export type SpaceLevel = 'ample' | 'low' | 'scarce' | 'none';

export interface SpaceStatus {
  /** On the disk of this replica, as it was found within the last second. */
  readonly freeBytes: number;
  /** Below it the disk is short of space. */
  readonly reserveBytes: number;
  /** What the store of this replica holds, without pages that wait to be used again. */
  readonly storeBytes: number;
  /** 0: none. */
  readonly quotaBytes: number;
  /** Of the disk of this replica. */
  readonly level: SpaceLevel;
  /** Why this replica refuses creates and updates; null while it takes them. */
  readonly alarm: 'disk' | 'quota' | null;
  /** Voters whose disks are known to be short of space. */
  readonly shortMembers: readonly MemberId[];
}

export type BarrierOutcome =
  { readonly outcome: 'reached'; readonly revision: Revision } | { readonly outcome: 'unavailable'; readonly reason: string };

/** Changes of the membership, for operators. `raft/client.ts` offers these beside `Replica`. */
export interface ReplicaAdministration {
  /** Adds a learner, promotes it once it has caught up, or removes a member; on the leader only. One change at a time. */
  changeMembership(change: MembershipChange, options: { readonly timeoutMs: number }): Promise<MembershipOutcome>;
  /**
   * Copies this replica's applied state into one file that proves itself complete (`maintenance.ts` reads it), while everything goes on.
   * The caller removes the file; the next start of the replica would.
   */
  snapshot(): Promise<SnapshotOutcome>;
}

export type SnapshotOutcome =
  | { readonly outcome: 'made'; readonly path: string; readonly index: LogIndex; readonly revision: Revision }
  /** Another copy is under way, for a follower or an operator. */
  | { readonly outcome: 'busy' }
  | { readonly outcome: 'failed'; readonly reason: string };

export type MembershipOutcome =
  | { readonly outcome: 'applied' }
  /** Definite: ask that replica instead. */
  | { readonly outcome: 'notLeader'; readonly leader: MemberId | null }
  /** Definite: the change makes no sense, or not yet. */
  | { readonly outcome: 'refused'; readonly reason: string }
  | { readonly outcome: 'unavailable'; readonly reason: string }
  | { readonly outcome: 'unknown'; readonly reason: string };

/**
 * Changes are decoded when `changes` is first read. Their values are views into one buffer for the whole batch: whoever keeps a small value for long
 * should copy it, or keeps the whole buffer.
 */
export interface ChangeBatch {
  readonly changes: readonly Change[];
  /** These changes and those before are complete up to this revision. */
  readonly revision: Revision;
  /** History before this revision is gone. */
  readonly compacted: Revision;
  /**
   * Changes between the last batch and `compacted` cannot be told any more: this replica was away for longer than history is kept, and took over a
   * snapshot. Such a batch is empty. Who keeps a state reads it anew; what comes after `revision` is told again.
   */
  readonly gap: boolean;
}

/** What `/raft/v1/status` shows. */
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
    /** As the leader sees it; null on other replicas. */
    readonly progress: {
      readonly match: LogIndex;
      readonly state: 'probe' | 'replicate' | 'snapshot';
      readonly active: boolean;
      /** Of the snapshot that is being sent to it; null while none is. */
      readonly snapshot: { readonly sentBytes: number; readonly bytes: number } | null;
    } | null;
  })[];
  /** How long this replica would now wait without a leader at least; at most almost twice that. More than was configured where leaders have been late. */
  readonly electionTimeoutMs: number;
  /** As this replica, when it followed, heard its leaders since it was started. */
  readonly leaderSilence: LeaderSilence;
  readonly space: SpaceStatus;
  /** What this replica counted since it was started. */
  readonly figures: ReplicaFigures;
  /** The connections on which this replica sends. */
  readonly peers: readonly PeerStatus[];
}

export interface PeerStatus {
  readonly id: MemberId;
  readonly connected: boolean;
  /** Of the latest sign of life that was asked for; null before the first answer. */
  readonly roundTripMs: number | null;
}

export interface ReplicaFigures {
  /** Appends to the log, each of which ends with its being on disk. */
  readonly logSync: DurationCounts;
  /** Elections for which this replica stood. */
  readonly elections: number;
  readonly leaderChanges: number;
  readonly proposalsWaiting: number;
  /** Writes that were refused at once, because too many waited. */
  readonly proposalsRefused: number;
  /** Writes whose time was over before it was known that they had been done. */
  readonly proposalsGivenUp: number;
  readonly snapshotsInstalled: number;
  /** Since the store was last made durable up to where the log may be cut. */
  readonly checkpointAgeMs: number;
}

/** Times from one word of the leader to the next. */
export type LeaderSilence = DurationCounts;

/** `counts` has one place more than `boundsMs`, for what was longer than all of them. */
export interface DurationCounts {
  readonly boundsMs: readonly number[];
  readonly counts: readonly number[];
  readonly sumMs: number;
  readonly longestMs: number;
}

/** What a replica needs to start. Times are milliseconds. */
export interface ReplicaOptions {
  readonly dataDirectory: string;
  readonly memberId: MemberId;
  /** Members of a cluster that starts for the first time; ignored when the data directory holds a cluster already. */
  readonly initialMembers: readonly Member[];
  /** Any agreed word; clusters with different tokens never mix, even on the same addresses. */
  readonly clusterToken: string;
  /** `host:port` to listen on for peers; null for a single replica that expects none. */
  readonly listenAddress: string | null;
  /** PEM file paths; required with more than one member. */
  readonly tls: { readonly caFile: string; readonly certFile: string; readonly keyFile: string } | null;
  readonly heartbeatIntervalMs: number;
  /** Elections start after one to two times this without a leader. */
  readonly electionTimeoutMs: number;
  /** Entries kept behind the checkpoint so that a short absence needs no snapshot. */
  readonly logEntriesKept: number;
  /** Space on the disk that only what frees space, or is essential, may use. Absent or null: 64 MiB, or a quarter of a small file system. */
  readonly diskReserveBytes?: number | null;
  /** Bytes that the store may hold; absent or 0: as many as the disk has room for. */
  readonly quotaBytes?: number;
}
