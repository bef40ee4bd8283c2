import type { Entry, HardState, LogIndex, MemberId, SnapshotMeta, Term } from '../types.js';
import type { Message } from './messages.js';

export type Role = 'follower' | 'preCandidate' | 'candidate' | 'leader';

/**
 * What the core wants done, in this order:
 *
 *   1. send `immediate`          (a leader's appends may travel while its own disk syncs: dissertation, section 10.2.1)
 *   2. if `install` is set, swap in the received snapshot; make `persist` durable in one transaction, then call `core.persisted()`
 *   3. send `afterSync`          (votes, acknowledgements: they speak of what is now durable)
 *   4. apply `committed` in order, then call `core.applied(index)`
 *   5. answer `reads` and `failedReads`; publish `state`
 *
 * The whole of a Ready is carried out before the next one is asked for.
 */
export interface Ready {
  readonly immediate: readonly Message[];
  readonly install: SnapshotMeta | null;
  readonly persist: Persist | null;
  readonly afterSync: readonly Message[];
  readonly committed: readonly Entry[];
  /** Reads that may be served once this server has applied `index`. */
  readonly reads: readonly { readonly id: number; readonly index: LogIndex }[];
  /** Reads whose leadership could not be confirmed. Definite: nothing was read; ask again. */
  readonly failedReads: readonly number[];
  /** Present when any member of it changed since the last Ready. */
  readonly state: { readonly role: Role; readonly term: Term; readonly leader: MemberId | null } | null;
}

/** One durable step. Entries from `entries[0].index` on replace whatever the log held there. */
export interface Persist {
  readonly hardState: HardState | null;
  readonly entries: readonly Entry[];
}

/** The log as the core reads it: synchronous, from memory or from disk. Reads outside [firstIndex, lastIndex] are programming errors. */
export interface LogReader {
  /** Index of the oldest entry that is still held; lastIndex + 1 when none is. */
  readonly firstIndex: LogIndex;
  readonly lastIndex: LogIndex;
  /** Term of the entry at `index`, also at firstIndex - 1 (the snapshot point); null when it is gone or not there yet. */
  termAt(index: LogIndex): Term | null;
  /** Entries from `from` to `to` inclusive, cut after `bytesMax` bytes of data but never before the first one. */
  entries(from: LogIndex, to: LogIndex, bytesMax: number): Entry[];
}
