import { setTimeout as delay } from 'node:timers/promises';
import type { Revision } from '../../../raft/index.js';
import { unreadableValue } from '../encoding.js';
import type {
  Change,
  ChangeBatch,
  ChangesResult,
  EngineOperation,
  KeyValue,
  RangeOptions,
  RangeResult,
  StoreEngine,
  WriteOutcome,
} from '../engine.js';
import type { KeySpace } from '../keys.js';
import type { Encryption } from './encryption.js';
import { isStale, KeyServiceError, opened, sealed, type Transformer } from './transformer.js';

export interface EncryptingOptions {
  readonly replica: StoreEngine;
  readonly keys: KeySpace;
  /** Asked for each value, because configurations change. */
  readonly encryption: () => Encryption;
  /** Waits between tries while a key service is in trouble, in milliseconds; as many as there are. */
  readonly retryWaitsMs?: readonly number[];
  readonly report?: (error: unknown) => void;
}

const retryWaitsDefaultMs = [100, 300, 1_000, 3_000, 5_000];

/**
 * A replica whose values are encrypted on the way in and decrypted on the way out, so that neither the log nor the store, snapshots or
 * backups hold what is to be kept secret. Values that cannot be decrypted come out as unreadable ones: they are errors of their objects alone.
 *
 * Changes keep their order. Where a key has to be asked for, those that follow wait, and so do barriers and writes from here: who is
 * answered can rely on the changes before having been told.
 */
export class EncryptedReplica implements StoreEngine {
  readonly #replica: StoreEngine;
  readonly #keys: KeySpace;
  readonly #encryption: () => Encryption;
  readonly #waitsMs: readonly number[];
  readonly #report: (error: unknown) => void;
  /** The end of what has not been told yet; null when everything has. */
  #telling: Promise<void> | null = null;

  constructor({ replica, keys, encryption, retryWaitsMs = retryWaitsDefaultMs, report = () => {} }: EncryptingOptions) {
    this.#replica = replica;
    this.#keys = keys;
    this.#encryption = encryption;
    this.#waitsMs = retryWaitsMs;
    this.#report = report;
  }

  async write(transaction: Parameters<StoreEngine['write']>[0], options: Parameters<StoreEngine['write']>[1]): Promise<WriteOutcome> {
    let operations: readonly EngineOperation[];
    try {
      operations = await Promise.all(transaction.operations.map((operation) => this.#sealed(operation)));
    } catch (error) {
      if (error instanceof KeyServiceError) return { outcome: 'unavailable', reason: error.message };
      throw error;
    }
    const outcome = await this.#replica.write({ ...transaction, operations }, options);
    await this.#telling;
    if (outcome.outcome !== 'conflict') return outcome;
    return { ...outcome, current: await Promise.all(outcome.current.map(async (item) => item && this.#openedItem(item))) };
  }

  async barrier(options: Parameters<StoreEngine['barrier']>[0]): ReturnType<StoreEngine['barrier']> {
    const outcome = await this.#replica.barrier(options);
    await this.#telling;
    return outcome;
  }

  current(): Revision | null {
    return this.#telling === null ? this.#replica.current() : null;
  }

  async range(options: RangeOptions): Promise<RangeResult> {
    const result = await this.#replica.range(options);
    return result.outcome === 'found'
      ? { ...result, items: await Promise.all(result.items.map(async (item) => this.#openedItem(item))) }
      : result;
  }

  async changesSince(after: Revision, options: { readonly bytesMax: number }): Promise<ChangesResult> {
    const result = await this.#replica.changesSince(after, options);
    return result.outcome === 'found'
      ? { ...result, changes: await Promise.all(result.changes.map(async (change) => this.#openedChange(change))) }
      : result;
  }

  compact(revision: Revision, options: { readonly timeoutMs: number }): Promise<WriteOutcome> {
    return this.#replica.compact(revision, options);
  }

  onChanges(listener: (batch: ChangeBatch) => void): () => void {
    return this.#replica.onChanges((batch) => {
      if (this.#telling === null) {
        const open = this.#openedBatch(batch);
        if (!(open instanceof Promise)) return listener(open);
        this.#tellAfter(open.then(listener));
      } else {
        this.#tellAfter(this.#telling.then(() => this.#openedBatch(batch)).then(listener));
      }
    });
  }

  /** Whether an object should be written anew although nothing in it has changed: with another key, or with any at all. */
  async isStale(key: string): Promise<boolean> {
    const transformers = this.#transformersOf(key);
    if (transformers === null) return false;
    const result = await this.#replica.range({ start: key, end: `${key}\0`, revision: null, limit: 1 });
    const item = result.outcome === 'found' ? result.items[0] : undefined;
    return item !== undefined && isStale(bufferOf(item.value), transformers);
  }

  #tellAfter(told: Promise<void>): void {
    this.#telling = told;
    void told.then(() => {
      if (this.#telling === told) this.#telling = null;
    });
  }

  #transformersOf(key: string): readonly Transformer[] | null {
    const parsed = this.#keys.parse(key);
    return parsed === null ? null : this.#encryption().transformersOf(parsed);
  }

  async #sealed(operation: EngineOperation): Promise<EngineOperation> {
    const transformer = operation.type === 'put' ? this.#transformersOf(operation.key)?.[0] : undefined;
    return operation.type === 'put' && transformer !== undefined
      ? { ...operation, value: await sealed(bufferOf(operation.value), transformer, operation.key, this.#encryption().counts) }
      : operation;
  }

  #openedBatch(batch: ChangeBatch): ChangeBatch | Promise<ChangeBatch> {
    const changes = batch.changes.map((change) => this.#openedChange(change));
    const { revision, compacted, gap } = batch;
    if (!changes.some((change) => change instanceof Promise)) return { changes: changes as Change[], revision, compacted, gap };
    return Promise.all(changes.map(async (change) => change)).then((all) => ({ changes: all, revision, compacted, gap }));
  }

  #openedChange(change: Change): Change | Promise<Change> {
    if (change.value === null) return change;
    const value = this.#opened(change.key, change.value);
    return value instanceof Promise
      ? value.then((open) => ({ ...change, value: open }))
      : value === change.value
        ? change
        : { ...change, value };
  }

  #openedItem(item: KeyValue): KeyValue | Promise<KeyValue> {
    const value = this.#opened(item.key, item.value);
    return value instanceof Promise ? value.then((open) => ({ ...item, value: open })) : value === item.value ? item : { ...item, value };
  }

  /** Never throws or rejects. Values of resources without a rule may still be encrypted, from the time when they had one. */
  #opened(key: string, value: Uint8Array): Uint8Array | Promise<Uint8Array> {
    const transformers = this.#transformersOf(key);
    if (transformers === null) return value;
    try {
      const open = opened(bufferOf(value), transformers, key, this.#encryption().counts);
      return open instanceof Promise ? open.catch((error: unknown) => this.#retry(key, bufferOf(value), transformers, error)) : open;
    } catch (error) {
      return this.#unreadable(error);
    }
  }

  async #retry(key: string, value: Buffer, transformers: readonly Transformer[], first: unknown): Promise<Buffer> {
    let last = first;
    for (const waitMs of this.#waitsMs) {
      if (!(last instanceof KeyServiceError)) break;
      await delay(waitMs, undefined, { ref: false });
      try {
        return await opened(value, transformers, key, this.#encryption().counts);
      } catch (error) {
        last = error;
      }
    }
    return this.#unreadable(last);
  }

  #unreadable(error: unknown): Buffer {
    this.#report(error);
    return unreadableValue(error instanceof Error ? error.message : String(error));
  }
}

const bufferOf = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
