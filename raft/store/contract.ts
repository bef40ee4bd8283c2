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
  /** Optimistic concurrency compares it. */
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
  | { readonly type: 'put'; readonly key: string; readonly value: Uint8Array }
  | { readonly type: 'delete'; readonly key: string };

/** Does all operations under one new revision if all comparisons hold. */
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
  /** `current` has an entry for each compared key, null for an absent one. */
  | { readonly outcome: 'conflict'; readonly revision: Revision; readonly current: readonly (KeyValue | null)[] }
  | { readonly outcome: 'compacted'; readonly revision: Revision };

/** `value` is null for a deletion. */
export interface Change {
  readonly revision: Revision;
  readonly key: string;
  readonly value: Uint8Array | null;
  readonly createRevision: Revision;
}

export interface RangeOptions {
  /** Inclusive. */
  readonly start: string;
  /** Exclusive; null for no end. */
  readonly end: string | null;
  readonly revision: Revision | null;
  readonly limit: number | null;
  /** Bytes of values, but never before the first key; unbounded by default. */
  readonly bytesMax?: number;
  /** If false, `remaining` is 1 or 0, at no cost. */
  readonly countRemaining?: boolean;
}

export type RangeResult =
  | {
      readonly outcome: 'found';
      readonly revision: Revision;
      readonly items: readonly KeyValue[];
      readonly remaining: number;
    }
  | { readonly outcome: 'compacted'; readonly compacted: Revision }
  | { readonly outcome: 'future'; readonly revision: Revision };

export type ChangesResult =
  | {
      readonly outcome: 'found';
      readonly changes: readonly Change[];
      readonly through: Revision;
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
   * Applies committed entries. One disk transaction holds a batch and the applied index, so each entry takes effect exactly once. Reads see it at once, the
   * file after `settle`. Results are null for entries without a command. Asserts that entries follow `appliedIndex` without a gap.
   */
  apply(entries: readonly Entry[]): { readonly results: readonly (CommandResult | null)[]; readonly changes: readonly Change[] };

  get(key: string, revision: Revision | null): RangeResult;
  range(options: RangeOptions): RangeResult;
  /** Complete revisions only, at most about `bytesMax` bytes of values. */
  changesSince(after: Revision, bytesMax: number): ChangesResult;

  /** Makes everything applied durable and returns its index: the log may be cut up to there. */
  checkpoint(): LogIndex;
  /** A killed process has to apply only later entries again. */
  settle(): void;
  /** Does not stop `apply`. */
  snapshotTo(path: string): Promise<SnapshotMeta>;
  /** Verifies and consumes the copy at `path`. Durable on return. */
  restoreFrom(path: string, expected: SnapshotMeta): void;
  /** Does a few milliseconds of housekeeping; true if more is left. `apply` includes some; call this when idle. */
  maintain(): boolean;
  close(): void;
}
