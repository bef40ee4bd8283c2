import type { HardState, LogIndex, Member, MemberId, Membership, SnapshotMeta, Term } from '../types.js';
import type { Message } from './messages.js';
import type { LogReader, Ready, Role } from './ready.js';

/** Everything a core needs to start. Times are ticks: the caller decides how long one is. */
export interface CoreOptions {
  readonly id: MemberId;
  readonly hardState: HardState;
  /** Membership at `appliedIndex`; later membership entries of the log are found by the core itself. */
  readonly membership: Membership;
  readonly appliedIndex: LogIndex;
  readonly log: LogReader;
  readonly heartbeatTicks: number;
  /** Elections start after a random number of ticks in [electionTicks, 2 * electionTicks). */
  readonly electionTicks: number;
  /** Whole number in [0, below), from the caller's generator. */
  readonly random: (below: number) => number;
  /** Bytes of entries in one append message at most (one entry may exceed it). */
  readonly appendBytesMax: number;
  /** Append messages in flight to one follower at most. */
  readonly inflightMax: number;
  /** Bytes of entries that were appended but not committed at most; further proposals are refused. */
  readonly uncommittedBytesMax: number;
}

export type ProposeResult =
  | { readonly outcome: 'appended'; readonly first: LogIndex; readonly term: Term }
  /** Definite: nothing was appended. */
  | { readonly outcome: 'notLeader'; readonly leader: MemberId | null }
  | { readonly outcome: 'full' };

export type MembershipChange =
  | { readonly type: 'addLearner'; readonly member: Member }
  | { readonly type: 'promote'; readonly id: MemberId }
  | { readonly type: 'remove'; readonly id: MemberId };

export type ChangeResult = ProposeResult | { readonly outcome: 'refused'; readonly reason: string };

/**
 * One server's Raft state machine: messages, ticks and proposals in; `Ready` out. Pure but for reading the log:
 * equal calls in equal order give equal results. `raft/core/core.ts` implements it as `createCore(options: CoreOptions): Core`.
 */
export interface Core {
  readonly id: MemberId;
  readonly role: Role;
  readonly term: Term;
  readonly leader: MemberId | null;
  readonly commit: LogIndex;
  readonly membership: Membership;
  tick(): void;
  step(message: Message): void;
  propose(commands: readonly Uint8Array[]): ProposeResult;
  changeMembership(change: MembershipChange): ChangeResult;
  /** Starts a read. The answer comes in `Ready.reads` or `Ready.failedReads` under the same id; reads share rounds. */
  read(id: number): void;
  transferLeadership(to: MemberId | null): void;
  /** The transport finished, or gave up, sending a snapshot. */
  reportSnapshot(to: MemberId, ok: boolean): void;
  /** The connection to a peer was lost: stop pipelining to it until it answers. */
  reportUnreachable(to: MemberId): void;
  /** null when there is nothing to do. */
  ready(): Ready | null;
  /** The `persist` and `install` of the last Ready are durable. */
  persisted(): void;
  applied(index: LogIndex): void;
  /** As leader: how far each follower is; null otherwise. */
  progress(): ReadonlyMap<MemberId, { readonly match: LogIndex; readonly state: 'probe' | 'replicate' | 'snapshot'; readonly active: boolean }> | null;
}

/** What a leader must send when a follower needs entries that were cut: the store's newest checkpoint. Asked by the core through its owner. */
export type SnapshotSource = () => SnapshotMeta;
