import type { Entry, HardState, LogIndex, MemberId, SnapshotMeta, Term } from '../types.js';
import type { Message } from './messages.js';

export type Role = 'follower' | 'preCandidate' | 'candidate' | 'leader';

/**
 * The actions that the core requests, in this order:
 *
 *   1. send `immediate`          (a leader's appends may travel while its own disk syncs: dissertation, section 10.2.1)
 *   2. if `install` is set, swap in the received snapshot; make `persist` durable in one transaction, then call `core.persisted()`
 *   3. send `afterSync`          (votes and acknowledgements speak of what is now durable)
 *   4. apply `committed` in order, then call `core.applied(index)`
 *   5. answer `reads` and `failedReads`; publish `state`
 *
 * A Ready is carried out completely before the next one is requested.
 */
export interface Ready {
  readonly immediate: readonly Message[];
  readonly install: SnapshotMeta | null;
  readonly persist: Persist | null;
  readonly afterSync: readonly Message[];
  readonly committed: readonly Entry[];
  readonly reads: readonly { readonly id: number; readonly index: LogIndex }[];
  /** Definite: nothing was read; ask again. */
  readonly failedReads: readonly number[];
  readonly state: { readonly role: Role; readonly term: Term; readonly leader: MemberId | null } | null;
}

/** Entries from `entries[0].index` on replace those of the log. */
export interface Persist {
  readonly hardState: HardState | null;
  readonly entries: readonly Entry[];
}

/** Reads outside [firstIndex, lastIndex] are programming errors. */
export interface LogReader {
  /** The oldest held entry; lastIndex + 1 if there is none. */
  readonly firstIndex: LogIndex;
  readonly lastIndex: LogIndex;
  /** Includes firstIndex - 1 (the snapshot point); null if compacted or not yet there. */
  termAt(index: LogIndex): Term | null;
  /** Inclusive; cut after `bytesMax` bytes of data but never before the first one. */
  entries(from: LogIndex, to: LogIndex, bytesMax: number): Entry[];
}
