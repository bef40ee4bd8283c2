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

/** Engines without expiry ignore the lifetime. */
export type EngineOperation = Operation & {
  readonly ttlMs?: number;
};

export interface WriteOptions {
  readonly timeoutMs: number;
  readonly use?: SpaceUse;
}

/** A refused read may succeed later. */
export const isPassing = (error: unknown): boolean => error instanceof Error && 'passing' in error && error.passing === true;

export class PassingError extends Error {
  override readonly name = 'PassingError';
  readonly passing = true;
}

/**
 * A multi-version map with one revision counter, in etcd's terms. Implementations: the replica (`raft/replicaApi.ts`), `etcd/engine.ts` and
 * `memoryEngine.ts`. Promises settle within the caller's time limit; outcomes are values that distinguish definite failures.
 */
export interface StoreEngine {
  /**
   * Executes all operations under one new revision if the compared keys have the given revisions (0: absent). Resolves once local listeners have the change,
   * unless disconnected.
   */
  write(
    transaction: { readonly comparisons: readonly Comparison[]; readonly operations: readonly EngineOperation[] },
    options: WriteOptions,
  ): Promise<WriteOutcome>;
  /** Resolves when listeners have received everything written before the call. */
  barrier(timeoutMs: number): Promise<BarrierOutcome>;
  /** Returns the revision up to which listeners have all writes anywhere; null if that needs a barrier. */
  current(): Revision | null;
  /** Reads at a revision; null for the newest that listeners have, which is never `compacted`. Rejects if unreadable (`isPassing`). */
  range(options: RangeOptions): Promise<RangeResult>;
  /** Complete revisions, about `bytesMax` bytes of values. */
  changesSince(after: Revision, bytesMax: number): Promise<ChangesResult>;
  compact(revision: Revision, timeoutMs: number): Promise<WriteOutcome>;
  /** Delivers every later change once, until the returned function is called. `gap`: changes were lost. */
  onChanges(listener: (batch: ChangeBatch) => void): () => void;
}
