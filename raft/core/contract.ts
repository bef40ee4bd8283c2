import type { HardState, LogIndex, Member, MemberId, Membership, SnapshotMeta, Term } from '../types.js';
import type { Message } from './messages.js';
import type { LogReader, Ready, Role } from './ready.js';

/** Times are ticks, whose length the caller decides. */
export interface CoreOptions {
  readonly id: MemberId;
  readonly hardState: HardState;
  /** Membership at `appliedIndex`; the log has later ones. */
  readonly membership: Membership;
  readonly appliedIndex: LogIndex;
  readonly log: LogReader;
  readonly heartbeatTicks: number;
  /** Elections start after random ticks in [electionTicks, 2 * electionTicks), or in a longer such range if leaders were late. */
  readonly electionTicks: number;
  /** Returns an integer in [0, below). */
  readonly random: (below: number) => number;
  /** Bounds the entries in one append message (a single entry may exceed it). */
  readonly appendBytesMax: number;
  /** Bounds the append messages in flight to one follower. */
  readonly inflightMax: number;
  /** Bounds appended but uncommitted entries; further proposals are refused. */
  readonly uncommittedBytesMax: number;
  /** Bounds one `Ready.committed` (a single entry may exceed it); the rest follows in the next. */
  readonly committedBytesMax: number;
  /** Bounds durable, committed entries in memory, which spare disk reads for followers that are almost up to date. */
  readonly tailBytesMax: number;
  readonly snapshotSource: SnapshotSource;
}

export type ProposeResult =
  | { readonly outcome: 'appended'; readonly first: LogIndex; readonly term: Term }
  /** Definite: nothing was appended. `leader` is null during a transfer. */
  | { readonly outcome: 'notLeader'; readonly leader: MemberId | null }
  | { readonly outcome: 'full' };

export type MembershipChange =
  | { readonly type: 'addLearner'; readonly member: Member }
  | { readonly type: 'promote'; readonly id: MemberId }
  | { readonly type: 'remove'; readonly id: MemberId };

export type ChangeResult = ProposeResult | { readonly outcome: 'refused'; readonly reason: string };

/** One server's Raft state machine: messages, ticks and proposals in; `Ready` out. Pure except for log reads. */
export interface Core {
  readonly id: MemberId;
  readonly role: Role;
  readonly term: Term;
  readonly leader: MemberId | null;
  readonly commit: LogIndex;
  readonly membership: Membership;
  /** The shortest wait for a leader, at least `electionTicks`; the longest is almost twice that. */
  readonly electionTimeoutTicks: number;
  /** Ticks until one can have an effect, if nothing else happens; at least 1. An idle owner may sleep that long and count those ticks together. */
  readonly restTicks: number;
  tick(): void;
  /** The leader is gone or never existed: voters campaign in turn, the first after a tick. Does nothing on a leader. */
  campaignSoon(): void;
  /**
   * This server was stopped for an election timeout or longer, not delayed by a processor or a disk: a leader steps down before it sends anything. It has
   * probably been replaced, and its message would teach others to wait longer for late leaders.
   */
  stopped(): void;
  /**
   * The owner of this follower needs an immediate answer. Call it as long as that holds: idle leaders send rarely, and from now on the wait counts as if the
   * leader had sent a usual heartbeat ago.
   */
  expectWord(): void;
  step(message: Message): void;
  /** Appends all commands, at least one, as entries `first`, `first + 1`, ... of `term`, or none. */
  propose(commands: readonly Uint8Array[]): ProposeResult;
  /** Refused while an earlier change is uncommitted, and before the leader committed an entry of its own term. */
  changeMembership(change: MembershipChange): ChangeResult;
  /**
   * Starts a read. Its id, distinct among pending reads, appears once in `Ready.reads`, or in `Ready.failedReads` after an election timeout at the latest.
   * Reads share rounds.
   */
  read(id: number): void;
  /** The default target is the most up-to-date voter. Proposals are refused meanwhile; abandoned after an election timeout. */
  transferLeadership(to: MemberId | null): void;
  reportSnapshot(to: MemberId, ok: boolean): void;
  /** A peer's connection was lost: pipelining stops until the peer answers. */
  reportUnreachable(to: MemberId): void;
  /** Returns null if there is nothing to do. Throws an InvariantViolation while the last Ready's `persist` or `install` is not reported as durable. */
  ready(): Ready | null;
  /** The last Ready's `persist` and `install` are durable; messages and ticks may come in between. */
  persisted(): void;
  applied(index: LogIndex): void;
  /** Null unless this server leads. */
  progress(): ReadonlyMap<MemberId, FollowerProgress> | null;
}

export interface FollowerProgress {
  readonly match: LogIndex;
  readonly state: 'probe' | 'replicate' | 'snapshot';
  /** Whether it answered within an election timeout. */
  readonly active: boolean;
  readonly silentTicks: number;
}

/**
 * The store that a leader offers when a follower's entries were compacted: the current one or the newest checkpoint, not older than the log's first entry. It
 * may be newer than announced.
 */
export type SnapshotSource = () => SnapshotMeta;
