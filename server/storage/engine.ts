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
  /** Definite: the engine will not take this write, whoever asks and whenever. `reason` is for the client. */
  | { readonly outcome: 'rejected'; readonly reason: string };

/** An operation that may say how long what it puts is kept; an engine that does not expire keys by itself takes no notice of it. */
export type EngineOperation = Operation & {
  /** The key goes by itself so long after this write, in milliseconds, or somewhat later. */
  readonly ttlMs?: number;
};

export interface WriteOptions {
  readonly timeoutMs: number;
  /** What it means where space runs out, for engines that look after that themselves. */
  readonly use?: SpaceUse;
}

/** Whether a read that was refused may be answered later, by the same engine and without anybody's doing. */
export const isPassing = (error: unknown): boolean => error instanceof Error && 'passing' in error && error.passing === true;

/** A read that may be answered later. */
export class PassingError extends Error {
  override readonly name = 'PassingError';
  readonly passing = true;
}

/**
 * What keeps keys and values under the watch cache: a multi-version map with one counter of revisions, in etcd's terms. Three make it: the replica
 * inside this process (`raft/replica-api.ts`), an etcd beside it (`etcd/engine.ts`), and its memory (`memoryEngine.ts`). Every promise settles within the caller's time limit; outcomes are values
 * and say whether a failure is definite.
 */
export interface StoreEngine {
  /**
   * If the compared keys are at the modification revisions told (0: absent), does all operations under one new revision. Resolves once the change has been
   * handed to `onChanges` listeners here, or would have been if this server were not cut off.
   */
  write(
    transaction: { readonly comparisons: readonly Comparison[]; readonly operations: readonly EngineOperation[] },
    options: WriteOptions,
  ): Promise<WriteOutcome>;
  /** Linearizable read barrier: when it resolves, listeners have been told of all that was written when it was asked for. */
  barrier(options: { readonly timeoutMs: number }): Promise<BarrierOutcome>;
  /** The revision up to which listeners have been told all that was written anywhere, where that is certain without a barrier; null where it is not. */
  current(): Revision | null;
  /** Reads at a revision; null for the newest one that listeners have been told of, which is never answered with `compacted`. Rejects where it cannot be read (`isPassing`). */
  range(options: RangeOptions): Promise<RangeResult>;
  /** Changes after a revision, in order; complete revisions only, about `bytesMax` bytes of values at most. */
  changesSince(after: Revision, options: { readonly bytesMax: number }): Promise<ChangesResult>;
  /** Forgets revisions replaced at or before this one. */
  compact(revision: Revision, options: { readonly timeoutMs: number }): Promise<WriteOutcome>;
  /** Every change from now on, complete, once and in order. A batch that has `gap` set says that some cannot be told. Returns the call that stops it. */
  onChanges(listener: (batch: ChangeBatch) => void): () => void;
}
