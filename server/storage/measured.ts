import type { GroupResource } from '../../api/resource.js';
import type { RangeOptions, RangeResult, StoreEngine, WriteOptions, WriteOutcome } from './engine.js';
import { ForwardingEngine } from './forwardingEngine.js';
import type { KeySpace } from './keys.js';

export type StoreOperation = 'create' | 'update' | 'delete' | 'get' | 'list';

/** A conflict is a success. */
export type StoreTimes = (
  operation: StoreOperation,
  resource: GroupResource,
  asked: { readonly seconds: number; readonly failed: boolean },
) => void;

/** Times reads and writes of objects, attributed to the first. */
export class MeasuredEngine extends ForwardingEngine {
  readonly #keys: KeySpace;
  readonly #times: StoreTimes;

  constructor(engine: StoreEngine, keys: KeySpace, times: StoreTimes) {
    super(engine);
    this.#keys = keys;
    this.#times = times;
  }

  override async write(transaction: Parameters<StoreEngine['write']>[0], options: WriteOptions): Promise<WriteOutcome> {
    const [first] = transaction.operations;
    const begun = performance.now();
    const outcome = await super.write(transaction, options);
    if (first === undefined) return outcome;
    const isNew = transaction.comparisons.some(({ key, modRevision }) => key === first.key && modRevision === 0);
    const operation = first.type === 'delete' ? 'delete' : isNew ? 'create' : 'update';
    this.#tell(operation, first.key, begun, outcome.outcome !== 'applied' && outcome.outcome !== 'conflict');
    return outcome;
  }

  override async range(options: RangeOptions): Promise<RangeResult> {
    const begun = performance.now();
    const result = await super.range(options);
    this.#tell(options.limit === 1 ? 'get' : 'list', options.start, begun, result.outcome !== 'found');
    return result;
  }

  #tell(operation: StoreOperation, key: string, begun: number, failed: boolean): void {
    const found = this.#keys.find(key.endsWith('/') ? `${key}*` : key);
    if (found !== null) this.#times(operation, found.folder.resource, { seconds: (performance.now() - begun) / 1000, failed });
  }
}
