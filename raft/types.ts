/** Names follow the Raft paper (Ongaro and Ousterhout, 2014) and Ongaro's dissertation. */

declare const brand: unique symbol;
type Branded<T, B extends string> = T & { readonly [brand]: B };

/** Starts at 0 and never decreases. */
export type Term = Branded<number, 'Term'>;
/** The first entry has index 1; 0 means "before the log". */
export type LogIndex = Branded<number, 'LogIndex'>;
/**
 * The store's version counter: grows by one for each effective transaction. It has 64 bits on disk; in memory it must stay below 2^53 (at a million changes a
 * second,
 * 285 years).
 */
export type Revision = Branded<number, 'Revision'>;
/** Never reused once its disk is lost or it was removed. */
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

/** `data` is opaque except for membership entries. */
export interface Entry {
  readonly index: LogIndex;
  readonly term: Term;
  readonly kind: EntryKind;
  readonly data: Uint8Array;
}

/** A learner receives the log and counts for no quorum. */
export type MemberRole = 'voter' | 'learner';

export interface Member {
  readonly id: MemberId;
  readonly role: MemberRole;
  readonly address: string;
}

/** Sorted by id; `removed` are identities that may never join again. */
export interface Membership {
  readonly members: readonly Member[];
  readonly removed: readonly MemberId[];
}

/** Raft, figure 2, "persistent state". */
export interface HardState {
  readonly term: Term;
  readonly vote: MemberId | null;
  /** It may lag, and only serves to apply sooner after a restart. */
  readonly commit: LogIndex;
}

export interface SnapshotMeta {
  readonly index: LogIndex;
  readonly term: Term;
  readonly membership: Membership;
}
