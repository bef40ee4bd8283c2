import { expect } from 'chai';
import fc from 'fast-check';
import type {
  Consistency,
  GetResult,
  ListRequest,
  ListResult,
  Storage,
  Watch,
  WatchEvent,
  WatchRequest,
  WriteResult,
} from '../../../../server/storage/contract.js';
import { createMemoryStorage, type MemoryStorage } from '../../../../server/storage/memory.js';
import { createRaftStorage, type RaftStorage, type RaftStorageOptions } from '../../../../server/storage/raft.js';
import { FakeReplica } from './fakeReplica.js';
import { Recorder, settle } from './recorder.js';
import { configMaps, fields, key, labels, listRequest, nodes, objectFor, pods, selectableFields, watchRequest } from './suite.js';

/**
 * The watch cache and the model answer the same random operations alike, with the same watch events. The cache may refuse dropped history, but never differ.
 * Its watchers are disconnected and resume, also on a new cache, or fall behind; finally they have seen the model's events.
 */

const namespaces = ['a', 'a-b', 'b'];
const objectNames = ['n1', 'n2', 'n3', 'n3-x', 'n4'];
const resources = [configMaps, pods, nodes];

type Operation =
  | {
      readonly do: 'write' | 'delete';
      readonly resource: number;
      readonly namespace: string;
      readonly name: string;
      readonly label: string | null;
      readonly node: string;
      readonly stale: boolean;
    }
  | {
      readonly do: 'list';
      readonly resource: number;
      readonly select: Selection;
      readonly limit: number | null;
      readonly back: number;
      readonly consistency: 'mostRecent' | 'exact' | 'notOlderThan';
      /** Whether further pages are requested at once, later, or never. */ readonly pages: 'none' | 'now' | 'later';
    }
  | { readonly do: 'page'; readonly which: number }
  | {
      readonly do: 'get';
      readonly resource: number;
      readonly namespace: string;
      readonly name: string;
      readonly back: number;
      readonly consistency: Consistency['at'];
    }
  | {
      readonly do: 'watch';
      readonly resource: number;
      readonly select: Selection;
      readonly start: 'mostRecent' | 'any' | 'after';
      readonly back: number;
      readonly initialEvents: boolean;
    }
  | { readonly do: 'stop'; readonly which: number }
  | { readonly do: 'full'; readonly which: number }
  | { readonly do: 'reconnect'; readonly which: number; readonly fromBookmark: boolean }
  | { readonly do: 'restart' }
  /** More changes than a resumed watcher gets at once. */
  | { readonly do: 'burst'; readonly resource: number; readonly label: string }
  | { readonly do: 'settle' }
  | { readonly do: 'compact'; readonly back: number };

interface Selection {
  readonly namespace: string | null;
  readonly labels: string;
  readonly fields: string;
}

const burstSize = 70;
/** Rounds until the slowest watcher is up to date. */
const settleRounds = 10;
const which = fc.nat({ max: 20 });
const resource = fc.nat({ max: resources.length - 1 });
const selection: fc.Arbitrary<Selection> = fc.record({
  namespace: fc.constantFrom(null, ...namespaces),
  labels: fc.constantFrom('', '', 'l=1', 'l!=1', 'l in (1,2)', '!l', 'l', 'l=1,l!=2'),
  fields: fc.constantFrom(
    '',
    '',
    'metadata.name=n1',
    'metadata.name!=n2',
    'metadata.namespace=a',
    'spec.nodeName=x',
    'spec.nodeName!=x',
    'spec.nodeName=,metadata.name=n3',
  ),
});
const back = fc.oneof({ weight: 4, arbitrary: fc.nat({ max: 6 }) }, { weight: 1, arbitrary: fc.integer({ min: -1, max: 120 }) });
const write = fc.record({
  do: fc.constantFrom('write' as const, 'write' as const, 'delete' as const),
  resource,
  namespace: fc.constantFrom(...namespaces),
  name: fc.constantFrom(...objectNames),
  label: fc.constantFrom(null, '1', '2'),
  node: fc.constantFrom('', 'x', 'y'),
  stale: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
});
const operation: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 10, arbitrary: write },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('list' as const),
      resource,
      select: selection,
      limit: fc.constantFrom(null, 1, 2, 3),
      back,
      consistency: fc.constantFrom('mostRecent', 'exact', 'exact', 'notOlderThan'),
      pages: fc.constantFrom('none', 'now', 'later'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('page' as const), which }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('get' as const),
      resource,
      namespace: fc.constantFrom(...namespaces),
      name: fc.constantFrom(...objectNames),
      back,
      consistency: fc.constantFrom('mostRecent', 'any', 'exact', 'notOlderThan'),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('watch' as const),
      resource,
      select: selection,
      start: fc.constantFrom('mostRecent' as const, 'any' as const, 'after' as const),
      back,
      initialEvents: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('stop' as const), which }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('full' as const), which }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('reconnect' as const), which, fromBookmark: fc.boolean() }) },
  { weight: 1, arbitrary: fc.constant({ do: 'restart' as const }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('burst' as const), resource, label: fc.constantFrom('1', '2') }) },
  { weight: 2, arbitrary: fc.constant({ do: 'settle' as const }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('compact' as const), back: fc.nat({ max: 8 }) }) },
) as fc.Arbitrary<Operation>;

interface Watched {
  readonly sink: Recorder;
  readonly watch: Watch;
}
interface Pair {
  readonly request: WatchRequest;
  readonly model: Watched;
  cache: Watched;
}

/** Both storages, kept at the same version. */
class Both {
  readonly #options: Partial<RaftStorageOptions>;
  readonly model: MemoryStorage = createMemoryStorage({ selectableFields });
  readonly replica = new FakeReplica();
  cache: RaftStorage;
  readonly #pairs: Pair[] = [];
  /** Incomplete lists. */
  readonly #pagers: ListRequest[] = [];
  readonly #reported: unknown[] = [];

  constructor(options: Partial<RaftStorageOptions>) {
    this.#options = options;
    this.cache = this.#start();
  }

  #start(): RaftStorage {
    return createRaftStorage({
      replica: this.replica,
      selectableFields,
      ...this.#options,
      versionTimeoutMs: 0,
      report: (error) => this.#reported.push(error),
    });
  }

  async do(operation_: Operation): Promise<void> {
    switch (operation_.do) {
      case 'write':
      case 'delete':
        return this.#write(operation_);
      case 'list':
        return this.#list(operation_);
      case 'watch':
        return this.#watch(operation_);
      case 'page':
        return this.#page(operation_.which);
      case 'get':
        return this.#get(operation_);
      case 'stop':
        return this.#stop(operation_.which);
      case 'full':
        return this.#pairs[operation_.which % Math.max(1, this.#pairs.length)]?.cache.watch.fallBehind();
      case 'reconnect':
        return this.#reconnect(this.#pairs[operation_.which % Math.max(1, this.#pairs.length)], operation_.fromBookmark);
      case 'restart':
        return this.#restart();
      case 'settle':
        return settle();
      case 'burst': {
        const { resource: index, label } = operation_;
        for (let n = 0; n < burstSize; n++)
          await this.#write({
            do: 'write',
            resource: index,
            namespace: 'b',
            name: 'n1',
            label: n % 3 === 0 ? null : label,
            node: '',
            stale: false,
          });
        return;
      }
      case 'compact': {
        this.model.compact(this.model.version - operation_.back);
        await this.cache.compact(Math.max(1, this.model.version - operation_.back), 60_000);
      }
    }
  }

  /** Finally compares all watchers' events. */
  async check(): Promise<void> {
    for (let round = 0; round < settleRounds; round++) await settle();
    expect(this.#reported).to.deep.equal([]);
    for (const { model, cache } of this.#pairs) {
      if (cache.sink.lines.at(-1) === 'end expired' && model.sink.lines.at(-1) !== 'end expired') {
        // The cache keeps less history, but its earlier events must match.
        expect(model.sink.lines.slice(0, cache.sink.lines.length - 1)).to.deep.equal(cache.sink.lines.slice(0, -1));
        continue;
      }
      expect(cache.sink.lines).to.deep.equal(model.sink.lines);
      expect(cache.sink.events.map(({ object }) => object.item.toString())).to.deep.equal(
        model.sink.events.map(({ object }) => object.item.toString()),
      );
      expect(cache.watch.version).to.equal(model.watch.version);
    }
  }

  async #write({
    do: verb,
    resource: index,
    namespace,
    name,
    label,
    node,
    stale,
  }: Extract<Operation, { do: 'write' | 'delete' }>): Promise<void> {
    const resource_ = resources[index] ?? configMaps;
    const at = key(resource_, resource_ === nodes ? '' : namespace, name);
    const current = await this.model.get(at, { at: 'any' });
    const version = (current.outcome === 'found' ? current.object.version : 0) - (stale ? 1 : 0);
    const object = objectFor(at, { node, ...(label === null ? {} : { labels: { l: label } }) });
    const options = { timeoutMs: 60_000 };
    const change = (storage: Storage): Promise<WriteResult> => {
      if (verb === 'delete') return storage.delete(at, Math.max(1, version), options);
      return version <= 0 ? storage.create(at, object, options) : storage.update(at, object, version, options);
    };
    expect(describe_(await change(this.cache))).to.deep.equal(describe_(await change(this.model)));
  }

  async #list({ resource: index, select, limit, back: back_, consistency, pages }: Extract<Operation, { do: 'list' }>): Promise<void> {
    const version = Math.max(1, this.model.version - back_);
    const request = listRequest(resources[index] ?? configMaps, {
      ...selectionOf(select),
      limit,
      consistency: consistency === 'mostRecent' ? { at: 'mostRecent' } : { at: consistency, version },
    });
    for (let next: ListRequest | null = request; next !== null && pages !== 'none';) {
      next = await this.#listOnce(next);
      if (next === null || pages === 'now') continue;
      this.#pagers.push(next);
      return;
    }
    if (pages === 'none') await this.#listOnce(request);
  }

  async #listOnce(request: ListRequest): Promise<ListRequest | null> {
    const model = await this.model.list(request);
    const cache = await this.cache.list(request);
    // The model expires at once, while the cache may still continue. A client that goes on anyway gets the current rest.
    if (model.outcome === 'expired') return request.after === null ? null : { ...request, consistency: { at: 'mostRecent' } };
    expect(listed(cache)).to.deep.equal(listed(model));
    const last = model.outcome === 'found' && model.more ? model.items.at(-1) : undefined;
    return last === undefined || model.outcome !== 'found'
      ? null
      : { ...request, after: last, consistency: { at: 'exact', version: model.version } };
  }

  async #page(which_: number): Promise<void> {
    const [request] = this.#pagers.splice(which_ % Math.max(1, this.#pagers.length), 1);
    const next = request === undefined ? null : await this.#listOnce(request);
    if (next !== null) this.#pagers.push(next);
  }

  async #get({ resource: index, namespace, name, back: back_, consistency }: Extract<Operation, { do: 'get' }>): Promise<void> {
    const resource_ = resources[index] ?? configMaps;
    const at = key(resource_, resource_ === nodes ? '' : namespace, name);
    const asked: Consistency =
      consistency === 'mostRecent' || consistency === 'any'
        ? { at: consistency }
        : { at: consistency, version: Math.max(1, this.model.version - back_) };
    const model = await this.model.get(at, asked);
    const cache = await this.cache.get(at, asked);
    if (model.outcome !== 'expired') expect(got(cache)).to.deep.equal(got(model));
  }

  async #watch({ resource: index, select, start, back: back_, initialEvents }: Extract<Operation, { do: 'watch' }>): Promise<void> {
    const request: WatchRequest = watchRequest(resources[index] ?? configMaps, {
      ...selectionOf(select),
      initialEvents: start === 'after' && initialEvents,
      start: start === 'after' ? { at: start, version: Math.max(1, this.model.version - back_) } : { at: start },
    });
    // A sink that is full after each step, so that others run between steps.
    const [model, cache] = [
      new Recorder(),
      Object.assign(new Recorder(), {
        drained: (): Promise<void> =>
          new Promise((resolve) => {
            setImmediate(resolve);
          }),
      }),
    ];
    const { barriers } = this.replica;
    this.#pairs.push({
      request,
      model: { sink: model, watch: this.model.watch(request, model) },
      cache: { sink: cache, watch: this.cache.watch(request, cache) },
    });
    if (request.initialEvents && back_ < 0) await cache.count(1); // The cache waits for that version for a moment.
    // Both must begin at the same version to be comparable; the cache's progress before the next write is random.
    while (start === 'mostRecent' && this.replica.barriers === barriers)
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
  }

  #stop(which_: number): void {
    const pair = this.#pairs[which_ % Math.max(1, this.#pairs.length)];
    if (pair !== undefined) this.#drop(pair);
  }

  #drop(pair: Pair): void {
    this.#pairs.splice(this.#pairs.indexOf(pair), 1);
    pair.model.watch.stop();
    pair.cache.watch.stop();
    const [model, cache] = [pair.model.sink.lines, pair.cache.sink.lines.filter((line) => line !== 'end expired')];
    expect(cache).to.deep.equal(model.slice(0, cache.length));
  }

  /** At any time, all events up to the watch's version have been shown, and none beyond. */
  checkBookmarks(): void {
    const shown = ({ type, version, object: { namespace, name } }: WatchEvent): string => `${type} ${namespace}/${name}@${version}`;
    for (const { cache, model } of this.#pairs) {
      const { version } = cache.watch;
      if (version > 0)
        expect(cache.sink.events.map(shown)).to.deep.equal(model.sink.events.filter((event) => event.version <= version).map(shown));
    }
  }

  /** The client resumes with the same sink: its events must equal those of an undisturbed client. */
  #reconnect(pair: Pair | undefined, fromBookmark: boolean): void {
    const after = pair === undefined ? null : positionOf(pair, fromBookmark);
    if (pair === undefined || after === null) return;
    pair.cache.watch.stop();
    const { sink } = pair.cache;
    pair.cache = { sink, watch: this.cache.watch({ ...pair.request, start: { at: 'after', version: after }, initialEvents: false }, sink) };
  }

  /** A replica restarts, or clients move from another one. A client without the whole initial state would have to begin anew. */
  async #restart(): Promise<void> {
    for (const pair of [...this.#pairs]) if (positionOf(pair, false) === null && !hasEnded(pair)) this.#drop(pair);
    this.cache.close();
    const before = this.#pairs.map((pair) => [pair, positionOf(pair, true)] as const);
    for (const { cache } of this.#pairs) cache.watch.stop();
    this.cache = this.#start();
    await this.cache.ready();
    for (const [pair, after] of before) {
      if (after === null) continue;
      const { sink } = pair.cache;
      pair.cache = {
        sink,
        watch: this.cache.watch({ ...pair.request, start: { at: 'after', version: after }, initialEvents: false }, sink),
      };
    }
  }
}

const hasEnded = ({ cache, model }: Pair): boolean => [cache, model].some(({ sink }) => sink.lines.some((line) => line.startsWith('end ')));

/** The version from which a client of the cache can resume, or null. */
function positionOf(pair: Pair, fromBookmark: boolean): number | null {
  const {
    request: { start, initialEvents },
    cache: { sink, watch },
  } = pair;
  const synced = sink.lines.find((line) => line.startsWith('synced '))?.slice('synced '.length);
  if (hasEnded(pair) || ((start.at !== 'after' || initialEvents) && synced === undefined)) return null;
  return Math.max(
    start.at === 'after' ? start.version : 0,
    Number(synced ?? 0),
    sink.events.at(-1)?.version ?? 0,
    fromBookmark ? watch.version : 0,
  );
}

const selectionOf = (select: Selection): Pick<ListRequest, 'namespace' | 'labels' | 'fields'> => ({
  namespace: select.namespace,
  labels: labels(select.labels),
  fields: fields(select.fields),
});

const describe_ = (result: WriteResult): unknown => {
  if (result.outcome === 'applied') return { outcome: 'applied', item: result.object.item.toString() };
  return result.outcome === 'conflict' ? { outcome: 'conflict', current: result.current?.item.toString() } : result;
};

const got = (result: GetResult): unknown =>
  result.outcome === 'found' ? { outcome: 'found', item: result.object.item.toString() } : result;

function listed(result: ListResult): unknown {
  return result.outcome === 'found'
    ? { ...result, items: result.items.map(({ namespace, name, version, item }) => ({ namespace, name, version, item: item.toString() })) }
    : result;
}

describe('the watch cache beside the model', () => {
  const variants: readonly (readonly [string, Partial<RaftStorageOptions>])[] = [
    ['keeping all history', {}],
    ['keeping 5 changes of history', { history: { changesMax: 5 } }],
    ['without a cache', { cached: () => false }],
    ['with a cache of some resources', { cached: ({ resource: name }) => name !== 'configmaps' }],
  ];
  for (const [variant, options] of variants) {
    it(`agrees, ${variant}`, async function () {
      await fc.assert(
        fc.asyncProperty(fc.array(operation, { minLength: 1, maxLength: 60, size: 'max' }), async (operations) => {
          const both = new Both(options);
          await both.cache.ready();
          for (const next of operations) {
            await both.do(next);
            both.checkBookmarks();
          }
          await both.check();
        }),
        { numRuns: 150 },
      );
    });
  }
});
