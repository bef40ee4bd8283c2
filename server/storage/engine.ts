import type {
  BarrierOutcome,
  Change,
  ChangeBatch,
  ChangesResult,
  Comparison,
  KeyValue,
  Operation,
  RangeOptions,
  RangeResult,
  Revision,
  SpaceUse,
  WriteOutcome as ReplicaOutcome,
} from '../../raft/index.js';

export type { BarrierOutcome, Change, ChangeBatch, ChangesResult, Comparison, KeyValue, Operation, RangeOptions, RangeResult };

export type WriteOutcome =
  | ReplicaOutcome
  /** Definite and permanent. `reason` is for the client. */
  | { readonly outcome: 'rejected'; readonly reason: string };

/** An operation with an optional lifetime, which engines without expiry ignore. */
export type EngineOperation = Operation & {
  /** The key is removed this many milliseconds after the write, or somewhat later. */
  readonly ttlMs?: number;
};

export interface WriteOptions {
  readonly timeoutMs: number;
  /** Its importance when space runs out, for engines that manage space. */
  readonly use?: SpaceUse;
}

/** Returns whether a refused read may succeed later, on the same engine and without intervention. */
export const isPassing = (error: unknown): boolean => error instanceof Error && 'passing' in error && error.passing === true;

export class PassingError extends Error {
  override readonly name = 'PassingError';
  readonly passing = true;
}

/**
 * The store of keys and values below the watch cache: a multi-version map with one revision counter, in etcd's terms. Three implementations exist: the
 * in-process replica (`raft/replica-api.ts`), an external etcd (`etcd/engine.ts`), and memory (`memoryEngine.ts`). Every promise settles within the caller's
 * time limit; outcomes are values that distinguish definite failures.
 */
export interface StoreEngine {
  /**
   * If the compared keys are at the given modification revisions (0: absent), does all operations under one new revision. Resolves once local `onChanges`
   * listeners have the change, or would have it without a disconnection.
   */
  write(
    transaction: { readonly comparisons: readonly Comparison[]; readonly operations: readonly EngineOperation[] },
    options: WriteOptions,
  ): Promise<WriteOutcome>;
  /** Linearizable read barrier: resolves when listeners have received everything written before the call. */
  barrier(options: { readonly timeoutMs: number }): Promise<BarrierOutcome>;
  /** The revision up to which listeners have received everything written anywhere, if that is certain without a barrier; else null. */
  current(): Revision | null;
  /** Reads at a revision; null for the newest that listeners received, which never returns `compacted`. Rejects if unreadable (`isPassing`). */
  range(options: RangeOptions): Promise<RangeResult>;
  /** Returns complete revisions only, in order, at most about `bytesMax` bytes of values. */
  changesSince(after: Revision, options: { readonly bytesMax: number }): Promise<ChangesResult>;
  compact(revision: Revision, options: { readonly timeoutMs: number }): Promise<WriteOutcome>;
  /** Delivers every later change, complete, once and in order. A batch with `gap` means lost changes. Returns the function that stops it. */
  onChanges(listener: (batch: ChangeBatch) => void): () => void;
}
