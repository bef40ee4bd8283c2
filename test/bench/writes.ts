import { withBenchCluster, type BenchCluster } from './benchCluster.js';
import { request, type Endpoint } from './connection.js';
import { processorSeconds } from '../fixtures/processUsage.js';
import { bareGroupCommit, startBareServer } from './limits.js';
import { load, type LoadResult } from './load.js';
import { fill } from './reads.js';
import { count, milliseconds, printTable, ratio } from './table.js';
import type { ReplicaCount } from '../../deploy/settings.js';

/** Compares all ways to change an object, one for each connection. Processor time of a write, over all replicas, is more reliable than rates. */
export interface WritesOptions {
  readonly replicas: readonly ReplicaCount[];
  readonly seconds: number;
  readonly connections: number;
}

const collection = '/api/v1/namespaces/default/configmaps';
const valueBytes = 1024;
const storedBytes = valueBytes + 300;
const warmUpSeconds = 2;

const nameOf = (connection: number): string => `written-${connection}`;
const letter = (round: number): string => String.fromCharCode(97 + (round % 26));
const configMap = (connection: number, round: number): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: nameOf(connection) },
  data: { value: letter(round).repeat(valueBytes) },
});

interface Way {
  readonly what: string;
  readonly method: string;
  readonly type: string;
  readonly query?: string;
  readonly body: (connection: number, round: number) => unknown;
}

const ways: readonly Way[] = [
  { what: 'updates', method: 'PUT', type: 'application/json', body: configMap },
  {
    what: 'merge patches',
    method: 'PATCH',
    type: 'application/merge-patch+json',
    body: (_connection, round) => ({ data: { value: letter(round).repeat(valueBytes) } }),
  },
  {
    what: 'JSON patches',
    method: 'PATCH',
    type: 'application/json-patch+json',
    body: (_connection, round) => [{ op: 'replace', path: '/data/value', value: letter(round).repeat(valueBytes) }],
  },
  {
    what: 'strategic merge patches',
    method: 'PATCH',
    type: 'application/strategic-merge-patch+json',
    body: (_connection, round) => ({ data: { value: letter(round).repeat(valueBytes) } }),
  },
  { what: 'applies', method: 'PATCH', type: 'application/apply-patch+yaml', query: '?fieldManager=bench&force=true', body: configMap },
  {
    what: 'applies that change nothing',
    method: 'PATCH',
    type: 'application/apply-patch+yaml',
    query: '?fieldManager=bench&force=true',
    body: (connection) => configMap(connection, 0),
  },
];

interface Row {
  readonly replicas: number;
  readonly what: string;
  readonly result: LoadResult;
  readonly microseconds: number;
  readonly commit: number;
  readonly bare: number;
  readonly updates: number;
}

export async function benchWrites({ replicas, seconds, connections }: WritesOptions): Promise<void> {
  const rows: Row[] = [];
  for (const size of replicas)
    await withBenchCluster(size, async (cluster) => {
      rows.push(...(await measure(cluster, size, seconds, connections)));
    });
  printTable(
    ['measure', 'replicas', '1/s', 'p50 ms', 'p99 ms', 'CPU µs', 'of updates', 'bare HTTPS 1/s', 'of it', 'bare commits/s', 'of them'],
    rows.map((row) => [
      row.what,
      String(row.replicas),
      count(row.result.perSecond),
      milliseconds(row.result.p50Ms),
      milliseconds(row.result.p99Ms),
      row.microseconds.toFixed(0),
      ratio(row.result.perSecond, row.updates),
      count(row.bare),
      ratio(row.result.perSecond, row.bare),
      count(row.commit),
      ratio(row.result.perSecond, row.commit),
    ]),
  );
}

async function measure(cluster: BenchCluster, replicas: number, seconds: number, connections: number): Promise<Row[]> {
  const { endpoints, files } = cluster;
  await fill(
    cluster,
    collection,
    Array.from({ length: connections }, (_, each) => nameOf(each)),
    valueBytes,
  );
  const rows: Omit<Row, 'commit' | 'bare'>[] = [];
  // A warm-up, so that the first measurement does not include compilation.
  await load({
    endpoints,
    connections,
    seconds: warmUpSeconds,
    expect: 200,
    next: (connection, round) => requestOf(ways[0] as Way, connection, round),
  });
  for (const way of ways) {
    console.error(`  ${replicas} replica(s): ${way.what} ...`);
    const before = processorOf(cluster);
    const started = performance.now();
    const result = await load({
      endpoints,
      connections,
      seconds,
      expect: 200,
      next: (connection, round) => requestOf(way, connection, round),
    });
    const writes = (result.perSecond * (performance.now() - started)) / 1000;
    const updates: number = rows[0]?.result.perSecond ?? result.perSecond;
    rows.push({ replicas, what: way.what, result, updates, microseconds: ((processorOf(cluster) - before) * 1e6) / writes });
  }
  const commit = bareGroupCommit(storedBytes, connections, 1);
  const bare = await startBareServer(endpoints[0] as Endpoint, files.serverCert, files.serverKey, storedBytes);
  try {
    const { perSecond } = await load({
      endpoints: [bare.endpoint],
      connections,
      seconds: seconds / 2,
      expect: 200,
      next: (connection, round) => requestOf(ways[0] as Way, connection, round),
    });
    return rows.map((row) => ({ ...row, commit, bare: perSecond }));
  } finally {
    bare.stop();
  }
}

const processorOf = ({ cluster }: BenchCluster): number =>
  cluster.members.reduce((sum, { process: { pid } }) => sum + (pid === null ? 0 : processorSeconds(pid)), 0);

const requestOf = ({ method, type, query = '', body }: Way, connection: number, round: number): Buffer =>
  request(method, `${collection}/${nameOf(connection)}${query}`, JSON.stringify(body(connection, round)), type);
