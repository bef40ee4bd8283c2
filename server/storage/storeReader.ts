import { revision } from '../../raft/index.js';
import type { Failure, GetResult, ListRequest, ListResult, ObjectKey, StoredObject, Version } from './contract.js';
import { DamagedListError, damagedListedMax, type DamagedValueError } from './encoding.js';
import { isPassing, type Change, type KeyValue, type RangeResult, type StoreEngine } from './engine.js';
import { keyAfter, type KeySpace } from './keys.js';
import { nameSelected, scopeOf, selects, selectsAll, type Selection } from './matching.js';
import { DamagedItem, storedObjectOf, type ResourceFacts, type StoredItem } from './storedObject.js';
import { expired } from './watchEnds.js';
import { errorText } from '../../api/errorText.js';

/** The answering thread has other work. */
const pageKeysMax = 500;
const pageBytesMax = 1 << 20;

interface Bounds {
  readonly start: string;
  readonly end: string;
}
export interface StorePage {
  readonly outcome: 'found';
  readonly items: readonly StoredItem[];
  readonly next: Bounds | null;
}
export interface ChangesPage {
  readonly outcome: 'found';
  readonly changes: readonly (readonly [Change, ObjectKey])[];
  readonly through: Version;
}

/** Reads from the store: versions older than the cache, until compaction, and uncached resources. */
export class StoreReader {
  readonly #replica: Pick<StoreEngine, 'range' | 'changesSince'>;
  readonly #keys: KeySpace;

  constructor(replica: Pick<StoreEngine, 'range' | 'changesSince'>, keys: KeySpace) {
    this.#replica = replica;
    this.#keys = keys;
  }

  get(facts: ResourceFacts, key: ObjectKey, version: Version): Promise<GetResult> {
    return this.#getOrReject(facts, key, version).catch(failureBehind);
  }

  async #getOrReject(facts: ResourceFacts, key: ObjectKey, version: Version): Promise<GetResult> {
    const item = await this.#read(key, version);
    if (item === null) return { outcome: 'absent', version };
    if ('outcome' in item) return item;
    return { outcome: 'found', object: readable(storedObjectOf(facts, key, item.modRevision, item.value)) };
  }

  async stateAt(facts: ResourceFacts, key: ObjectKey, version: Version): Promise<StoredItem | Failure | null> {
    const item = await this.#read(key, version);
    return item === null || 'outcome' in item ? item : storedObjectOf(facts, key, item.modRevision, item.value);
  }

  /** Only the name if the state is out of reach. */
  async lastState(facts: ResourceFacts, key: ObjectKey, version: Version): Promise<StoredObject> {
    const item = await this.#read(key, version - 1);
    return item === null || 'outcome' in item
      ? storedObjectOf(facts, key, version, new Uint8Array())
      : storedObjectOf(facts, key, version, item.value);
  }

  list(facts: ResourceFacts, request: ListRequest, version: Version): Promise<ListResult> {
    return this.#listOrReject(facts, request, version).catch(failureBehind);
  }

  async #listOrReject(facts: ResourceFacts, request: ListRequest, version: Version): Promise<ListResult> {
    const items: StoredObject[] = [];
    const damaged: DamagedValueError[] = [];
    const matching = !selectsAll(request);
    const limit = request.limit ?? Infinity;
    for (let bounds: Bounds | null = this.boundsOf(request, request.after); bounds !== null;) {
      const page: StorePage | Failure = await this.page(
        facts,
        bounds,
        version,
        matching ? pageKeysMax : Math.min(pageKeysMax, limit - items.length),
      );
      if (page.outcome !== 'found') return page;
      for (const [index, item] of page.items.entries()) {
        if (item instanceof DamagedItem) damaged.push(item.damage);
        else if (selects(request, item)) items.push(item);
        if (damaged.length > damagedListedMax) throw new DamagedListError(damaged);
        if (items.length >= limit)
          return this.#cutOff(
            items,
            isTheOnlyOne(request, item) ? null : index === page.items.length - 1 ? page.next : this.boundsOf(request, item),
            version,
            matching,
          );
      }
      bounds = page.next;
    }
    if (damaged.length > 0) throw new DamagedListError(damaged);
    return { outcome: 'found', version, items, more: false, remaining: matching ? null : 0 };
  }

  boundsOf(
    request: Selection & Pick<ListRequest, 'resource'>,
    after: { readonly namespace: string; readonly name: string } | null,
  ): Bounds {
    const { namespace, name } = scopeOf(request, true);
    const range = this.#keys.rangeOf(request.resource, namespace);
    const start =
      after === null
        ? range.start
        : keyAfter(this.#keys.keyOf({ resource: request.resource, namespace: after.namespace, name: after.name }));
    if (namespace === null || name === null) return { start: later(start, range.start), end: range.end };
    const key = this.#keys.keyOf({ resource: request.resource, namespace, name });
    return { start: later(start, key), end: keyAfter(key) };
  }

  async page(facts: ResourceFacts, { start, end }: Bounds, version: Version, limit: number = pageKeysMax): Promise<StorePage | Failure> {
    const page = await this.#replica.range({
      start,
      end,
      revision: revision(version),
      limit,
      bytesMax: pageBytesMax,
      countRemaining: false,
    });
    if (page.outcome !== 'found') return failureOf(page, version);
    const last = page.items.at(-1);
    const next = last === undefined || page.remaining === 0 ? null : { start: keyAfter(last.key), end };
    return { outcome: 'found', items: page.items.flatMap((item) => this.#objectOf(facts, item) ?? []), next };
  }

  /** Values are views into a batch. */
  async changesSince(facts: ResourceFacts, after: Version): Promise<ChangesPage | Failure> {
    const page = await this.#replica.changesSince(revision(after), pageBytesMax);
    if (page.outcome === 'compacted') return expired('Compacted', page.compacted);
    const { start, end } = this.#keys.rangeOf(facts.resource, null);
    const own = page.changes
      .filter(({ key }) => key >= start && key < end)
      .flatMap((change) => {
        const parsed = this.#keys.parse(change.key);
        return parsed === null ? [] : [[change, { resource: facts.resource, namespace: parsed.namespace, name: parsed.name }] as const];
      });
    return { outcome: 'found', changes: own, through: page.through };
  }

  /** Counts remaining keys only if the answer may report them. */
  async #cutOff(items: readonly StoredObject[], rest: Bounds | null, version: Version, matching: boolean): Promise<ListResult> {
    const left =
      rest === null ? null : await this.#replica.range({ ...rest, revision: revision(version), limit: 0, countRemaining: !matching });
    if (left !== null && left.outcome !== 'found') return failureOf(left, version);
    const remaining = left?.remaining ?? 0;
    return { outcome: 'found', version, items, more: remaining > 0, remaining: matching ? null : remaining };
  }

  #objectOf(facts: ResourceFacts, { key, modRevision, value }: KeyValue): StoredItem | null {
    const parsed = this.#keys.parse(key);
    return parsed === null
      ? null
      : storedObjectOf(facts, { resource: facts.resource, namespace: parsed.namespace, name: parsed.name }, modRevision, value);
  }

  async #read(key: ObjectKey, version: Version): Promise<KeyValue | Failure | null> {
    const start = this.#keys.keyOf(key);
    const result = await this.#replica.range({ start, end: keyAfter(start), revision: revision(version), limit: 1, countRemaining: false });
    return result.outcome === 'found' ? (result.items[0] ?? null) : failureOf(result, version);
  }
}

const isTheOnlyOne = (request: Selection, item: StoredItem): boolean => item.namespace === '' && nameSelected(request.fields) !== null;

const later = (a: string, b: string): string => (a > b ? a : b);

function readable(object: StoredItem): StoredItem {
  if (object instanceof DamagedItem) throw object.damage;
  return object;
}

/** The client may retry while the store is unavailable. */
function failureBehind(error: unknown): Failure {
  if (!isPassing(error)) throw error;
  return { outcome: 'unavailable', reason: errorText(error) };
}

function failureOf(result: Exclude<RangeResult, { outcome: 'found' }>, requested: Version): Failure {
  return result.outcome === 'compacted'
    ? expired('Compacted', result.compacted)
    : { outcome: 'tooLarge', requested, current: result.revision };
}
