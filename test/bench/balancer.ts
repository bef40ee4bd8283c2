import fs from 'node:fs';
import path from 'node:path';
import { host } from '../../deploy/flags.js';
import { haproxyConfiguration } from '../../deploy/haproxy.js';
import { ManagedProcess } from '../../deploy/managedProcess.js';
import { awaitReady } from '../../deploy/awaitReady.js';
import { findFreePorts } from '../../deploy/ports.js';
import { programFile } from '../../deploy/programs.js';
import type { ReplicaCount } from '../../deploy/settings.js';
import { BalancerProcess } from '../fixtures/balancerProcess.js';
import { machine } from './against/against.js';
import { withBenchCluster, type BenchCluster } from './benchCluster.js';
import { Connection, request, type Endpoint } from './connection.js';
import { Http2Client } from './http2/client.js';
import { processorSeconds } from '../fixtures/processUsage.js';
import { fill } from './reads.js';
import { count, printTable } from './table.js';
import { medianOf } from './turns.js';

/** Measures gets through each kind of balancer and directly, in turns. Processor time is of servers and balancer. */
export interface BalancerOptions {
  readonly replicas: ReplicaCount;
  readonly seconds: number;
  readonly turns: number;
  /** Parts of the names of loads; empty for all. */
  readonly only: string;
  /** Folder for `balancer.json`. */
  readonly output: string;
}

interface Way {
  readonly name: string;
  /** Connections go to these in turn. */
  readonly endpoints: readonly Endpoint[];
  /** Further processes that count. */
  readonly pids: readonly number[];
}

interface Load {
  readonly name: string;
  /** Runs for a time; returns the number of answered gets. */
  readonly run: (endpoints: readonly Endpoint[], seconds: number) => Promise<number>;
}

interface Turn {
  readonly perSecond: number;
  /** Microseconds of servers and balancer for a get. */
  readonly serverUs: number;
  /** Only for a separate balancer process. */
  readonly balancerUs: number;
  readonly generatorUs: number;
}

interface Line extends Turn {
  readonly load: string;
  readonly way: string;
  /** Medians of each turn's ratio to the direct one. */
  readonly rateOfDirect: number;
  readonly serverUsOfDirect: number;
}

const collection = '/api/v1/namespaces/default/configmaps';
const object = `${collection}/object-0`;
const objectBytes = 600;
const warmUpTurns = 2;

const loads: readonly Load[] = [
  { name: 'gets, HTTP/1.1, 32 connections', run: (endpoints, seconds) => overHttp1(endpoints, 32, seconds) },
  { name: 'gets, HTTP/2, 6 connections x 8', run: (endpoints, seconds) => overHttp2(endpoints, { connections: 6, streams: 8 }, seconds) },
  { name: 'a connection for each get, 8 at once', run: (endpoints, seconds) => overNewConnections(endpoints, 8, seconds) },
];

export function benchBalancer(options: BalancerOptions): Promise<void> {
  return withBenchCluster(options.replicas, (cluster) => measured(cluster, options), [], { balancer: 'inLauncher' });
}

async function measured(cluster: BenchCluster, { replicas, seconds, turns, only, output }: BalancerOptions): Promise<void> {
  await fill(cluster, collection, ['object-0'], objectBytes);
  const { ways, end } = await waysTo(cluster);
  try {
    const lines: Line[] = [];
    for (const load of loads.filter(({ name }) => name.includes(only)))
      lines.push(...(await compared(load, ways, cluster, { seconds, turns })));
    printTable(
      ['load', 'way', '1/s', 'of direct', 'all µs', 'of direct', 'balancer µs', 'generator µs'],
      lines.map((line) => [
        line.load,
        line.way,
        count(line.perSecond),
        line.rateOfDirect.toFixed(3),
        line.serverUs.toFixed(1),
        line.serverUsOfDirect.toFixed(3),
        line.balancerUs.toFixed(1),
        line.generatorUs.toFixed(1),
      ]),
    );
    console.log(machine());
    fs.mkdirSync(output, { recursive: true });
    const file = path.join(output, 'balancer.json');
    const report = { machine: machine(), ended: new Date().toISOString(), replicas, seconds, turns, lines };
    fs.writeFileSync(file, `${JSON.stringify(report, null, 2)}\n`);
    console.log(`written: ${file}`);
  } finally {
    await end();
  }
}

/** Direct, handed over by the launcher, through the balancer's process, and through an HAProxy if installed. */
async function waysTo({ cluster, endpoints }: BenchCluster): Promise<{ readonly ways: readonly Way[]; readonly end: () => Promise<void> }> {
  const [first] = endpoints;
  if (first === undefined) throw new Error('no endpoint');
  const [port = 0, haproxyPort = 0] = await findFreePorts(2);
  const servers = cluster.members.map(({ id, address }) => ({ name: id, address: new URL(address).host }));
  const proxy = new ManagedProcess({
    role: 'balancer',
    name: 'proxy',
    program: programFile('balancer'),
    args: ['--listen', `${host}:${port}`, ...servers.flatMap(({ address }) => ['--backend', address]), '--ca-file', cluster.pki.caFile],
    address: `https://${host}:${port}`,
    log: path.join(cluster.dataDirectory, 'logs', 'proxy.log'),
  });
  proxy.start();
  await awaitReady(proxy, { ca: fs.readFileSync(cluster.pki.caFile, 'utf8'), signal: undefined });
  const file = path.join(cluster.dataDirectory, 'bench-haproxy.cfg');
  fs.writeFileSync(file, haproxyConfiguration({ listen: `${host}:${haproxyPort}`, backends: servers, caFile: cluster.pki.caFile }));
  const haproxy = await BalancerProcess.start('haproxy', ['-db', '-f', file], haproxyPort);
  const ways: Way[] = [
    { name: 'directly', endpoints, pids: [] },
    // This process is the launcher, and does nothing after the hand-over.
    { name: 'handed over', endpoints: [{ ...first, port: Number(new URL(cluster.address).port) }], pids: [] },
    { name: 'proxy', endpoints: [{ ...first, port }], pids: [proxy.pid ?? 0] },
    ...(haproxy === null ? [] : [{ name: 'HAProxy', endpoints: [{ ...first, port: haproxyPort }], pids: [haproxy.pid] }]),
  ];
  return {
    ways,
    end: async () => {
      await Promise.all([proxy.kill(), haproxy?.stop()]);
    },
  };
}

async function compared(
  load: Load,
  ways: readonly Way[],
  { cluster }: BenchCluster,
  { seconds, turns }: Pick<BalancerOptions, 'seconds' | 'turns'>,
): Promise<Line[]> {
  const servers = cluster.members.map(({ process }) => process.pid ?? 0);
  const rounds: Turn[][] = [];
  for (let round = 0; round < warmUpTurns + turns; round++) {
    console.error(`  ${load.name}, ${round < warmUpTurns ? 'warming up' : `turn ${round - warmUpTurns + 1} of ${turns}`} ...`);
    const found: Turn[] = [];
    // The order rotates.
    for (let each = 0; each < ways.length; each++) {
      const index = (each + round) % ways.length;
      const way = ways[index] as Way;
      found[index] = await oneTurn(load, way, servers, seconds);
    }
    if (round >= warmUpTurns) rounds.push(found);
  }
  return ways.map(({ name }, index) => {
    const median = (of: (turn: Turn) => number): number => medianOf(rounds, (round) => of(round[index] as Turn));
    const ofDirect = (of: (turn: Turn) => number): number => medianOf(rounds, (round) => of(round[index] as Turn) / of(round[0] as Turn));
    return {
      load: load.name,
      way: name,
      perSecond: median((turn) => turn.perSecond),
      serverUs: median((turn) => turn.serverUs),
      balancerUs: median((turn) => turn.balancerUs),
      generatorUs: median((turn) => turn.generatorUs),
      rateOfDirect: ofDirect((turn) => turn.perSecond),
      serverUsOfDirect: ofDirect((turn) => turn.serverUs),
    };
  });
}

async function oneTurn(load: Load, { endpoints, pids }: Way, servers: readonly number[], seconds: number): Promise<Turn> {
  const used = (of: readonly number[]): number => of.reduce((sum, pid) => sum + processorSeconds(pid), 0);
  const [before, balancerBefore] = [used(servers), used(pids)];
  const [generatorBefore, start] = [process.cpuUsage(), performance.now()];
  const gets = await load.run(endpoints, seconds);
  const elapsedSeconds = (performance.now() - start) / 1000;
  const generator = process.cpuUsage(generatorBefore);
  const balancerUs = ((used(pids) - balancerBefore) * 1e6) / gets;
  return {
    perSecond: gets / elapsedSeconds,
    serverUs: ((used(servers) - before) * 1e6) / gets + balancerUs,
    balancerUs,
    generatorUs: (generator.user + generator.system) / gets,
  };
}

const spread = (endpoints: readonly Endpoint[], connections: number): Endpoint[] =>
  Array.from({ length: connections }, (_, each) => endpoints[each % endpoints.length] as Endpoint);

/** Keeps all of these busy until the time is over; returns the number of completed operations. */
async function repeated<T>(workers: readonly T[], seconds: number, once: (worker: T) => Promise<void>): Promise<number> {
  const end = performance.now() + seconds * 1000;
  const done = await Promise.all(
    workers.map(async (worker) => {
      let times = 0;
      for (; performance.now() < end; times++) await once(worker);
      return times;
    }),
  );
  return done.reduce((sum, times) => sum + times, 0);
}

async function overHttp1(endpoints: readonly Endpoint[], connections: number, seconds: number): Promise<number> {
  const open = await Promise.all(spread(endpoints, connections).map((endpoint) => Connection.open(endpoint)));
  const asked = request('GET', object);
  const gets = await repeated(open, seconds, async (connection) => {
    expectFound((await connection.send(asked)).status);
  });
  for (const connection of open) connection.close();
  return gets;
}

async function overHttp2(
  endpoints: readonly Endpoint[],
  { connections, streams }: { readonly connections: number; readonly streams: number },
  seconds: number,
): Promise<number> {
  const open = await Promise.all(spread(endpoints, connections).map((endpoint) => Http2Client.open(endpoint)));
  const workers = open.flatMap((client) => Array.from({ length: streams }, () => client));
  const gets = await repeated(workers, seconds, async (client) => {
    expectFound((await client.get(object)).status);
  });
  for (const client of open) client.close();
  return gets;
}

function overNewConnections(endpoints: readonly Endpoint[], atOnce: number, seconds: number): Promise<number> {
  const asked = request('GET', object);
  return repeated(spread(endpoints, atOnce), seconds, async (endpoint) => {
    const connection = await Connection.open(endpoint);
    expectFound((await connection.send(asked)).status);
    connection.close();
  });
}

function expectFound(status: number): void {
  if (status !== 200) throw new Error(`a get answered ${status}`);
}
