import { revision, type Revision } from '../../raft/index.js';
import type {
  BarrierOutcome,
  Change,
  ChangeBatch,
  ChangesResult,
  Comparison,
  EngineOperation,
  KeyValue,
  RangeOptions,
  RangeResult,
  StoreEngine,
  WriteOutcome,
} from './engine.js';

interface State {
  readonly revision: Revision;
  readonly value: Uint8Array | null;
  readonly createRevision: Revision;
  readonly version: number;
}

/**
 * A store engine in this process's memory (`--storage-backend=memory`), private to it. Listeners are called before the writer.
 *
 *     states   key ──▶ its states, oldest first; a deleted key goes when the deletion is compacted
 *     keys     the same keys in order, for binary search
 *     log      all changes since the last compaction, in order of revisions
 */
export class MemoryEngine implements StoreEngine {
  readonly #states = new Map<string, State[]>();
  #keys: string[] = [];
  #log: Change[] = [];
  readonly #listeners = new Set<(batch: ChangeBatch) => void>();
  #revision = revision(1);
  #compacted = revision(0);

  get revision(): Revision {
    return this.#revision;
  }

  get compacted(): Revision {
    return this.#compacted;
  }

  write(transaction: {
    readonly comparisons: readonly Comparison[];
    readonly operations: readonly EngineOperation[];
  }): Promise<WriteOutcome> {
    const { comparisons, operations } = transaction;
    const current = comparisons.map(({ key }) => this.#at(key, this.#revision));
    if (comparisons.some(({ modRevision }, index) => (current[index]?.modRevision ?? 0) !== modRevision))
      return Promise.resolve({ outcome: 'conflict', revision: this.#revision, current });
    this.#revision = revision(this.#revision + 1);
    const changes = operations.flatMap((operation) => this.#apply(operation));
    for (const change of changes) this.#log.push(change);
    this.#tell(changes);
    return Promise.resolve({ outcome: 'applied', revision: this.#revision });
  }

  barrier(): Promise<BarrierOutcome> {
    return Promise.resolve({ outcome: 'reached', revision: this.#revision });
  }

  current(): Revision {
    return this.#revision;
  }

  range({ start, end, revision: at, limit, bytesMax = Infinity }: RangeOptions): Promise<RangeResult> {
    const wanted = at ?? this.#revision;
    if (wanted > this.#revision) return Promise.resolve({ outcome: 'future', revision: this.#revision });
    if (wanted < this.#compacted) return Promise.resolve({ outcome: 'compacted', compacted: this.#compacted });
    const items: KeyValue[] = [];
    let [bytes, remaining] = [0, 0];
    for (let index = this.#placeOf(start); index < this.#keys.length; index++) {
      const key = this.#keys[index]!;
      if (end !== null && !isBefore(key, end)) break;
      const item = this.#at(key, wanted);
      if (item === null) continue;
      if (items.length >= (limit ?? Infinity) || bytes >= bytesMax) remaining++;
      else {
        items.push(item);
        bytes += item.value.byteLength;
      }
    }
    return Promise.resolve({ outcome: 'found', revision: wanted, items, remaining });
  }

  changesSince(after: Revision, bytesMax: number): Promise<ChangesResult> {
    if (after < this.#compacted) return Promise.resolve({ outcome: 'compacted', compacted: this.#compacted });
    const changes: Change[] = [];
    let bytes = 0;
    for (let index = this.#logPlaceAfter(after); index < this.#log.length; index++) {
      const change = this.#log[index]!;
      const last = changes.at(-1)?.revision;
      if (last !== undefined && last !== change.revision && bytes >= bytesMax)
        return Promise.resolve({ outcome: 'found', changes, through: last });
      changes.push(change);
      bytes += change.value?.byteLength ?? 0;
    }
    return Promise.resolve({ outcome: 'found', changes, through: revision(Math.max(after, this.#revision)) });
  }

  compact(wanted: Revision): Promise<WriteOutcome> {
    if (wanted <= this.#compacted) return Promise.resolve({ outcome: 'compacted', revision: this.#revision });
    this.#compacted = revision(Math.min(wanted, this.#revision));
    for (const { key } of this.#log.splice(0, this.#logPlaceAfter(this.#compacted))) this.#forget(key);
    this.#tell([]);
    return Promise.resolve({ outcome: 'applied', revision: this.#revision });
  }

  onChanges(listener: (batch: ChangeBatch) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #apply(operation: EngineOperation): Change[] {
    const { key } = operation;
    const before = this.#at(key, this.#revision);
    // Removing an absent key changes nothing.
    if (operation.type === 'delete' && before === null) return [];
    const state: State = {
      revision: this.#revision,
      value: operation.type === 'put' ? operation.value : null,
      createRevision: before?.createRevision ?? this.#revision,
      version: (before?.version ?? 0) + 1,
    };
    const states = this.#states.get(key);
    if (states === undefined) {
      this.#states.set(key, [state]);
      this.#keys.splice(this.#placeOf(key), 0, key);
    } else states.push(state);
    return [{ revision: state.revision, key, value: state.value, createRevision: state.createRevision }];
  }

  #forget(key: string): void {
    const states = this.#states.get(key);
    if (states === undefined) return;
    const last = states.findLastIndex((state) => state.revision <= this.#compacted);
    states.splice(0, states[last]?.value === null ? last + 1 : Math.max(0, last));
    if (states.length > 0) return;
    this.#states.delete(key);
    this.#keys.splice(this.#placeOf(key), 1);
  }

  #tell(changes: readonly Change[]): void {
    const batch: ChangeBatch = { changes, revision: this.#revision, compacted: this.#compacted, gap: false };
    for (const listener of this.#listeners) listener(batch);
  }

  #at(key: string, wanted: Revision): KeyValue | null {
    const found = this.#states.get(key)?.findLast((state) => state.revision <= wanted);
    if (found === undefined || found.value === null) return null;
    return { key, value: found.value, createRevision: found.createRevision, modRevision: found.revision, version: found.version };
  }

  #placeOf(key: string): number {
    return firstPlace(this.#keys.length, (index) => !isBefore(this.#keys[index]!, key));
  }

  #logPlaceAfter(after: Revision): number {
    return firstPlace(this.#log.length, (index) => this.#log[index]!.revision > after);
  }
}

function firstPlace(length: number, isTrue: (index: number) => boolean): number {
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isTrue(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Compares like etcd and SQLite. ASCII strings have the same order by code units. */
function isBefore(a: string, b: string): boolean {
  for (let index = 0; index < Math.min(a.length, b.length); index++) {
    const [one, other] = [a.charCodeAt(index), b.charCodeAt(index)];
    if (one !== other) return surrogatesLast(one) < surrogatesLast(other);
  }
  return a.length < b.length;
}

/** Surrogates sort after all other units. */
const surrogatesLast = (unit: number): number => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit);
