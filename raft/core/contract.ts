import type { HardState, LogIndex, Member, MemberId, Membership, SnapshotMeta, Term } from '../types.js';
import type { Message } from './messages.js';
import type { LogReader, Ready, Role } from './ready.js';

/** Times are ticks, whose length the caller decides. */
export interface CoreOptions {
  readonly id: MemberId;
  readonly hardState: HardState;
  readonly membership: Membership;
  readonly appliedIndex: LogIndex;
  readonly log: LogReader;
  readonly heartbeatTicks: number;
  /** Elections start after random ticks in [electionTicks, 2 * electionTicks), or in a longer range if leaders were late. */
  readonly electionTicks: number;
  readonly random: (below: number) => number;
  /** A single entry may exceed it. */
  readonly appendBytesMax: number;
  readonly inflightMax: number;
  /** Further proposals are refused. */
  readonly uncommittedBytesMax: number;
  /** Bounds one `Ready.committed`; a single entry may exceed it. */
  readonly committedBytesMax: number;
  /** Durable, committed entries in memory spare disk reads for followers that are almost up to date. */
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

/** Messages, ticks and proposals in; `Ready` out. Pure except for log reads. */
export interface Core {
  readonly id: MemberId;
  readonly role: Role;
  readonly term: Term;
  readonly leader: MemberId | null;
  readonly commit: LogIndex;
  readonly membership: Membership;
  readonly electionTimeoutTicks: number;
  /** Ticks until the next effect, at least 1: an idle owner may sleep that long. */
  readonly restTicks: number;
  tick(): void;
  /** The leader is gone: voters campaign in turn, the first after a tick. */
  campaignSoon(): void;
  /**
   * This server was stopped for at least an election timeout. A leader steps down before it sends anything, as followers would otherwise learn to wait longer.
   */
  stopped(): void;
  /** Call it while a follower needs immediate answers: the wait then counts as if an idle leader had sent a usual heartbeat. */
  expectHeartbeat(): void;
  step(message: Message): void;
  /** Appends all commands, at least one, as entries `first`, `first + 1`, ... of `term`, or none. */
  propose(commands: readonly Uint8Array[]): ProposeResult;
  /** Refused while an earlier change is uncommitted, and before the leader committed an entry of its own term. */
  changeMembership(change: MembershipChange): ChangeResult;
  /** `id`, distinct among pending reads, appears once in `Ready.reads`, or in `Ready.failedReads` after at most an election timeout. Reads share rounds. */
  read(id: number): void;
  /** The default target is the most up-to-date voter. Proposals are refused meanwhile; abandoned after an election timeout. */
  transferLeadership(to: MemberId | null): void;
  reportSnapshot(to: MemberId, ok: boolean): void;
  /** Pipelining stops until the peer answers. */
  reportUnreachable(to: MemberId): void;
  /** Returns null if there is nothing to do. Throws an InvariantViolation while the last Ready's `persist` or `install` is not durable. */
  ready(): Ready | null;
  /** Messages and ticks may come between `ready` and this call. */
  persisted(): void;
  applied(index: LogIndex): void;
  /** Null unless this server leads. */
  progress(): ReadonlyMap<MemberId, FollowerProgress> | null;
}

export interface FollowerProgress {
  readonly match: LogIndex;
  readonly state: 'probe' | 'replicate' | 'snapshot';
  readonly active: boolean;
  readonly silentTicks: number;
}

/** The current store or the newest checkpoint, not older than the log's first entry. It may be newer than announced. */
export type SnapshotSource = () => SnapshotMeta;
