import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { issueCertificate } from '../../deploy/certificates.js';
import { machine } from './against/against.js';
import { measures, prepare, type Load } from './against/measures.js';
import { summary, type Turn } from './against/report.js';
import { residentBytesOf, type Subject } from './against/subject.js';
import { oneTurn } from './against/turn.js';
import { withBenchCluster, type BenchCluster } from './benchCluster.js';
import type { Endpoint } from './connection.js';
import { message, start } from './processes.js';
import type { WatchLoadTask } from './http2/watchLoad.js';
import { count, printTable, ratio } from './table.js';

/** Shows whether a request or event costs more processor time when more is stored, defined, allowed or watched. Sizes take turns. */
export interface GrowthOptions {
  readonly objects: readonly number[];
  readonly definitions: readonly number[];
  readonly bindings: readonly number[];
  readonly selectors: readonly number[];
  readonly seconds: number;
  readonly turns: number;
  /** Parts of the names of axes; empty for all. */
  readonly only: string;
}

interface Axis {
  readonly name: string;
  readonly sizes: readonly number[];
  /** Grows a cluster to a size; returns a function that ends it. */
  readonly grow: (cluster: BenchCluster, size: number) => Promise<() => void>;
  /** The users; default administrators, who bypass rules. */
  readonly as?: (cluster: BenchCluster) => Promise<readonly Endpoint[]>;
}

const connections = 32;
const namespace = 'measured';
const collection = `/api/v1/namespaces/${namespace}/configmaps`;
const storedBytes = 100;
const storedAtOnce = 1_000;
const madeAtOnce = 8;
const idle = (): void => undefined;

export async function benchGrowth({ objects, definitions, bindings, selectors, seconds, turns, only }: GrowthOptions): Promise<void> {
  const axes: readonly Axis[] = [
    { name: 'objects', sizes: objects, grow: store },
    { name: 'custom definitions', sizes: definitions, grow: define },
    { name: 'role bindings', sizes: bindings, grow: bind, as: boundUser },
    { name: 'watchers, a selector each', sizes: selectors, grow: watch },
  ];
  for (const axis of axes.filter(({ name }) => name.includes(only)))
    await grown(axis, axis.sizes, [], (grownClusters) => compare(axis.name, grownClusters, seconds, turns));
  console.log(machine());
}

/** Starts and fills a cluster for each size; all run during `measure`. */
async function grown(
  axis: Axis,
  [size, ...others]: readonly number[],
  before: readonly Subject[],
  measure: (all: readonly Subject[]) => Promise<void>,
): Promise<void> {
  if (size === undefined) return measure(before);
  await withBenchCluster(1, async (cluster) => {
    console.error(`  ${count(size)} ${axis.name} ...`);
    const administrator = { name: count(size), endpoints: cluster.endpoints, pids: [cluster.pid] };
    await prepare(administrator, { collection, connections });
    const end = await axis.grow(cluster, size);
    try {
      const subject = { ...administrator, endpoints: (await axis.as?.(cluster)) ?? cluster.endpoints };
      await grown(axis, others, [...before, subject], measure);
    } finally {
      end();
    }
  });
}

/** Every request at every size in turn, after a warm-up. The minimum over turns counts. */
async function compare(what: string, subjects: readonly Subject[], seconds: number, turns: number): Promise<void> {
  const load: Load = { collection, connections, seconds };
  const rows: string[][] = [];
  for (const measure of measures) {
    console.error(`  ${measure.name} ...`);
    const found = subjects.map((): Turn[] => []);
    for (let turn = 0; turn <= turns; turn++)
      for (const [index, subject] of subjects.entries()) {
        const one = await oneTurn(subject, measure, load, turn);
        if (turn > 0) found[index]?.push(one);
      }
    const least = found.map((each) => Math.min(...each.map(({ serverUs }) => serverUs)));
    for (const [index, { name }] of subjects.entries()) {
      const { serverUs, perSecond } = summary(found[index] ?? []);
      rows.push([
        measure.name,
        name,
        count(serverUs),
        count(least[index] ?? NaN),
        ratio(least[index] ?? NaN, least[0] ?? NaN),
        count(perSecond),
      ]);
    }
  }
  printTable(['request', what, 'server µs', 'least', 'of the smallest', '1/s'], rows);
  for (const subject of subjects) console.log(`${subject.name} ${what}: ${(residentBytesOf(subject) / 2 ** 20).toFixed(0)} MiB resident`);
}

/** Small objects in another namespace, stored a page at a time like a restored snapshot, in stored form. */
async function store({ client }: BenchCluster, size: number): Promise<() => void> {
  const at = '/api/v1/namespaces/default/configmaps';
  const body = { metadata: { name: 'stored-0' }, data: { value: 'v'.repeat(storedBytes) } };
  const first = await client.expect(201, 'POST', at, { body });
  for (let from = 1; from < size; from += storedAtOnce) {
    const objects = Array.from({ length: Math.min(storedAtOnce, size - from) }, (_, each) => {
      const metadata = { ...first.metadata, name: `stored-${from + each}`, uid: randomUUID() };
      return { group: '', resource: 'configmaps', object: { ...first, metadata } };
    });
    await client.expect(200, 'PUT', '/raft/v1/objects', { body: { objects } });
  }
  return idle;
}

const define = (cluster: BenchCluster, size: number): Promise<() => void> =>
  make(
    cluster,
    '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
    Array.from({ length: size }, (_, at) => definition(at)),
  );

async function make({ client }: BenchCluster, path: string, objects: readonly object[]): Promise<() => void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: madeAtOnce }, async () => {
      for (let body = objects[next++]; body !== undefined; body = objects[next++]) await client.expect(201, 'POST', path, { body });
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

const rights = '/apis/rbac.authorization.k8s.io/v1';
const roles = 20;
const userName = 'measured';

/** Bindings of other users: a tenth cluster-wide, the rest in the measured namespace, half of them for groups. */
async function bind(cluster: BenchCluster, size: number): Promise<() => void> {
  const rules = [{ apiGroups: ['', 'apps'], resources: ['configmaps', 'deployments'], verbs: ['*'] }];
  await make(
    cluster,
    `${rights}/clusterroles`,
    Array.from({ length: roles }, (_, at) => ({ metadata: { name: `role-${at}` }, rules })),
  );
  const binding = (at: number): object => ({
    metadata: { name: `binding-${at}` },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: `role-${at % roles}` },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: at % 2 === 0 ? 'Group' : 'User', name: `other-${at}` }],
  });
  const all = Array.from({ length: size }, (_, at) => binding(at));
  await make(
    cluster,
    `${rights}/clusterrolebindings`,
    all.filter((_, at) => at % 10 === 0),
  );
  return make(
    cluster,
    `${rights}/namespaces/${namespace}/rolebindings`,
    all.filter((_, at) => at % 10 !== 0),
  );
}

/** A user with rights by a binding. */
async function boundUser(cluster: BenchCluster): Promise<readonly Endpoint[]> {
  const { caFile, caKeyFile } = cluster.cluster.pki;
  const authority = { certificate: readFileSync(caFile, 'utf8'), key: readFileSync(caKeyFile, 'utf8') };
  const issued = await issueCertificate(authority, { commonName: userName, usages: ['clientAuth'] });
  await make(cluster, `${rights}/clusterrolebindings`, [
    {
      metadata: { name: userName },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'role-0' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: userName }],
    },
  ]);
  return cluster.endpoints.map((endpoint) => ({ ...endpoint, cert: Buffer.from(issued.certificate), key: Buffer.from(issued.key) }));
}

/** Watchers whose selectors match no write. */
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
  const child = start('http2/watchLoad', [JSON.stringify(task)]);
  await message(child);
  return () => child.disconnect();
}
