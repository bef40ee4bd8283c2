import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import https from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startCluster, type Cluster } from '../../deploy/cluster.js';
import type { ReplicaCount } from '../../deploy/settings.js';
import { residentBytes } from '../fixtures/processUsage.js';
import { Connection, request, type Endpoint } from './connection.js';
import { load, type LoadResult } from './load.js';
import { bareGroupCommit, startBareServer } from './limits.js';
import { count, megabytes, milliseconds, printTable, ratio } from './table.js';

/** Throughput of a cluster of real processes, beside what the machine does with the same bytes without our code. */
export interface ControlPlaneOptions {
  readonly replicas: readonly ReplicaCount[];
  readonly seconds: number;
  readonly connections: number;
}

const valueBytes = 1024;
const listedObjects = 1000;
const watchers = 100;
const collection = '/api/v1/namespaces/default/configmaps';
const configMap = (name: string, fill: string): string =>
  JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { value: fill.repeat(valueBytes) } });

interface Row {
  readonly what: string;
  readonly replicas: number;
  readonly result: LoadResult;
  readonly limit: number;
  readonly limitName: string;
}

export async function benchControlPlane(options: ControlPlaneOptions): Promise<void> {
  const rows: Row[] = [];
  const facts: string[] = [];
  for (const replicas of options.replicas)
    await withCluster(replicas, async (cluster, readyAfter) => {
      rows.push(...(await measure(cluster, replicas, options)));
      facts.push(
        `${replicas} replica(s): ready after ${readyAfter.toFixed(2)} s, ${residentMegabytes(cluster).toFixed(0)} MB resident in all replicas after the run`,
      );
    });
  printTable(
    ['measure', 'replicas', '1/s', 'p50 ms', 'p99 ms', 'bare limit 1/s', 'of limit', 'limit is'],
    rows.map(({ what, replicas, result, limit, limitName }) => [
      what,
      String(replicas),
      count(result.perSecond),
      milliseconds(result.p50Ms),
      milliseconds(result.p99Ms),
      count(limit),
      ratio(result.perSecond, limit),
      limitName,
    ]),
  );
  for (const fact of facts) console.log(fact);
}

async function withCluster(replicas: ReplicaCount, run: (cluster: Cluster, readySeconds: number) => Promise<void>): Promise<void> {
  const directory = mkdtempSync(path.join(tmpdir(), 'bench-cluster-'));
  const say = (line: string): void => console.error(`  ${line}`);
  const started = performance.now();
  const cluster = await startCluster({ dataDirectory: directory, replicas, fresh: true });
  try {
    const ready = (performance.now() - started) / 1000;
    say(`${replicas} replica(s) ready after ${ready.toFixed(2)} s`);
    await run(cluster, ready);
  } finally {
    await cluster.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

async function measure(cluster: Cluster, replicas: number, { seconds, connections }: ControlPlaneOptions): Promise<Row[]> {
  const endpoints = endpointsOf(cluster);
  const first = endpoints[0] as Endpoint;
  const run = async (what: string, expect: number, next: (connection: number, round: number) => Buffer): Promise<LoadResult> => {
    console.error(`  ${what} ...`);
    return load({ endpoints, connections, seconds, next, expect });
  };
  const name = (connection: number): string => `bench-${connection}`;
  const creates = await run('creates', 201, (connection, round) =>
    request('POST', collection, configMap(`c-${replicas}-${connection}-${round}`, 'c')),
  );
  await deleteAll(first);
  await fill(
    first,
    Array.from({ length: connections }, (_, each) => name(each)),
  );
  const updates = await run('updates', 200, (connection, round) =>
    request('PUT', `${collection}/${name(connection)}`, configMap(name(connection), String.fromCharCode(97 + (round % 26)))),
  );
  const gets = await run('gets', 200, (connection) => request('GET', `${collection}/${name(connection)}`));
  await fill(
    first,
    Array.from({ length: listedObjects - connections }, (_, each) => `listed-${each}`),
  );
  const lists = await run('lists', 200, () => request('GET', collection));
  console.error('  watch events ...');
  const events = await watchEvents(endpoints, seconds, collection);
  const { certFile, keyFile } = cluster.pki.apiserver;
  const bare = async (bytes: number): Promise<number> => {
    const server = await startBareServer(first, certFile, keyFile, bytes);
    try {
      return (await load({ endpoints: [server.endpoint], connections, seconds: seconds / 2, next: () => request('GET', '/'), expect: 200 }))
        .perSecond;
    } finally {
      server.stop();
    }
  };
  const commit = bareGroupCommit(valueBytes + 300, connections, 1);
  const small = await bare(valueBytes + 300);
  const large = await bare(Math.round(lists.bytesPerSecond / lists.perSecond));
  console.error(`  lists move ${megabytes(lists.bytesPerSecond)} MB/s`);
  const row = (what: string, result: LoadResult, limit: number, limitName: string): Row => ({ what, replicas, result, limit, limitName });
  return [
    row('creates of 1 KiB', creates, commit, `SQLite FULL, groups of ${connections}`),
    row('updates of 1 KiB', updates, commit, `SQLite FULL, groups of ${connections}`),
    row('gets of 1 KiB', gets, small, 'node:https, same bytes'),
    row(`lists of ${listedObjects}`, lists, large, 'node:https, same bytes'),
    row(`watch events, ${watchers} watchers`, events, small, "node:https answers of an event's bytes"),
  ];
}

function endpointsOf(cluster: Cluster): Endpoint[] {
  const [ca, cert, key] = [cluster.pki.caFile, cluster.pki.admin.certFile, cluster.pki.admin.keyFile].map((file) => readFileSync(file)) as [
    Buffer,
    Buffer,
    Buffer,
  ];
  return cluster.members.map(({ address }) => ({ host: '127.0.0.1', port: Number(new URL(address).port), ca, cert, key }));
}

async function fill(endpoint: Endpoint, names: readonly string[]): Promise<void> {
  const connection = await Connection.open(endpoint);
  for (const name of names) {
    const { status } = await connection.send(request('POST', collection, configMap(name, 'f')));
    if (status !== 201) throw new Error(`creating ${name} answered ${status}`);
  }
  connection.close();
}

async function deleteAll(endpoint: Endpoint): Promise<void> {
  const connection = await Connection.open(endpoint);
  const { status } = await connection.send(request('DELETE', collection));
  if (status !== 200) throw new Error(`deleting all answered ${status}`);
  connection.close();
}

/** One writer at full speed and many watchers over all replicas: events delivered a second, and their delay after the write. */
export async function watchEvents(
  endpoints: readonly Endpoint[],
  seconds: number,
  collection: string,
  opened?: () => void,
): Promise<LoadResult> {
  const sentAt = new Map<string, number>();
  const latencies: number[] = [];
  let bytes = 0;
  const streams = await Promise.all(
    Array.from({ length: watchers }, (_, each) =>
      openWatch(endpoints[each % endpoints.length] as Endpoint, collection, (line) => {
        bytes += line.length;
        const sent = sentAt.get(/"stamp":"(\d+)"/.exec(line)?.[1] ?? '');
        if (sent !== undefined) latencies.push(performance.now() - sent);
      }),
    ),
  );
  const writer = await Connection.open(endpoints[0] as Endpoint);
  opened?.();
  const start = performance.now();
  for (let round = 0; performance.now() - start < seconds * 1000; round += 1) {
    sentAt.set(String(round), performance.now());
    const body = JSON.stringify({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'bench-0' },
      data: { stamp: String(round), value: 'w'.repeat(valueBytes) },
    });
    const { status } = await writer.send(request('PUT', `${collection}/bench-0`, body));
    if (status !== 200) throw new Error(`update answered ${status}`);
  }
  const measured = (performance.now() - start) / 1000;
  writer.close();
  for (const stop of streams) stop();
  const sorted = Float64Array.from(latencies).sort();
  const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? NaN;
  return { perSecond: latencies.length / measured, bytesPerSecond: bytes / measured, p50Ms: at(0.5), p99Ms: at(0.99) };
}

function openWatch(
  { host, port, ca, cert, key, unchecked }: Endpoint,
  collection: string,
  onLine: (line: string) => void,
): Promise<() => void> {
  return new Promise((resolve, reject) => {
    const call = https.get(
      {
        host,
        port,
        ...(unchecked ? { rejectUnauthorized: false } : { ca }),
        cert,
        key,
        agent: false,
        servername: 'localhost',
        path: `${collection}?watch=1&fieldSelector=metadata.name%3Dbench-0`,
      },
      (answer) => {
        let rest = '';
        answer.setEncoding('utf8');
        answer.on('data', (chunk: string) => {
          const lines = (rest + chunk).split('\n');
          rest = lines.pop() ?? '';
          for (const line of lines) onLine(line);
        });
        answer.once('data', () => resolve(() => call.destroy()));
        answer.on('error', () => undefined);
      },
    );
    call.on('error', reject);
  });
}

const residentMegabytes = ({ members }: Cluster): number =>
  members.reduce((sum, { process: { pid } }) => sum + residentBytes(pid), 0) / 2 ** 20;
