import type { ChildProcess } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { startEtcd, hasEtcd, type EtcdServers } from '../fixtures/etcdServers.js';
import { residentBytes } from '../fixtures/processUsage.js';
import { withBenchCluster, type BenchCluster } from './benchCluster.js';
import { Connection, request, type Endpoint } from './connection.js';
import { load, type LoadResult } from './load.js';
import { fill } from './reads.js';
import { count, milliseconds, printTable, ratio } from './table.js';

/** The built-in store and an etcd of three members, each under three servers, in turns in one run. */
export interface StoreBenchOptions {
  readonly seconds: number;
  readonly connections: number;
  readonly rounds: number;
}

const collection = '/api/v1/namespaces/default/configmaps';
const valueBytes = 1024;
const listed = 1_000;
const body = (name: string, fillWith: string): string =>
  JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { value: fillWith.repeat(valueBytes) } });
const nameOf = (connection: number): string => `stored-${connection}`;
const letter = (round: number): string => String.fromCharCode(97 + (round % 26));

interface Subject {
  readonly store: string;
  readonly cluster: BenchCluster;
  /** Kills the process whose failure causes an election. */
  readonly failLeader: () => Promise<void>;
  readonly pids: () => readonly number[];
}

interface Measure {
  readonly what: string;
  readonly run: (subject: Subject, round: number) => Promise<Pick<LoadResult, 'perSecond' | 'p50Ms' | 'p99Ms'>>;
}

export async function benchStore(options: StoreBenchOptions): Promise<void> {
  if (!hasEtcd()) throw new Error('etcd is not installed (Debian: apt-get install etcd-server)');
  const etcd = await startEtcd({ members: 3 });
  try {
    await withBenchCluster(3, async (embedded) => {
      await withBenchCluster(
        3,
        async (over) => {
          await compare([builtIn(embedded), overEtcd(over, etcd)], options);
        },
        [],
        { etcdServers: etcd.urls },
      );
    });
  } finally {
    await etcd.stop();
  }
}

const builtIn = (cluster: BenchCluster): Subject => ({
  store: 'built in',
  cluster,
  pids: () => serverPids(cluster),
  failLeader: async () => {
    const { leaderId } = (await cluster.client.expect(200, 'GET', '/raft/v1/status')) as unknown as { readonly leaderId: string };
    await cluster.cluster.members.find(({ id }) => id === leaderId)?.process.kill();
  },
});

const overEtcd = (cluster: BenchCluster, etcd: EtcdServers): Subject => ({
  store: 'etcd',
  cluster,
  pids: () => [...serverPids(cluster), ...etcd.members.map(({ process }: { readonly process: ChildProcess }) => process.pid ?? 0)],
  // The servers prefer this member, whichever leads.
  failLeader: () => etcd.members[0]!.kill(),
});

const serverPids = ({ cluster }: BenchCluster): readonly number[] => cluster.members.map(({ process }) => process.pid ?? 0);

async function compare(subjects: readonly Subject[], { seconds, connections, rounds }: StoreBenchOptions): Promise<void> {
  const loaded = (expect: number, next: (connection: number, turn: number, round: number) => Buffer): Measure['run'] => {
    return ({ cluster }, round) =>
      load({ endpoints: cluster.endpoints, connections, seconds, expect, next: (connection, turn) => next(connection, turn, round) });
  };
  const names = Array.from({ length: connections }, (_, each) => nameOf(each));
  for (const { cluster } of subjects)
    await fill(cluster, collection, [...names, ...Array.from({ length: listed - connections }, (_, each) => `listed-${each}`)], valueBytes);
  const measures: readonly Measure[] = [
    {
      what: 'updates of 1 KiB',
      run: loaded(200, (connection, turn) => request('PUT', `${collection}/${nameOf(connection)}`, body(nameOf(connection), letter(turn)))),
    },
    { what: 'gets of 1 KiB', run: loaded(200, (connection) => request('GET', `${collection}/${nameOf(connection)}`)) },
    { what: `lists of ${listed}`, run: loaded(200, () => request('GET', `${collection}?limit=${listed}`)) },
    { what: 'write until watched', run: ({ cluster }) => watched(cluster, seconds) },
    {
      what: 'creates of 1 KiB',
      run: loaded(201, (connection, turn, round) => request('POST', collection, body(`c-${round}-${connection}-${turn}`, 'c'))),
    },
  ];
  const rows: string[][] = [];
  for (const { what, run } of measures) {
    const found = subjects.map((): Pick<LoadResult, 'perSecond' | 'p50Ms' | 'p99Ms'>[] => []);
    for (let round = 0; round < rounds; round++)
      for (const [index, subject] of subjects.entries()) {
        console.error(`  ${what}, ${subject.store}, turn ${round + 1} of ${rounds} ...`);
        found[index]!.push(await run(subject, round));
      }
    const medians = found.map((all) => all.toSorted((a, b) => a.perSecond - b.perSecond)[Math.floor(all.length / 2)]!);
    for (const [index, result] of medians.entries())
      rows.push([
        what,
        subjects[index]!.store,
        count(result.perSecond),
        milliseconds(result.p50Ms),
        milliseconds(result.p99Ms),
        ratio(result.perSecond, medians[0]!.perSecond),
      ]);
  }
  printTable(['measure', 'store', '1/s', 'p50 ms', 'p99 ms', 'of built in'], rows);
  for (const { store, pids } of subjects) console.log(`${store}: ${megabytesOf(pids()).toFixed(0)} MB resident in all its processes`);
  for (const subject of subjects)
    console.log(`${subject.store}: ${(await longestGap(subject)).toFixed(0)} ms without a write when a leader is killed`);
}

/** One writer, and one watcher on another server: the delay from write to event. */
async function watched({ endpoints, cluster }: BenchCluster, seconds: number): Promise<Pick<LoadResult, 'perSecond' | 'p50Ms' | 'p99Ms'>> {
  const { ApiClient } = await import('../fixtures/apiClient.js');
  const client = new ApiClient(cluster.members[1]!.address, cluster);
  const watch = client.watch(`${collection}?watch=1&fieldSelector=metadata.name%3D${nameOf(0)}`);
  const writer = await Connection.open(endpoints[0] as Endpoint);
  const latencies: number[] = [];
  const started = performance.now();
  await watch.until((all) => all.length > 0);
  for (let turn = 0; performance.now() - started < seconds * 1_000; turn++) {
    const stamp = `${started}-${turn}`;
    const sent = performance.now();
    const text = JSON.stringify({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: nameOf(0) },
      data: { stamp, value: 'w'.repeat(valueBytes) },
    });
    const seen = watch.until((all) => all.at(-1)?.object.data?.['stamp'] === stamp);
    await writer.send(request('PUT', `${collection}/${nameOf(0)}`, text));
    await seen;
    latencies.push(performance.now() - sent);
  }
  const measured = (performance.now() - started) / 1_000;
  writer.close();
  watch.close();
  client.close();
  latencies.sort((a, b) => a - b);
  const at = (part: number): number => latencies[Math.floor(latencies.length * part)] ?? NaN;
  return { perSecond: latencies.length / measured, p50Ms: at(0.5), p99Ms: at(0.99) };
}

/** The longest interval between writes through surviving servers. */
async function longestGap({ cluster, failLeader }: Subject): Promise<number> {
  const { ApiClient } = await import('../fixtures/apiClient.js');
  const clients = cluster.cluster.members.map(({ address }) => new ApiClient(address, cluster.cluster));
  let [last, longest, turn] = [performance.now(), 0, 0];
  const end = last + 6_000;
  let failed = false;
  while (performance.now() < end) {
    const client = clients[turn++ % clients.length]!;
    const answer = await client
      .request('PUT', `${collection}/${nameOf(1)}`, { raw: body(nameOf(1), letter(turn)), timeoutMs: 1_000 })
      .catch(() => null);
    if (answer?.status === 200) {
      longest = Math.max(longest, performance.now() - last);
      last = performance.now();
    } else await delay(5);
    if (!failed && turn > 20) {
      failed = true;
      longest = 0;
      await failLeader();
    }
  }
  for (const client of clients) client.close();
  return longest;
}

const megabytesOf = (pids: readonly number[]): number => pids.reduce((sum, pid) => sum + residentBytes(pid), 0) / 2 ** 20;
