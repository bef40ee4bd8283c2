import type { Replica } from '../../raft/replica-api.js';
import type { KeyValue, RangeResult } from '../../raft/store/contract.js';
import { revision } from '../../raft/types.js';
import type { Failure, GetResult, ListRequest, ListResult, ObjectKey, StoredObject, Version } from './contract.js';
import { keyAfter, type KeySpace } from './keys.js';
import { scopeOf, selects, selectsAll } from './matching.js';
import { DamagedItem, storedObjectOf, type ResourceFacts, type StoredItem } from './storedobject.js';

/** Keys read at a time when a selector lets through an unknown part of them. */
const pageKeysMax = 500;

/** Reads versions that the cache does not reach back to from the store itself, until compaction takes them away. */
export class StoreReader {
  constructor(private readonly replica: Pick<Replica, 'range'>, private readonly keys: KeySpace) {}

  async get(facts: ResourceFacts, key: ObjectKey, version: Version): Promise<GetResult> {
    const item = await this.read(key, version);
    if (item === null) return { outcome: 'absent', version };
    if ('outcome' in item) return item;
    return { outcome: 'found', object: readable(storedObjectOf(facts, key, item.modRevision, item.value)) };
  }

  /** The state at `expected`, shown at `version`; only its name if the state is out of reach. */
  async lastState(facts: ResourceFacts, key: ObjectKey, expected: Version, version: Version): Promise<StoredObject> {
    const item = await this.read(key, expected);
    return item === null || 'outcome' in item ? storedObjectOf(facts, key, version, new Uint8Array()) : storedObjectOf(facts, key, version, item.value);
  }

  async list(facts: ResourceFacts, request: ListRequest, version: Version): Promise<ListResult> {
    const items: StoredObject[] = [];
    const matching = !selectsAll(request);
    for (let { start, end } = this.rangeOf(request); ;) {
      const missing = request.limit === null ? null : request.limit - items.length;
      const page = await this.replica.range({ start, end, revision: revision(version), limit: matching || missing === null ? pageKeysMax : missing });
      if (page.outcome !== 'found') return failureOf(page, version);
      const unused = this.take(facts, request, page.items, items);
      const remaining = page.remaining + unused;
      const full = request.limit !== null && items.length >= request.limit;
      const last = page.items.at(-1);
      if (full || last === undefined || remaining === 0) {
        return { outcome: 'found', version, items, more: full && remaining > 0, remaining: matching ? null : full ? remaining : 0 };
      }
      start = keyAfter(last.key);
    }
  }

  /** Adds what matches, up to the limit; returns how many keys were left over. */
  private take(facts: ResourceFacts, request: ListRequest, found: readonly KeyValue[], items: StoredObject[]): number {
    for (const [index, { key, modRevision, value }] of found.entries()) {
      if (request.limit !== null && items.length >= request.limit) return found.length - index;
      const parsed = this.keys.parse(key);
      if (parsed === null) continue;
      const object = readable(storedObjectOf(facts, { resource: facts.resource, namespace: parsed.namespace, name: parsed.name }, modRevision, value));
      if (selects(request, object)) items.push(object);
    }
    return 0;
  }

  private rangeOf(request: ListRequest): { start: string; end: string } {
    const { namespace, name } = scopeOf(request, true);
    const range = this.keys.rangeOf(request.resource, namespace);
    const start = request.after === null ? range.start : keyAfter(this.keys.keyOf({ resource: request.resource, ...request.after }));
    if (namespace === null || name === null) return { start: later(start, range.start), end: range.end };
    const key = this.keys.keyOf({ resource: request.resource, namespace, name });
    return { start: later(start, key), end: keyAfter(key) };
  }

  private async read(key: ObjectKey, version: Version): Promise<KeyValue | Failure | null> {
    const start = this.keys.keyOf(key);
    const result = await this.replica.range({ start, end: keyAfter(start), revision: revision(version), limit: 1 });
    return result.outcome === 'found' ? result.items[0] ?? null : failureOf(result, version);
  }
}

const later = (a: string, b: string): string => (a > b ? a : b);

function readable(object: StoredItem): StoredItem {
  if (object instanceof DamagedItem) throw object.damage;
  return object;
}

function failureOf(result: Exclude<RangeResult, { outcome: 'found' }>, requested: Version): Failure {
  return result.outcome === 'compacted' ? { outcome: 'expired', oldest: result.compacted } : { outcome: 'tooLarge', requested, current: result.revision };
}
