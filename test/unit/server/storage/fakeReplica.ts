import type { BarrierOutcome, ChangeBatch, Replica, WriteOutcome } from '../../../../raft/replicaApi.js';
import type { Change, ChangesResult, Comparison, KeyValue, Operation, RangeOptions, RangeResult } from '../../../../raft/store/contract.js';
import { revision, type Revision } from '../../../../raft/types.js';

interface HistoryRecord {
  readonly revision: Revision;
  readonly key: string;
  readonly value: Uint8Array | null;
  readonly createRevision: Revision;
  readonly version: number;
}

/**
 * A replica without consensus: one history in memory, read by scanning. Writes take effect at once; their changes are delivered at once or by `release` after
 * `hold`, always before the write's outcome.
 */
export class FakeReplica implements Pick<Replica, 'write' | 'barrier' | 'current' | 'range' | 'changesSince' | 'onChanges' | 'compact'> {
  revision = revision(1);
  compacted = revision(0);
  barriers = 0;
  /** Replaces the success of barriers. */
  barrierFailure: BarrierOutcome | null = null;
  /** A sole replica confirms reads without its peers. */
  isSole = false;
  /** Replaces the outcome of the next write. */
  nextWrite: WriteOutcome | null = null;
  readonly #history: HistoryRecord[] = [];
  readonly #listeners = new Set<(batch: ChangeBatch) => void>();
  #held: ChangeBatch[] | null = null;
  #whenReleased: (() => void)[] = [];

  async write({
    comparisons,
    operations,
  }: {
    readonly comparisons: readonly Comparison[];
    readonly operations: readonly Operation[];
  }): Promise<WriteOutcome> {
    if (this.nextWrite !== null) {
      const outcome = this.nextWrite;
      this.nextWrite = null;
      return outcome;
    }
    const current = comparisons.map(({ key }) => this.#newest(key, this.revision));
    if (comparisons.some(({ modRevision }, index) => (current[index]?.modRevision ?? 0) !== modRevision))
      return { outcome: 'conflict', revision: this.revision, current };
    const applied = this.apply(operations);
    await this.#delivered();
    return { outcome: 'applied', revision: applied };
  }

  async barrier(): Promise<BarrierOutcome> {
    this.barriers++;
    if (this.barrierFailure !== null) return this.barrierFailure;
    const reached = this.revision;
    await this.#delivered();
    return { outcome: 'reached', revision: reached };
  }

  current(): Revision | null {
    return this.isSole && this.#held === null ? this.revision : null;
  }

  async range({ start, end, revision: at, limit, bytesMax }: RangeOptions): Promise<RangeResult> {
    if (at !== null && at > this.revision) return { outcome: 'future', revision: this.revision };
    if (at !== null && at < this.compacted) return { outcome: 'compacted', compacted: this.compacted };
    const keys = [...new Set(this.#history.map(({ key }) => key))]
      .filter((key) => compareKeys(key, start) >= 0 && (end === null || compareKeys(key, end) < 0))
      .sort(compareKeys);
    const found = keys.map((key) => this.#newest(key, at ?? this.revision)).filter((item) => item !== null);
    const items = upToBytes(found, bytesMax ?? Infinity).slice(0, limit ?? undefined);
    return { outcome: 'found', revision: at ?? this.revision, items, remaining: found.length - items.length };
  }

  async changesSince(after: Revision, bytesMax: number): Promise<ChangesResult> {
    if (after < this.compacted) return { outcome: 'compacted', compacted: this.compacted };
    const all = this.#history.filter((record) => record.revision > after);
    const last = upToBytes(all, bytesMax).at(-1)?.revision ?? this.revision;
    const changes = all.filter((record) => record.revision <= last);
    return { outcome: 'found', changes, through: changes.length === all.length ? this.revision : last };
  }

  onChanges(listener: (batch: ChangeBatch) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async compact(at: Revision): Promise<WriteOutcome> {
    if (at <= this.compacted) return { outcome: 'compacted', revision: this.revision };
    this.compacted = revision(Math.min(at, this.revision));
    this.#deliver({ changes: [], revision: this.revision, compacted: this.compacted, gap: false });
    return { outcome: 'applied', revision: this.revision };
  }

  /** Applies operations as another replica's write. */
  apply(operations: readonly Operation[]): Revision {
    const effective = operations.filter(({ type, key }) => type === 'put' || this.#newest(key, this.revision) !== null);
    this.revision = revision(this.revision + 1);
    const changes = effective.map((operation) => this.#record(operation));
    // One buffer for the whole batch, as in the real one.
    const batch = Buffer.concat(changes.map(({ value }) => value ?? Buffer.alloc(0)));
    let offset = 0;
    const views = changes.map((change): Change => ({
      ...change,
      value: change.value === null ? null : batch.subarray(offset, (offset += change.value.length)),
    }));
    this.#deliver({ changes: views, revision: this.revision, compacted: this.compacted, gap: false });
    return this.revision;
  }

  /** Restores a snapshot of another, compacted history, whose changes are unknown. */
  restore(
    states: readonly { readonly key: string; readonly value: Uint8Array; readonly revision: number }[],
    { newest, compacted }: { readonly newest: number; readonly compacted: number },
  ): void {
    this.revision = revision(newest);
    this.compacted = revision(compacted);
    this.#history.length = 0;
    for (const state of states)
      this.#history.push({
        key: state.key,
        value: state.value,
        revision: revision(state.revision),
        createRevision: revision(state.revision),
        version: 1,
      });
    this.#deliver({ changes: [], revision: this.revision, compacted: this.compacted, gap: true });
  }

  /** Delivers nothing until `release`. */
  hold(): void {
    this.#held = [];
  }

  release(): void {
    const held = this.#held ?? [];
    this.#held = null;
    for (const batch of held) this.#deliver(batch);
    for (const resolve of this.#whenReleased.splice(0)) resolve();
  }

  #deliver(batch: ChangeBatch): void {
    if (this.#held !== null) {
      this.#held.push({
        ...batch,
        changes: batch.changes.map((change) => ({ ...change, value: change.value === null ? null : Buffer.from(change.value) })),
      });
      return;
    }
    for (const listener of this.#listeners) listener(batch);
  }

  #delivered(): Promise<void> {
    return this.#held === null ? Promise.resolve() : new Promise((resolve) => this.#whenReleased.push(resolve));
  }

  #record(operation: Operation): HistoryRecord {
    const before = this.#newest(operation.key, this.revision);
    const record = {
      revision: this.revision,
      key: operation.key,
      value: operation.type === 'put' ? operation.value : null,
      createRevision: before?.createRevision ?? this.revision,
      version: (before?.version ?? 0) + 1,
    };
    this.#history.push(record);
    return record;
  }

  #newest(key: string, at: Revision): KeyValue | null {
    const found = this.#history.findLast((record) => record.key === key && record.revision <= at);
    if (found === undefined || found.value === null) return null;
    return { key, value: found.value, createRevision: found.createRevision, modRevision: found.revision, version: found.version };
  }
}

/** By UTF-8 bytes. */
const compareKeys = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

/** The first items, up to this total size of values. */
function upToBytes<T extends { readonly value: Uint8Array | null }>(all: readonly T[], bytesMax: number): T[] {
  let bytes = 0;
  return all.filter(({ value }) => {
    const room = bytes < bytesMax;
    bytes += value?.length ?? 0;
    return room;
  });
}
