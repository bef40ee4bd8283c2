import { revision, type Revision } from '../../raft/index.js';
import { KeySpace } from './keys.js';
import type { KeyValue, StoreEngine, WriteOptions, WriteOutcome } from './engine.js';
import { ForwardingEngine } from './forwardingEngine.js';

/** Servers write nothing while this key exists, where no layout has objects. */
export const sealKeyOf = (prefix: string): string => `${new KeySpace(prefix).start}raftplane/sealed`;

const absent = revision(0);
const timeoutMs = 10_000;

/** Every write also compares the seal, so that no server writes anything after the seal's revision. Used for the move to another store (`server/migration`). */
export class SealableEngine extends ForwardingEngine {
  readonly #seal: { readonly key: string; readonly modRevision: Revision };

  constructor(engine: StoreEngine, key: string) {
    super(engine);
    this.#seal = { key, modRevision: absent };
  }

  override async write(transaction: Parameters<StoreEngine['write']>[0], options: WriteOptions): Promise<WriteOutcome> {
    const outcome = await super.write({ ...transaction, comparisons: [...transaction.comparisons, this.#seal] }, options);
    if (outcome.outcome !== 'conflict') return outcome;
    const seal = outcome.current.at(-1) ?? null;
    return seal === null ? { ...outcome, current: outcome.current.slice(0, -1) } : { outcome: 'unavailable', reason: textOf(seal) };
  }
}

const textOf = ({ value }: KeyValue): string => `nothing is written any more: ${Buffer.from(value).toString()}`;

/** `reason` is reported to writers. */
export const seal = (engine: Pick<StoreEngine, 'write'>, key: string, reason: string): Promise<WriteOutcome> =>
  engine.write({ comparisons: [], operations: [{ type: 'put', key, value: Buffer.from(reason) }] }, { timeoutMs });

export const unseal = (engine: Pick<StoreEngine, 'write'>, key: string): Promise<WriteOutcome> =>
  engine.write({ comparisons: [], operations: [{ type: 'delete', key }] }, { timeoutMs });
