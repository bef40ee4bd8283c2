import type { BarrierOutcome, MembershipOutcome, ReplicaStatus, SnapshotOutcome, WriteOutcome } from '../replicaApi.js';
import type { Change, ChangesResult, RangeResult } from '../store/contract.js';
import type { Log } from '../transport/contract.js';
import type { Revision } from '../types.js';

/** Changes come before the outcome of their proposal, and everything applied before a barrier that it satisfies. Calls collect; `flush` delivers. */
export interface ReplicaSink {
  readonly log: Log;
  readonly unreadBytes: number;
  changes(changes: readonly Change[], revision: Revision, store: { readonly compacted: Revision }): void;
  gap(revision: Revision, store: { readonly compacted: Revision }): void;
  written(sequence: number, outcome: WriteOutcome): void;
  barrier(id: number, outcome: BarrierOutcome): void;
  range(id: number, result: RangeResult): void;
  changesSince(id: number, result: ChangesResult): void;
  status(id: number, status: ReplicaStatus): void;
  membership(id: number, outcome: MembershipOutcome): void;
  snapshot(id: number, outcome: SnapshotOutcome): void;
  done(id: number): void;
  failed(error: Error): void;
  flush(): void;
}
