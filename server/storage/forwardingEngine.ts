import type { Revision } from '../../raft/index.js';
import type { BarrierOutcome, ChangesResult, RangeOptions, RangeResult, StoreEngine, WriteOptions, WriteOutcome } from './engine.js';

/** Passes every call to another engine. Engines that add something extend it. */
export class ForwardingEngine implements StoreEngine {
  readonly #engine: StoreEngine;

  constructor(engine: StoreEngine) {
    this.#engine = engine;
  }

  write(transaction: Parameters<StoreEngine['write']>[0], options: WriteOptions): Promise<WriteOutcome> {
    return this.#engine.write(transaction, options);
  }

  barrier(timeoutMs: number): Promise<BarrierOutcome> {
    return this.#engine.barrier(timeoutMs);
  }

  current(): Revision | null {
    return this.#engine.current();
  }

  range(options: RangeOptions): Promise<RangeResult> {
    return this.#engine.range(options);
  }

  changesSince(after: Revision, bytesMax: number): Promise<ChangesResult> {
    return this.#engine.changesSince(after, bytesMax);
  }

  compact(at: Revision, timeoutMs: number): Promise<WriteOutcome> {
    return this.#engine.compact(at, timeoutMs);
  }

  onChanges(listener: Parameters<StoreEngine['onChanges']>[0]): () => void {
    return this.#engine.onChanges(listener);
  }
}
