import type { Entry, LogIndex, Membership, Revision, SnapshotMeta, Term } from '../types.js';

/**
 * What the replicated store is: a multi-version map from keys (UTF-8 strings, compared by their bytes) to bytes, changed by transactions.
 * Every transaction that changes something takes the next revision, so one revision may cover several keys but no key twice.
 */

/** One key as it is at some revision. */
export interface KeyValue {
  readonly key: string;
  readonly value: Uint8Array;
  /** Revision that created the key since it was last absent. */
  readonly createRevision: Revision;
  /** Revision of the last change: what optimistic concurrency compares. */
  readonly modRevision: Revision;
  /** Changes since creation; 1 for a new key. */
  readonly version: number;
}

/** `modRevision` 0 means "the key is absent". */
export interface Comparison {
  readonly key: string;
  readonly modRevision: Revision;
}

export type Operation =
  { readonly type: 'put'; readonly key: string; readonly value: Uint8Array } | { readonly type: 'delete'; readonly key: string };

/** If all comparisons hold, do all operations, under one new revision; otherwise do nothing and tell the current state of the compared keys. */
export interface Transaction {
  readonly comparisons: readonly Comparison[];
  readonly operations: readonly Operation[];
}

/** What a log entry of kind `command` asks for. */
export type Command =
  | { readonly type: 'transaction'; readonly transaction: Transaction }
  /** Forget all revisions of a key that were replaced at or before `revision`; a revision not reached yet means the newest one. */
  | { readonly type: 'compact'; readonly revision: Revision };

/** Outcome of applying a command: the same on every replica. `modRevision` of a written key is `revision`. */
export type CommandResult =
  | { readonly outcome: 'applied'; readonly revision: Revision }
  /** Some comparison failed. `current` has an entry for each compared key, null where the key is absent. */
  | { readonly outcome: 'conflict'; readonly revision: Revision; readonly current: readonly (KeyValue | null)[] }
  | { readonly outcome: 'compacted'; readonly revision: Revision };

/** One change to one key, in the order of revisions. `value` is null when the key was deleted. */
export interface Change {
  readonly revision: Revision;
  readonly key: string;
  readonly value: Uint8Array | null;
  /** For a deletion: of the life that ended. */
  readonly createRevision: Revision;
}

export interface RangeOptions {
  /** First key, inclusive. */
  readonly start: string;
  /** Last key, exclusive; null for no end. */
  readonly end: string | null;
  /** The revision to read at; null for the newest applied. */
  readonly revision: Revision | null;
  /** Most keys to return; null for all. */
  readonly limit: number | null;
  /** Stop after this many bytes of values, but never before the first key; absent for no bound. For reading large ranges in pages. */
  readonly bytesMax?: number;
  /** false: `remaining` says only whether there are more keys (1) or not (0), which costs nothing; counting takes time with the number of keys. */
  readonly countRemaining?: boolean;
}

export type RangeResult =
  | {
      readonly outcome: 'found';
      readonly revision: Revision;
      readonly items: readonly KeyValue[];
      /** Keys in the range after the last one returned. */
      readonly remaining: number;
    }
  | { readonly outcome: 'compacted'; readonly compacted: Revision }
  /** The revision asked for has not been applied here yet. */
  | { readonly outcome: 'future'; readonly revision: Revision };

export type ChangesResult =
  | {
      readonly outcome: 'found';
      readonly changes: readonly Change[];
      /** Newest revision covered, also when nothing changed. */ readonly through: Revision;
    }
  | { readonly outcome: 'compacted'; readonly compacted: Revision };

/** The state machine. Deterministic: equal entries give equal stores. All calls are synchronous. */
export interface StateMachine {
  readonly appliedIndex: LogIndex;
  readonly appliedTerm: Term;
  readonly revision: Revision;
  /** Reads below this revision answer "compacted". */
  readonly compactedRevision: Revision;
  readonly membership: Membership;

  /**
   * Applies committed entries in order. Each batch is wholly inside one disk transaction, which it may share with batches before and after, and which also
   * stores the applied index, so that each entry takes effect exactly once. Reads see it at once; the file has it after `settle`.
   * Returns one result for each entry of kind `command` (null for the others) and the changes made, in order.
   * Asserts that the entries follow `appliedIndex` without a gap.
   */
  apply(entries: readonly Entry[]): { readonly results: readonly (CommandResult | null)[]; readonly changes: readonly Change[] };

  get(key: string, revision: Revision | null): RangeResult;
  range(options: RangeOptions): RangeResult;
  /** Changes after `after`, in order; complete revisions only, about `bytesMax` bytes of values at most. */
  changesSince(after: Revision, bytesMax: number): ChangesResult;

  /** Makes everything applied so far durable and returns its index: the log may be cut up to there. */
  checkpoint(): LogIndex;
  /** Commits what was applied since the last time, which is all that a process that is killed then has to apply again. */
  settle(): void;
  /** Writes a consistent copy, with its checksum, to `path` without stopping `apply`; resolves with what the copy holds. */
  snapshotTo(path: string): Promise<SnapshotMeta>;
  /** Replaces the whole content by the copy at `path`, which is verified first and then consumed. Durable on return. */
  restoreFrom(path: string, expected: SnapshotMeta): void;
  /**
   * Does one bounded slice (a few milliseconds) of housekeeping: deleting what a compaction made unreachable, giving space back to the file system.
   * True when more is left. `apply` does slices of its own; call this when idle.
   */
  maintain(): boolean;
  close(): void;
}
