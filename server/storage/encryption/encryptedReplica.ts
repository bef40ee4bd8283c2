import { setTimeout as delay } from 'node:timers/promises';
import { revision, type Revision } from '../../../raft/index.js';
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
import { ForwardingEngine } from '../forwardingEngine.js';
import type { KeySpace } from '../keys.js';
import type { Encryption } from './encryption.js';
import { isStale, KeyServiceError, opened, sealed, type Transformer } from './transformer.js';
import { errorText } from '../../../api/errorText.js';

export interface EncryptingOptions {
  readonly replica: StoreEngine;
  readonly keys: KeySpace;
  /** Configurations change. */
  readonly encryption: () => Encryption;
  /** Their number bounds the retries. */
  readonly retryWaitsMs?: readonly number[];
  readonly lookMs?: number;
  readonly report?: (error: unknown, key: string) => void;
}

/** Later values wait too. */
const retryWaitsDefaultMs = [100, 300, 1_000];
const lookDefaultMs = 1_000;

interface Unopened {
  readonly key: string;
  readonly value: Buffer;
}

/**
 * A replica that encrypts values on writes and decrypts them on reads, so that log, store, snapshots and backups contain no secrets. An undecryptable value is
 * an error of its object alone. Changes keep their order. While a key is requested, later changes, barriers and local writes wait: an answer implies that
 * earlier changes were delivered. When a key service recovers or the configuration changes, listeners get a `gap` and read everything anew, because caches
 * keep their values.
 */
export class EncryptedReplica extends ForwardingEngine {
  readonly #keys: KeySpace;
  readonly #encryption: () => Encryption;
  readonly #waitsMs: readonly number[];
  readonly #lookMs: number;
  readonly #report: (error: unknown, key: string) => void;
  readonly #listeners = new Set<(batch: ChangeBatch) => void>();
  #telling: Promise<void> | null = null;
  #undecryptable: Unopened | null = null;
  #unserved: Unopened | null = null;
  #looking: NodeJS.Timeout | null = null;

  constructor({
    replica,
    keys,
    encryption,
    retryWaitsMs = retryWaitsDefaultMs,
    lookMs = lookDefaultMs,
    report = () => {},
  }: EncryptingOptions) {
    super(replica);
    this.#keys = keys;
    this.#encryption = encryption;
    this.#waitsMs = retryWaitsMs;
    this.#lookMs = lookMs;
    this.#report = report;
  }

  override async write(
    transaction: Parameters<StoreEngine['write']>[0],
    options: Parameters<StoreEngine['write']>[1],
  ): Promise<WriteOutcome> {
    let operations: readonly EngineOperation[];
    try {
      operations = await Promise.all(transaction.operations.map((operation) => this.#sealed(operation)));
    } catch (error) {
      if (error instanceof KeyServiceError) return { outcome: 'unavailable', reason: error.message };
      throw error;
    }
    const outcome = await super.write({ ...transaction, operations }, options);
    await this.#telling;
    if (outcome.outcome !== 'conflict') return outcome;
    return { ...outcome, current: await Promise.all(outcome.current.map(async (item) => item && this.#openedItem(item))) };
  }

  override async barrier(timeoutMs: number): ReturnType<StoreEngine['barrier']> {
    const outcome = await super.barrier(timeoutMs);
    await this.#telling;
    return outcome;
  }

  override current(): Revision | null {
    return this.#telling === null ? super.current() : null;
  }

  override async range(options: RangeOptions): Promise<RangeResult> {
    const result = await super.range(options);
    return result.outcome === 'found'
      ? { ...result, items: await Promise.all(result.items.map(async (item) => this.#openedItem(item))) }
      : result;
  }

  override async changesSince(after: Revision, bytesMax: number): Promise<ChangesResult> {
    const result = await super.changesSince(after, bytesMax);
    return result.outcome === 'found'
      ? { ...result, changes: await Promise.all(result.changes.map(async (change) => this.#openedChange(change))) }
      : result;
  }

  override onChanges(listener: (batch: ChangeBatch) => void): () => void {
    this.#listeners.add(listener);
    const stop = super.onChanges((batch) => {
      if (this.#telling === null) {
        const open = this.#openedBatch(batch);
        if (!(open instanceof Promise)) return listener(open);
        this.#tellAfter(open.then(listener));
      } else {
        this.#tellAfter(this.#telling.then(() => this.#openedBatch(batch)).then(listener));
      }
    });
    return () => {
      stop();
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#stopLooking();
    };
  }

  reconfigured(): void {
    if (this.#undecryptable !== null || this.#unserved !== null) this.#tellGap();
  }

  #tellGap(): void {
    this.#undecryptable = null;
    this.#unserved = null;
    this.#stopLooking();
    const tell = (): void => {
      const now = super.current() ?? nothingYet;
      for (const listener of this.#listeners) listener({ changes: [], revision: now, compacted: nothingYet, gap: true });
    };
    if (this.#telling === null) tell();
    else this.#tellAfter(this.#telling.then(tell));
  }

  #lookLater(): void {
    if (this.#listeners.size === 0) return;
    this.#looking ??= setTimeout(() => {
      this.#looking = null;
      void this.#look();
    }, this.#lookMs).unref();
  }

  #stopLooking(): void {
    if (this.#looking !== null) clearTimeout(this.#looking);
    this.#looking = null;
  }

  async #look(): Promise<void> {
    const unserved = this.#unserved;
    if (unserved === null) return;
    try {
      await opened(unserved.value, this.#transformersOf(unserved.key) ?? [], unserved.key, this.#encryption().counts);
    } catch (error) {
      if (error instanceof KeyServiceError) return this.#lookLater();
    }
    if (this.#unserved !== null) this.#tellGap();
  }

  async isStale(key: string): Promise<boolean> {
    const transformers = this.#transformersOf(key);
    if (transformers === null) return false;
    const result = await super.range({ start: key, end: `${key}\0`, revision: null, limit: 1 });
    const item = result.outcome === 'found' ? result.items[0] : undefined;
    return item !== undefined && isStale(bufferOf(item.value), transformers, key);
  }

  #tellAfter(notified: Promise<void>): void {
    this.#telling = notified;
    void notified.then(() => {
      if (this.#telling === notified) this.#telling = null;
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

  /** An earlier rule may have encrypted values. */
  #opened(key: string, value: Uint8Array): Uint8Array | Promise<Uint8Array> {
    const transformers = this.#transformersOf(key);
    if (transformers === null) return value;
    try {
      const open = opened(bufferOf(value), transformers, key, this.#encryption().counts);
      return open instanceof Promise ? open.catch((error: unknown) => this.#retry(key, bufferOf(value), transformers, error)) : open;
    } catch (error) {
      return this.#unreadable(error, { key, value: bufferOf(value) });
    }
  }

  async #retry(key: string, value: Buffer, transformers: readonly Transformer[], first: unknown): Promise<Buffer> {
    let last = first;
    for (const waitMs of this.#waitsMs) {
      if (!(last instanceof KeyServiceError) || this.#unserved !== null) break;
      await delay(waitMs, undefined, { ref: false });
      try {
        return await opened(value, transformers, key, this.#encryption().counts);
      } catch (error) {
        last = error;
      }
    }
    return this.#unreadable(last, { key, value });
  }

  #unreadable(error: unknown, unopened: Unopened): Buffer {
    if (error instanceof KeyServiceError) {
      this.#unserved = unopened;
      this.#lookLater();
    } else this.#undecryptable = unopened;
    this.#report(error, unopened.key);
    return unreadableValue(errorText(error));
  }
}

const nothingYet = revision(0);

const bufferOf = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
