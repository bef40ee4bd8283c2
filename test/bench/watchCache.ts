import { performance } from 'node:perf_hooks';
import type { ChangeBatch, Replica } from '../../raft/replicaApi.js';
import type { Change, KeyValue } from '../../raft/store/contract.js';
import { revision } from '../../raft/types.js';
import { parseFieldSelector, parseLabelSelector, type FieldSelector, type LabelSelector } from '../../api/selectors/index.js';
import type { ListRequest, WatchEvent, WatchRequest, WatchSink } from '../../server/storage/contract.js';
import { encodeStored } from '../../server/storage/encoding.js';
import { createRaftStorage, type RaftStorage } from '../../server/storage/raft.js';

/** The cost of the watch cache by itself, without consensus, sockets or HTTP. Prints one line a measurement; `--expose-gc` adds memory figures. */

const resource = { group: '', resource: 'configmaps' };
const nameOf = (i: number): string => `object-${String(i).padStart(6, '0')}`;
const namespaceOf = (i: number): string => `ns-${i % 100}`;
const keyOf = (i: number): string => `/registry/core/configmaps/${namespaceOf(i)}/${nameOf(i)}`;

/** About 1 KiB as JSON. */
function valueOf(i: number, app: string): Buffer {
  const at = { resource, namespace: namespaceOf(i), name: nameOf(i) };
  return encodeStored(at, {
    apiVersion: 'v1',
    metadata: {
      name: at.name,
      namespace: at.namespace,
      uid: `00000000-0000-4000-8000-${String(i).padStart(12, '0')}`,
      creationTimestamp: '2026-01-01T00:00:00Z',
      labels: { app },
    },
    data: { text: 'x'.repeat(760) },
  });
}

/** Serves sorted items in pages, and given changes; every value is a view into a batch, as from the consensus thread. */
class BenchReplica implements Pick<Replica, 'range' | 'changesSince' | 'onChanges' | 'write' | 'barrier' | 'compact'> {
  readonly #items: readonly { readonly key: string; readonly value: Buffer }[];
  revision: number;
  #listener: (batch: ChangeBatch) => void = () => undefined;

  constructor(items: readonly { readonly key: string; readonly value: Buffer }[]) {
    this.#items = items;
    this.revision = items.length + 1;
  }

  async range({ start, limit }: Parameters<Replica['range']>[0]): ReturnType<Replica['range']> {
    let first = 0;
    for (let high = this.#items.length; first < high;) {
      const middle = (first + high) >> 1;
      if ((this.#items[middle]?.key ?? '') < start) first = middle + 1;
      else high = middle;
    }
    const page = this.#items.slice(first, first + (limit ?? this.#items.length));
    const batch = Buffer.concat(page.map(({ value }) => value));
    let offset = 0;
    const items = page.map(({ key, value }, index): KeyValue => ({
      key,
      value: batch.subarray(offset, (offset += value.length)),
      createRevision: revision(first + index + 2),
      modRevision: revision(first + index + 2),
      version: 1,
    }));
    return { outcome: 'found', revision: revision(this.revision), items, remaining: this.#items.length - first - page.length };
  }

  onChanges(listener: (batch: ChangeBatch) => void): () => void {
    this.#listener = listener;
    return () => undefined;
  }

  change(items: readonly { readonly key: string; readonly value: Buffer | null }[]): void {
    const changes = items.map((item): Change => ({ ...item, revision: revision(++this.revision), createRevision: revision(2) }));
    this.#listener({ changes, revision: revision(this.revision), compacted: revision(0), gap: false });
  }

  async changesSince(): ReturnType<Replica['changesSince']> {
    return { outcome: 'found', changes: [], through: revision(this.revision) };
  }
  current(): null {
    return null;
  }
  async barrier(): ReturnType<Replica['barrier']> {
    return { outcome: 'reached', revision: revision(this.revision) };
  }
  async write(): ReturnType<Replica['write']> {
    return { outcome: 'unavailable', reason: 'not here' };
  }
  async compact(): ReturnType<Replica['compact']> {
    return { outcome: 'unavailable', reason: 'not here' };
  }
}

class CountingSink implements WatchSink {
  events = 0;
  bytes = 0;
  event(event: WatchEvent): void {
    this.events++;
    this.bytes += event.frame('json', ({ object }) => Buffer.concat([frameStart, object.item, frameEnd])).length;
  }
  synced(): void {}
  end(reason: { readonly outcome: string }): void {
    throw new Error(`a watch ended: ${reason.outcome}`);
  }
}
const frameStart = Buffer.from('{"type":"MODIFIED","object":{"kind":"ConfigMap","apiVersion":"v1",');
const frameEnd = Buffer.from('}\n');

const report = (what: string, figure: string): void => console.log(`${what.padEnd(78)} ${figure}`);
const ns = (ms: number, count: number): string => `${Math.round((ms * 1e6) / count).toLocaleString('en')} ns`;
const memory = (): { readonly rss: number; readonly used: number } => {
  globalThis.gc?.();
  globalThis.gc?.();
  const { rss, heapUsed, external } = process.memoryUsage();
  return { rss, used: heapUsed + external };
};

export async function benchWatchCache(): Promise<void> {
  const count = 100_000;
  const storage = await measureLoad(count);
  await measureReads(storage.storage, count);
  measureChanges(storage.replica, count);
  const byNameOrNamespace = (i: number): Partial<WatchRequest> =>
    i < 10
      ? { namespace: 'ns-1' }
      : i % 2 === 0
        ? { namespace: `other-${i}` }
        : { namespace: 'ns-1', fields: fields(`metadata.name=none-${i}`) };
  await measureFanOut('100 watchers, 10 match (name or namespace)', { watchers: 100, events: 5_000 }, byNameOrNamespace);
  await measureFanOut('10,000 watchers, 10 match (name or namespace)', { watchers: 10_000, events: 5_000 }, byNameOrNamespace);
  await measureFanOut('10,000 watchers, 10 match (labels, all namespaces)', { watchers: 10_000, events: 5_000 }, (i) => ({
    labels: labels(i < 10 ? 'app=a' : `app=none-${i}`),
  }));
  await measureFanOut('10,000 watchers, 10 match (sets of label values)', { watchers: 10_000, events: 5_000 }, (i) => ({
    labels: labels(i < 10 ? 'app in (a,b)' : `app in (none-${i},other-${i})`),
  }));
  await measureFanOut('10,000 watchers, 10 match (labels of any value)', { watchers: 10_000, events: 5_000 }, (i) => ({
    labels: labels(i < 10 ? 'app' : `none-${i}`),
  }));
  await measureFanOut('1,000 watchers, 10 match (labels of any value)', { watchers: 1_000, events: 5_000 }, (i) => ({
    labels: labels(i < 10 ? 'app' : `none-${i}`),
  }));
  await measureFanOut('10,000 watchers, all match', { watchers: 10_000, events: 200 }, () => ({}));
  storage.storage.close();
}

async function measureLoad(count: number): Promise<{ storage: RaftStorage; replica: BenchReplica }> {
  const items = Array.from({ length: count }, (_, i) => ({ key: keyOf(i), value: valueOf(i, 'a') })).sort((a, b) =>
    a.key < b.key ? -1 : 1,
  );
  const stored = items.reduce((sum, { key, value }) => sum + key.length + value.length, 0);
  const replica = new BenchReplica(items);
  const before = memory();
  const start = performance.now();
  const storage = createRaftStorage({ replica });
  await storage.ready();
  const took = performance.now() - start;
  const after = memory();
  report(`load ${count.toLocaleString('en')} objects (${(stored / count).toFixed(0)} stored bytes each)`, `${took.toFixed(0)} ms`);
  report(
    '  memory in use per stored byte (heap and buffers; resident)',
    `${((after.used - before.used) / stored).toFixed(2)}; ${((after.rss - before.rss) / stored).toFixed(2)}`,
  );
  return { storage, replica };
}

async function measureReads(storage: RaftStorage, count: number): Promise<void> {
  const gets = 100_000;
  let start = performance.now();
  for (let i = 0; i < gets; i++) await storage.get({ resource, namespace: namespaceOf(i % count), name: nameOf(i % count) }, { at: 'any' });
  report('get, at any version', ns(performance.now() - start, gets));
  const request: ListRequest = {
    resource,
    namespace: 'ns-1',
    labels: [],
    fields: [],
    consistency: { at: 'any' },
    limit: null,
    after: null,
  };
  const joined = async (more: Partial<ListRequest>): Promise<number> => {
    const result = await storage.list({ ...request, ...more });
    if (result.outcome !== 'found') throw new Error(result.outcome);
    return Buffer.concat(result.items.map(({ item }) => item)).length;
  };
  for (const [what, more, runs] of [
    ['list 1,000 objects of 1 KiB and join their bytes', {}, 300],
    ['list 1,000 objects by label and join their bytes', { labels: labels('app=a') }, 300],
    ['list a page of 500 among 100,000', { namespace: null, limit: 500, after: { namespace: 'ns-5', name: nameOf(5_005) } }, 300],
    ['list 100,000 objects by a label of none', { namespace: null, labels: labels('app=b') }, 5],
  ] as const) {
    start = performance.now();
    for (let run = 0; run < runs; run++) await joined(more);
    report(what, `${((performance.now() - start) / runs).toFixed(3)} ms`);
  }
}

function measureChanges(replica: BenchReplica, count: number): void {
  const changes = 50_000;
  const values = Array.from({ length: changes }, (_, i) => ({ key: keyOf((i * 7919) % count), value: valueOf((i * 7919) % count, 'a') }));
  const before = memory();
  const start = performance.now();
  for (let i = 0; i < changes; i += 10) replica.change(values.slice(i, i + 10));
  const took = performance.now() - start;
  report('change applied without watchers', ns(took, changes));
  report('  memory of the history they leave (bounded by 64 MiB of states)', `${((memory().used - before.used) / 2 ** 20).toFixed(0)} MiB`);
}

async function measureFanOut(
  what: string,
  { watchers, events }: { watchers: number; events: number },
  requestFor: (i: number) => Partial<WatchRequest>,
): Promise<void> {
  const replica = new BenchReplica([]);
  const storage = createRaftStorage({ replica });
  await storage.ready();
  await new Promise((resolve) => setImmediate(resolve));
  const before = memory();
  const sinks = Array.from({ length: watchers }, (_, i) => {
    const sink = new CountingSink();
    storage.watch(
      {
        resource,
        namespace: null,
        labels: [],
        fields: [],
        start: { at: 'after', version: replica.revision },
        initialEvents: false,
        ...requestFor(i),
      },
      sink,
    );
    return sink;
  });
  await new Promise((resolve) => setImmediate(resolve));
  const perWatcher = (memory().used - before.used) / watchers;
  const values = Array.from({ length: events * 2 }, (_, i) => ({
    key: keyOf((i % 20) * 100 + 1),
    value: valueOf((i % 20) * 100 + 1, 'a'),
  }));
  for (const value of values.slice(0, events)) replica.change([value]); // To warm up.
  const start = performance.now();
  for (const value of values.slice(events)) replica.change([value]);
  const took = performance.now() - start;
  const delivered = sinks.reduce((sum, sink) => sum + sink.events, 0) / 2;
  report(
    what,
    `${ns(took, events)} per event, ${ns(took, delivered)} per delivery (${delivered / events} each); ${perWatcher.toFixed(0)} bytes per watcher`,
  );
  storage.close();
}

function labels(text: string): LabelSelector {
  const parsed = parseLabelSelector(text);
  if (!parsed.ok) throw new Error(parsed.message);
  return parsed.selector;
}

function fields(text: string): FieldSelector {
  const parsed = parseFieldSelector(text);
  if (!parsed.ok) throw new Error(parsed.message);
  return parsed.selector;
}
