import { machine } from './against/against.js';
import { measures, prepare, type Load } from './against/measures.js';
import { summary, type Turn } from './against/report.js';
import { residentBytesOf, type Subject } from './against/subject.js';
import { oneTurn } from './against/turn.js';
import { withBenchCluster, type BenchCluster } from './benchCluster.js';
import { message, start } from './http2/processes.js';
import type { WatchLoadTask } from './http2/watchload.js';
import { fill } from './reads.js';
import { count, printTable, ratio } from './table.js';

/**
 * Whether a request costs more when more is stored, defined or watched: processor time of the server for each request at every size, beside the smallest
 * one. Each size has a cluster of its own, and they are measured in turns, so that what else the machine does meets all.
 */
export interface GrowthOptions {
  readonly objects: readonly number[];
  readonly definitions: readonly number[];
  readonly selectors: readonly number[];
  readonly seconds: number;
  readonly turns: number;
}

interface Axis {
  readonly name: string;
  readonly sizes: readonly number[];
  /** Brings a cluster to a size; answers with what must end before it stops. */
  readonly grow: (cluster: BenchCluster, size: number) => Promise<() => void>;
}

const connections = 32;
const definitionsAtOnce = 8;
const idle = (): void => undefined;
const measured = measures.filter(({ unit }) => unit === 'requests');

export async function benchGrowth({ objects, definitions, selectors, seconds, turns }: GrowthOptions): Promise<void> {
  const axes: readonly Axis[] = [
    { name: 'objects', sizes: objects, grow: store },
    { name: 'custom definitions', sizes: definitions, grow: define },
    { name: 'watchers, a selector each', sizes: selectors, grow: watch },
  ];
  for (const axis of axes) await grown(axis, axis.sizes, [], (grownClusters) => compare(axis.name, grownClusters, seconds, turns));
  console.log(machine());
}

interface Grown extends Subject {
  readonly size: number;
}

/** Starts and fills a cluster for each size; all of them run while `measure` does. */
async function grown(
  axis: Axis,
  [size, ...others]: readonly number[],
  before: readonly Grown[],
  measure: (all: readonly Grown[]) => Promise<void>,
): Promise<void> {
  if (size === undefined) return measure(before);
  await withBenchCluster(1, async (cluster) => {
    console.error(`  ${count(size)} ${axis.name} ...`);
    const end = await axis.grow(cluster, size);
    try {
      const subject = { name: count(size), size, endpoints: cluster.endpoints, pids: [cluster.pid] };
      await grown(axis, others, [...before, subject], measure);
    } finally {
      end();
    }
  });
}

/** Every kind of request at every size in turn, after a round that is not counted. */
async function compare(what: string, subjects: readonly Grown[], seconds: number, turns: number): Promise<void> {
  const load: Load = { collection: '/api/v1/namespaces/measured/configmaps', connections, seconds };
  for (const subject of subjects) await prepare(subject, load);
  const rows: string[][] = [];
  for (const measure of measured) {
    console.error(`  ${measure.name} ...`);
    const found = subjects.map((): Turn[] => []);
    for (let turn = 0; turn <= turns; turn++)
      for (const [index, subject] of subjects.entries()) {
        const one = await oneTurn(subject, measure, load, turn);
        if (turn > 0) found[index]?.push(one);
      }
    const smallest = summary(found[0] ?? []).serverUs;
    for (const [index, { name }] of subjects.entries()) {
      const { serverUs, perSecond } = summary(found[index] ?? []);
      rows.push([measure.name, name, count(serverUs), ratio(serverUs, smallest), count(perSecond)]);
    }
  }
  printTable(['request', what, 'server µs', 'of the smallest', '1/s'], rows);
  for (const subject of subjects) console.log(`${subject.name} ${what}: ${(residentBytesOf(subject) / 2 ** 20).toFixed(0)} MiB resident`);
}

async function store(cluster: BenchCluster, size: number): Promise<() => void> {
  const names = Array.from({ length: size }, (_, each) => `stored-${each}`);
  await fill(cluster, '/api/v1/namespaces/default/configmaps', names, 100);
  return idle;
}

async function define({ client }: BenchCluster, size: number): Promise<() => void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: definitionsAtOnce }, async () => {
      for (let at = next++; at < size; at = next++)
        await client.expect(201, 'POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', { body: definition(at) });
    }),
  );
  return idle;
}

function definition(at: number): object {
  const names = { plural: `things${at}`, singular: `thing${at}`, kind: `Thing${at}`, listKind: `Thing${at}List` };
  const spec = {
    type: 'object',
    properties: { size: { type: 'integer', minimum: 0 }, text: { type: 'string' }, tags: { type: 'array', items: { type: 'string' } } },
  };
  return {
    metadata: { name: `${names.plural}.group${at % 50}.example.com` },
    spec: {
      group: `group${at % 50}.example.com`,
      names,
      scope: 'Namespaced',
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', properties: { spec } } } }],
    },
  };
}

/** Watchers whose selectors nothing that is written fulfils. */
async function watch({ endpoints: [endpoint], files }: BenchCluster, size: number): Promise<() => void> {
  if (size === 0) return idle;
  const task: WatchLoadTask = {
    ports: [endpoint?.port ?? 0],
    caFile: files.ca,
    certFile: files.clientCert,
    keyFile: files.clientKey,
    connections: Math.min(16, size),
    watchers: size,
    path: '/api/v1/configmaps?watch=1&labelSelector=number%3D{}&resourceVersion=0',
  };
  const child = start('watchload', [JSON.stringify(task)]);
  await message(child);
  return () => child.disconnect();
}
