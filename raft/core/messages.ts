import type { Entry, LogIndex, MemberId, SnapshotMeta, Term } from '../types.js';

interface Envelope {
  readonly from: MemberId;
  readonly to: MemberId;
  /** The sender's term; for `preVote`, the term that the sender would campaign in. */
  readonly term: Term;
}

/** What servers say to each other. Every message may be lost, delayed, repeated or overtaken without harm. */
export type Message = Envelope & MessageBody;

export type MessageBody =
  | { readonly type: 'preVote' | 'vote'; readonly lastIndex: LogIndex; readonly lastTerm: Term;
      /** Set when the leader itself asked for this election (dissertation, section 3.10); check-quorum leases are then ignored. */
      readonly transfer: boolean }
  | { readonly type: 'preVoteReply' | 'voteReply'; readonly granted: boolean }
  | { readonly type: 'append'; readonly previousIndex: LogIndex; readonly previousTerm: Term; readonly entries: readonly Entry[]; readonly commit: LogIndex;
      /** The newest read round that this message confirms when it is answered (read index, dissertation, section 6.4). */
      readonly round: number }
  | { readonly type: 'appendReply'; readonly round: number; readonly result: AppendResult }
  /** Offers a snapshot. Its bytes travel beside this message, by the transport; the core sees only the announcement. */
  | { readonly type: 'installSnapshot'; readonly snapshot: SnapshotMeta }
  | { readonly type: 'readIndex'; readonly id: number }
  /** `index` is null when the receiver was not, or did not stay, leader: ask again. */
  | { readonly type: 'readIndexReply'; readonly id: number; readonly index: LogIndex | null }
  | { readonly type: 'timeoutNow' };

export type AppendResult =
  | { readonly accepted: true; readonly match: LogIndex }
  /** Back-off hint: the follower's term at the conflict and the first index it may hold of it, so that a term is skipped in one step. */
  | { readonly accepted: false; readonly rejected: LogIndex; readonly hintIndex: LogIndex; readonly hintTerm: Term };
