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
  /** Elections start after a random number of ticks in [electionTicks, 2 * electionTicks), or in a longer range of that shape where leaders were late. */
  readonly electionTicks: number;
  /** Whole number in [0, below), from the caller's generator. */
  readonly random: (below: number) => number;
  /** Bytes of entries in one append message at most (one entry may exceed it). */
  readonly appendBytesMax: number;
  /** Append messages in flight to one follower at most. */
  readonly inflightMax: number;
  /** Bytes of entries that were appended but not committed at most; further proposals are refused. */
  readonly uncommittedBytesMax: number;
  /** Bytes of entries in one `Ready.committed` at most (one entry may exceed it); the rest follows in the next Ready. */
  readonly committedBytesMax: number;
  /** Bytes of durable, committed entries kept in memory, so that followers which are almost up to date cost no disk reads. */
  readonly tailBytesMax: number;
  readonly snapshotSource: SnapshotSource;
}

export type ProposeResult =
  | { readonly outcome: 'appended'; readonly first: LogIndex; readonly term: Term }
  /** Definite: nothing was appended. Also the answer of a leader that is handing over, then with `leader: null`. */
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
  /** The shortest wait for a leader at present: `electionTicks`, or more where leaders that were alive have been late. The longest is almost twice that. */
  readonly electionTimeoutTicks: number;
  /**
   * How many ticks from now it takes at least until one of them can have an effect, if nothing else happens; 1 or more. An owner that has nothing else to do
   * may sleep for as long and count those ticks together when it wakes up.
   */
  readonly restTicks: number;
  tick(): void;
  /** The leader is known to be gone, or never to have been there: voters campaign one after the other, the first after a tick. Does nothing on a leader. */
  campaignSoon(): void;
  /**
   * This server did not run for an election timeout or longer, and not because it waited for a processor or a disk: a leader stands down before it says
   * another word. The others have replaced it, most likely; and a word from it would teach them that leaders are late, and to wait longer for the next one.
   */
  stopped(): void;
  /**
   * The owner of this follower waits for something that a leader which is well answers at once. To be called as long as it does: idle leaders speak rarely, and
   * from here on this one is waited for as though it had spoken a usual heartbeat ago.
   */
  expectWord(): void;
  step(message: Message): void;
  /** Appends all commands, as entries `first`, `first + 1`, ... of `term`, or none. At least one. */
  propose(commands: readonly Uint8Array[]): ProposeResult;
  /** One change at a time: refused while an earlier one is uncommitted, and before the leader has committed an entry of its own term. */
  changeMembership(change: MembershipChange): ChangeResult;
  /**
   * Starts a read. The answer comes in `Ready.reads` or, after an election timeout at the latest, in `Ready.failedReads`, once, under the same id;
   * ids of reads under way are distinct. Reads share rounds.
   */
  read(id: number): void;
  /** Hands leadership over, to the most up-to-date voter if `to` is null. Proposals are refused meanwhile; given up after an election timeout. */
  transferLeadership(to: MemberId | null): void;
  /** The transport finished, or gave up, sending a snapshot. */
  reportSnapshot(to: MemberId, ok: boolean): void;
  /** The connection to a peer was lost: stop pipelining to it until it answers. */
  reportUnreachable(to: MemberId): void;
  /** null when there is nothing to do. Throws an InvariantViolation while the last Ready's `persist` or `install` is not reported as durable. */
  ready(): Ready | null;
  /** The `persist` and `install` of the last Ready are durable. Messages and ticks may come in between. */
  persisted(): void;
  applied(index: LogIndex): void;
  /** As leader: how far each follower is; null otherwise. */
  progress(): ReadonlyMap<MemberId, FollowerProgress> | null;
}

export interface FollowerProgress {
  readonly match: LogIndex;
  readonly state: 'probe' | 'replicate' | 'snapshot';
  /** Has answered within an election timeout. */
  readonly active: boolean;
  /** Ticks since its last answer. */
  readonly silentTicks: number;
}

/**
 * What a leader offers to a follower whose entries were cut: the store as it is now or its newest checkpoint, not older than the log's first entry.
 * The owner may send a newer snapshot than the one that the core announced.
 */
export type SnapshotSource = () => SnapshotMeta;
