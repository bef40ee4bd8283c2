import type { Revision } from '../../raft/index.js';
import type { GroupResource } from '../../api/resource.js';
import type { ChangesResult, RangeOptions, RangeResult, StoreEngine, WriteOptions, WriteOutcome } from './engine.js';
import type { KeySpace } from './keys.js';

export type StoreOperation = 'create' | 'update' | 'delete' | 'get' | 'list';

/** A conflict is a success. */
export type StoreTimes = (
  operation: StoreOperation,
  resource: GroupResource,
  asked: { readonly seconds: number; readonly failed: boolean },
) => void;

/** Times reads and writes of objects, attributed to the first. */
export class MeasuredEngine implements StoreEngine {
  readonly #engine: StoreEngine;
  readonly #keys: KeySpace;
  readonly #times: StoreTimes;

  constructor(engine: StoreEngine, keys: KeySpace, times: StoreTimes) {
    this.#engine = engine;
    this.#keys = keys;
    this.#times = times;
  }

  async write(transaction: Parameters<StoreEngine['write']>[0], options: WriteOptions): Promise<WriteOutcome> {
    const [first] = transaction.operations;
    const begun = performance.now();
    const outcome = await this.#engine.write(transaction, options);
    if (first === undefined) return outcome;
    const isNew = transaction.comparisons.some(({ key, modRevision }) => key === first.key && modRevision === 0);
    const operation = first.type === 'delete' ? 'delete' : isNew ? 'create' : 'update';
    this.#tell(operation, first.key, begun, outcome.outcome !== 'applied' && outcome.outcome !== 'conflict');
    return outcome;
  }

  async range(options: RangeOptions): Promise<RangeResult> {
    const begun = performance.now();
    const result = await this.#engine.range(options);
    this.#tell(options.limit === 1 ? 'get' : 'list', options.start, begun, result.outcome !== 'found');
    return result;
  }

  barrier(timeoutMs: number): ReturnType<StoreEngine['barrier']> {
    return this.#engine.barrier(timeoutMs);
  }

  current(): Revision | null {
    return this.#engine.current();
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

  #tell(operation: StoreOperation, key: string, begun: number, failed: boolean): void {
    const found = this.#keys.find(key.endsWith('/') ? `${key}*` : key);
    if (found !== null) this.#times(operation, found.folder.resource, { seconds: (performance.now() - begun) / 1000, failed });
  }
}
