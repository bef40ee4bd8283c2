import type { LogIndex, Member, MemberId, Revision, Term } from './types.js';
import type { MembershipChange } from './core/contract.js';
import type { Role } from './core/ready.js';
import type { Change, ChangesResult, Comparison, KeyValue, Operation, RangeOptions, RangeResult } from './store/contract.js';

/** Every promise settles within the caller's time limit; results are values that distinguish definite from indefinite failures. */
export interface Replica {
  /** Resolves once this replica has applied the transaction. Retries after leader changes while it is certainly not in the log. */
  write(
    transaction: { readonly comparisons: readonly Comparison[]; readonly operations: readonly Operation[] },
    options: { readonly timeoutMs: number; readonly use?: SpaceUse },
  ): Promise<WriteOutcome>;

  /**
   * Linearizable read barrier (read index): resolves once this replica has applied everything committed at the time of the call, and `onChanges` listeners
   * have it.
   */
  barrier(timeoutMs: number): Promise<BarrierOutcome>;

  /** The revision at which listeners have everything that any client may know, if certain without a barrier (as for a cluster's only member); else null. */
  current(): Revision | null;

  /** Not linearizable: call `barrier` first. */
  range(options: RangeOptions): Promise<RangeResult>;

  /** Returns applied changes after `after`, in order; complete revisions only, at most about `bytesMax` bytes of values. */
  changesSince(after: Revision, bytesMax: number): Promise<ChangesResult>;

  compact(revision: Revision, timeoutMs: number): Promise<WriteOutcome>;

  /**
   * Delivers changes once and in order, in batches of complete revisions, until the returned function is called. Compactions and gaps are batches too.
   * Listeners must not throw.
   */
  onChanges(listener: (batch: ChangeBatch) => void): () => void;
  /** The process must end (disk failure, broken invariant). A full disk is no failure. */
  onFailure(listener: (error: Error) => void): () => void;

  status(): Promise<ReplicaStatus>;
  /** Resolves when another leads or after `timeoutMs`. */
  transferLeadership(timeoutMs: number): Promise<void>;
  /** Everything applied is then durable. */
  stop(): Promise<void>;
}

export type WriteOutcome =
  | { readonly outcome: 'applied'; readonly revision: Revision }
  | { readonly outcome: 'conflict'; readonly revision: Revision; readonly current: readonly (KeyValue | null)[] }
  | { readonly outcome: 'compacted'; readonly revision: Revision }
  /** Definite: nothing was or will be written. Deleting objects or freeing disk space helps. */
  | { readonly outcome: 'noSpace'; readonly reason: string }
  /** Definite: nothing was or will be written (no leader in time, queue full, stopping). */
  | { readonly outcome: 'unavailable'; readonly reason: string }
  /** Indefinite: the entry may still commit. */
  | { readonly outcome: 'unknown'; readonly reason: string };

/** Default: `growing`. `essential`: small, and needed to free space (leases of leaders). `freeing`: removes more than it writes. */
export type SpaceUse = 'growing' | 'essential' | 'freeing';

/** Room for everything, for essential and freeing writes, for freeing ones only, or for nothing. */
export type SpaceLevel = 'ample' | 'low' | 'scarce' | 'none';

export interface SpaceStatus {
  /** The value is at most a second old. */
  readonly freeBytes: number;
  readonly reserveBytes: number;
  /** Excludes reusable pages. */
  readonly storeBytes: number;
  /** 0: none. */
  readonly quotaBytes: number;
  readonly level: SpaceLevel;
  /** Why this replica refuses creates and updates. */
  readonly alarm: 'disk' | 'quota' | null;
  readonly shortMembers: readonly MemberId[];
}

export type BarrierOutcome =
  | { readonly outcome: 'reached'; readonly revision: Revision }
  | { readonly outcome: 'unavailable'; readonly reason: string };

/** Offers operators what `Replica` lacks. */
export interface ReplicaAdministration {
  /** Works on the leader only, one change at a time. A learner is promoted once it has caught up. */
  changeMembership(change: MembershipChange, timeoutMs: number): Promise<MembershipOutcome>;
  /** Copies the applied state into one self-verifying file (see `maintenance.ts`). The caller or the replica's next start removes the file. */
  snapshot(): Promise<SnapshotOutcome>;
}

export type SnapshotOutcome =
  | { readonly outcome: 'made'; readonly path: string; readonly index: LogIndex; readonly revision: Revision }
  | { readonly outcome: 'busy' }
  | { readonly outcome: 'failed'; readonly reason: string };

export type MembershipOutcome =
  | { readonly outcome: 'applied' }
  /** Definite: ask that replica instead. */
  | { readonly outcome: 'notLeader'; readonly leader: MemberId | null }
  | { readonly outcome: 'refused'; readonly reason: string }
  | { readonly outcome: 'unavailable'; readonly reason: string }
  | { readonly outcome: 'unknown'; readonly reason: string };

/** Values are views into the batch's buffer: copy small values that are kept long, or they keep the whole buffer. */
export interface ChangeBatch {
  readonly changes: readonly Change[];
  readonly revision: Revision;
  readonly compacted: Revision;
  /**
   * Changes up to `compacted` are lost, since this replica installed a snapshot after a long absence. Consumers read their state anew; changes after
   * `revision` follow.
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
  /** Above the configured one if leaders have been late. */
  readonly electionTimeoutMs: number;
  readonly leaderSilence: LeaderSilence;
  readonly space: SpaceStatus;
  readonly figures: ReplicaFigures;
  readonly peers: readonly PeerStatus[];
}

export interface PeerStatus {
  readonly id: MemberId;
  readonly connected: boolean;
  /** Null before the first reply. */
  readonly roundTripMs: number | null;
}

export interface ReplicaFigures {
  readonly logSync: DurationCounts;
  readonly elections: number;
  readonly leaderChanges: number;
  readonly proposalsWaiting: number;
  readonly proposalsRefused: number;
  readonly proposalsGivenUp: number;
  readonly snapshotsInstalled: number;
  readonly checkpointAgeMs: number;
}

export type LeaderSilence = DurationCounts;

/** The last of `counts` is above `boundsMs`. */
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
  /** Ignored if the data directory already holds a cluster. */
  readonly initialMembers: readonly Member[];
  /** Clusters with different tokens never mix, even on the same addresses. */
  readonly clusterToken: string;
  /** Null without peers. */
  readonly listenAddress: string | null;
  /** PEM file paths; required with more than one member. */
  readonly tls: { readonly caFile: string; readonly certFile: string; readonly keyFile: string } | null;
  readonly heartbeatIntervalMs: number;
  readonly electionTimeoutMs: number;
  readonly logEntriesKept: number;
  /** Absent or null: 64 MiB, or a quarter of a small file system. */
  readonly diskReserveBytes?: number | null;
  readonly quotaBytes?: number;
}
