/**
 * The vocabulary of `raft/`: terms, indexes, revisions, members and log entries. Names follow the Raft paper (Ongaro and Ousterhout, 2014) and Ongaro's
 * dissertation.
 */

declare const brand: unique symbol;
type Branded<T, B extends string> = T & { readonly [brand]: B };

/** A Raft term: an integer that starts at 0 and never decreases. */
export type Term = Branded<number, 'Term'>;
/** A position in the log. The first entry has index 1; 0 means "before the log". */
export type LogIndex = Branded<number, 'LogIndex'>;
/**
 * The store's version counter: grows by one for each effective transaction. It has 64 bits on disk; in memory it must stay below 2^53 (at a million changes a
 * second,
 * 285 years).
 */
export type Revision = Branded<number, 'Revision'>;
/** A replica's name, which is never reused once its disk is lost or it was removed. */
export type MemberId = Branded<string, 'MemberId'>;

export const term = (value: number): Term => wholeNumber(value, 'term') as Term;
export const logIndex = (value: number): LogIndex => wholeNumber(value, 'log index') as LogIndex;
export const revision = (value: number): Revision => wholeNumber(value, 'revision') as Revision;

/** Accepts 1 to 63 characters of `a-z`, `0-9`, `-` and `.`; otherwise throws a RangeError. */
export function memberId(value: string): MemberId {
  if (!/^[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?$/.test(value)) {
    throw new RangeError(
      `member id ${JSON.stringify(value)} must be 1 to 63 characters of a-z, 0-9, "-" and ".", and start and end with a letter or digit`,
    );
  }
  return value as MemberId;
}

function wholeNumber(value: number, what: string): number {
  if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`${what} ${value} is not a whole number from 0 to 2^53 - 1`);
  return value;
}

export type EntryKind = 'noop' | 'command' | 'membership';

/** `data` is opaque to the core except for membership entries (`encodeMembership`). */
export interface Entry {
  readonly index: LogIndex;
  readonly term: Term;
  readonly kind: EntryKind;
  readonly data: Uint8Array;
}

/** A voter counts for every quorum; a learner receives the log and counts for none. */
export type MemberRole = 'voter' | 'learner';

export interface Member {
  readonly id: MemberId;
  readonly role: MemberRole;
  readonly address: string;
}

/** The members at one index of the log, sorted by id; `removed` are identities that may never join again. */
export interface Membership {
  readonly members: readonly Member[];
  readonly removed: readonly MemberId[];
}

/** State that survives restarts besides entries (Raft, figure 2, "persistent state"). */
export interface HardState {
  readonly term: Term;
  /** The candidate that received this server's vote in `term`, or null. */
  readonly vote: MemberId | null;
  /** The commit index known so far. It may lag, and only serves to apply sooner after a restart. */
  readonly commit: LogIndex;
}

export interface SnapshotMeta {
  readonly index: LogIndex;
  readonly term: Term;
  readonly membership: Membership;
}
