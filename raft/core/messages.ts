import type { Entry, LogIndex, MemberId, SnapshotMeta, Term } from '../types.js';

interface Envelope {
  readonly from: MemberId;
  readonly to: MemberId;
  /** The candidate's next term for `preVote` and a granted `preVoteReply`. */
  readonly term: Term;
}

/** Each may be lost, delayed, repeated or reordered without harm. */
export type Message = Envelope & MessageBody;
export type MessageType = Message['type'];
export type MessageOf<T extends MessageType> = Message & { readonly type: T };

export type MessageBody =
  | {
      readonly type: 'preVote' | 'vote';
      readonly lastIndex: LogIndex;
      readonly lastTerm: Term;
      /** Set if the leader requested this election (dissertation, section 3.10); check-quorum leases are then ignored. */
      readonly transfer: boolean;
    }
  | { readonly type: 'preVoteReply' | 'voteReply'; readonly granted: boolean }
  | {
      readonly type: 'append';
      readonly previousIndex: LogIndex;
      readonly previousTerm: Term;
      readonly entries: readonly Entry[];
      readonly commit: LogIndex;
      /** The newest read round that a reply confirms (read index, dissertation, section 6.4). */
      readonly round: number;
    }
  | { readonly type: 'appendReply'; readonly round: number; readonly result: AppendResult }
  | { readonly type: 'installSnapshot'; readonly snapshot: SnapshotMeta }
  /** Requests a read index. `id` numbers a batch of the sender's reads from a random start, so that no reply outlives a restart. */
  | { readonly type: 'readIndex'; readonly id: number }
  /** `index` is null if the receiver was not, or did not stay, leader: ask again. */
  | { readonly type: 'readIndexReply'; readonly id: number; readonly index: LogIndex | null }
  | { readonly type: 'timeoutNow' };

export type AppendResult =
  | { readonly accepted: true; readonly match: LogIndex }
  /**
   * `rejected` is the refused `previousIndex`. The hint is the last index up to it where the follower's term is not newer than the leader's, so that whole
   * terms are skipped at once.
   */
  | { readonly accepted: false; readonly rejected: LogIndex; readonly hintIndex: LogIndex; readonly hintTerm: Term };
