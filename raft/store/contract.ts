import type { Entry, LogIndex, Membership, Revision, SnapshotMeta, Term } from '../types.js';

/**
 * The replicated store is a multi-version map from keys (UTF-8 strings, compared by their bytes) to bytes, changed by transactions. Every effective transaction
 * takes the next revision, which may cover several keys, but no key twice.
 */

export interface KeyValue {
  readonly key: string;
  readonly value: Uint8Array;
  /** Changes when an absent key is created again. */
  readonly createRevision: Revision;
  /** The revision of the last change, which optimistic concurrency compares. */
  readonly modRevision: Revision;
  /** Changes since creation; 1 for a new key. */
  readonly version: number;
}

/** `modRevision` 0 means absent. */
export interface Comparison {
  readonly key: string;
  readonly modRevision: Revision;
}

export type Operation =
  { readonly type: 'put'; readonly key: string; readonly value: Uint8Array } | { readonly type: 'delete'; readonly key: string };

/** If all comparisons hold, does all operations under one new revision; otherwise returns the current state of the compared keys. */
export interface Transaction {
  readonly comparisons: readonly Comparison[];
  readonly operations: readonly Operation[];
}

export type Command =
  | { readonly type: 'transaction'; readonly transaction: Transaction }
  /** Forgets all revisions of a key that were replaced at or before `revision`; a future revision means the newest one. */
  | { readonly type: 'compact'; readonly revision: Revision };

/** Equal on every replica. `modRevision` of a written key is `revision`. */
export type CommandResult =
  | { readonly outcome: 'applied'; readonly revision: Revision }
  /** A comparison failed. `current` has an entry for each compared key, null for an absent one. */
  | { readonly outcome: 'conflict'; readonly revision: Revision; readonly current: readonly (KeyValue | null)[] }
  | { readonly outcome: 'compacted'; readonly revision: Revision };

/** `value` is null for a deletion. */
export interface Change {
  readonly revision: Revision;
  readonly key: string;
  readonly value: Uint8Array | null;
  /** A deletion has that of the ended life. */
  readonly createRevision: Revision;
}

export interface RangeOptions {
  /** Inclusive. */
  readonly start: string;
  /** Exclusive; null for no end. */
  readonly end: string | null;
  readonly revision: Revision | null;
  readonly limit: number | null;
  /** Stops after this many bytes of values, but never before the first key; unbounded by default. Serves to read large ranges in pages. */
  readonly bytesMax?: number;
  /** If false, `remaining` is 1 or 0 for more keys or none, at no cost; counting takes time by the number of keys. */
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
  | { readonly outcome: 'future'; readonly revision: Revision };

export type ChangesResult =
  | {
      readonly outcome: 'found';
      readonly changes: readonly Change[];
      /** The newest revision covered, even without changes. */ readonly through: Revision;
    }
  | { readonly outcome: 'compacted'; readonly compacted: Revision };

/** Deterministic: equal entries give equal stores. All calls are synchronous. */
export interface StateMachine {
  readonly appliedIndex: LogIndex;
  readonly appliedTerm: Term;
  readonly revision: Revision;
  readonly compactedRevision: Revision;
  readonly membership: Membership;

  /**
   * Applies committed entries in order. Each batch is wholly inside one disk transaction, which other batches may share and which also stores the applied
   * index, so that each entry takes effect exactly once. Reads see it at once; the file has it after `settle`. Returns one result per `command` entry (null for
   * others) and the changes, in order. Asserts that the entries follow `appliedIndex` without a gap.
   */
  apply(entries: readonly Entry[]): { readonly results: readonly (CommandResult | null)[]; readonly changes: readonly Change[] };

  get(key: string, revision: Revision | null): RangeResult;
  range(options: RangeOptions): RangeResult;
  /** Returns changes after `after`, in order; complete revisions only, at most about `bytesMax` bytes of values. */
  changesSince(after: Revision, bytesMax: number): ChangesResult;

  /** Makes everything applied durable and returns its index: the log may be cut up to there. */
  checkpoint(): LogIndex;
  /** Commits what was applied since the last call; a killed process has to apply only later entries again. */
  settle(): void;
  /** Writes a consistent copy with its checksum without stopping `apply`. */
  snapshotTo(path: string): Promise<SnapshotMeta>;
  /** Replaces the whole content by the copy at `path`, which is first verified and then consumed. Durable on return. */
  restoreFrom(path: string, expected: SnapshotMeta): void;
  /**
   * Does one slice (a few milliseconds) of housekeeping: deletes compacted rows, returns space to the file system. Returns true if more is left. `apply` does
   * its own slices; call this when idle.
   */
  maintain(): boolean;
  close(): void;
}
