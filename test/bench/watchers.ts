import type { ChildProcess } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { Connection, request, type Endpoint } from './connection.js';
import type { BenchCluster } from './benchCluster.js';
import { message, start } from './processes.js';
import { processorSeconds, residentBytes } from '../fixtures/processUsage.js';
import type { WatchLoadMessage, WatchLoadReport, WatchLoadTask } from './http2/watchLoad.js';
import { percentiles } from './load.js';
import { count, milliseconds, printTable } from './table.js';
import { inTurns, medianOf, type Pair } from './turns.js';

/**
 * Compares many HTTP/2 watchers of one collection, written at a fixed rate, with a bare broadcaster, in turns of a second. The last column subtracts the cost
 * of the writes.
 */
export interface WatchersOptions {
  readonly seconds: number;
}

const streamsPerConnection = 100;
const watched = '/api/v1/namespaces/default/configmaps';
const quiet = '/api/v1/namespaces/kube-public/configmaps';
const valueBytes = 1024;
const runs = [
  { watchers: 1_000, writesPerSecond: 20 },
  { watchers: 5_000, writesPerSecond: 20 },
  { watchers: 1_000, writesPerSecond: 200 },
  { watchers: 10_000, writesPerSecond: 20 },
] as const;
const idleWatchers = 50_000;
const turnSeconds = 1;
/** The time for memory to be released. */
const settledMs = 500;
/** The time for pending work after the last write. */
const settleMs = 20_000;
/** Enough writers that none waits for its last answer. At full speed each watcher has this many events in flight. */
const writers = 32;

const stamp = (): string => String(process.hrtime.bigint() / 1000n);
const body = (name: string, text: string): string =>
  JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { stamp: text, value: 'w'.repeat(valueBytes) } });

type Run = (typeof runs)[number];
interface Subject {
  readonly pid: number;
  readonly load: ChildProcess;
  readonly watchers: number;
  readonly write: (each: number) => Promise<void>;
}
interface Outcome {
  readonly perSecond: number;
  readonly latenciesMs: readonly number[];
  readonly microseconds: number;
  readonly lost: number;
  readonly ended: number;
}
interface Turn extends Outcome {
  /** Processor time of as many unwatched writes, for each event. */ readonly writing: number;
}

export async function benchWatchers(cluster: BenchCluster, { seconds }: WatchersOptions): Promise<void> {
  const [endpoint] = cluster.endpoints as [Endpoint];
  const connections = await Promise.all(Array.from({ length: writers }, () => Connection.open(endpoint)));
  for (const collection of [watched, quiet])
    for (const [each, connection] of connections.entries()) await connection.send(request('POST', collection, body(`object-${each}`, '0')));
  const write = async (collection: string, each: number): Promise<void> => {
    await connections[each % writers]?.send(
      request('PUT', `${collection}/object-${each % writers}`, body(`object-${each % writers}`, stamp())),
    );
  };
  await idleMemory(cluster, endpoint);
  const rows: string[][] = [];
  const fast: string[][] = [];
  for (const run of runs) {
    const turns = await compare(cluster, run, Math.max(2, Math.round(seconds / turnSeconds)), write);
    rows.push(...pacedRows(`${count(run.watchers)} watchers, ${run.writesPerSecond} writes/s`, turns.paced));
    if (turns.flooded.length > 0) fast.push(fastRow(`${count(run.watchers)} watchers`, turns.flooded));
  }
  for (const connection of connections) connection.close();
  printTable(['measure', 'events/s', 'p50 ms', 'p99 ms', 'CPU µs/event', 'lost', 'ended', 'of limit, CPU', 'without writing'], rows);
  console.log('');
  printTable(['as fast as it goes', 'events/s', 'CPU µs/event', 'bare events/s', 'bare CPU µs', 'of limit', 'of limit, CPU'], fast);
}

type Write = (collection: string, each: number) => Promise<void>;

async function compare(
  cluster: BenchCluster,
  run: Run,
  turns: number,
  write: Write,
): Promise<{ readonly paced: Pair<Turn>[]; readonly flooded: Pair<Outcome>[] }> {
  console.error(`  ${run.watchers} watchers, ${run.writesPerSecond} writes/s ...`);
  const broadcaster = start('http2/broadcaster', [cluster.files.serverCert, cluster.files.serverKey, cluster.files.ca]);
  const barePort = await message<number>(broadcaster);
  const ours: Subject = {
    pid: cluster.pid,
    watchers: run.watchers,
    load: await openWatchers(cluster, cluster.endpoints[0]?.port ?? 0, run.watchers, await fromNow(cluster)),
    write: (each) => write(watched, each),
  };
  const bare: Subject = {
    pid: broadcaster.pid ?? 0,
    watchers: run.watchers,
    load: await openWatchers(cluster, barePort, run.watchers, '/'),
    write: async () => {
      broadcaster.send(`{"type":"MODIFIED","object":${body('watched', stamp())}}\n`);
      await message(broadcaster);
    },
  };
  try {
    const writes = Math.round(turnSeconds * run.writesPerSecond);
    const paced = await inTurns<Turn>(turns, {
      ours: async () => ({
        ...(await turnOf(ours, (subject) => pace(subject.write, writes, run.writesPerSecond))),
        writing: await writingAlone(ours, run, writes, write),
      }),
      bare: async () => ({ ...(await turnOf(bare, (subject) => pace(subject.write, writes, run.writesPerSecond))), writing: 0 }),
    });
    // At full speed the rate is irrelevant: each number of watchers runs once.
    const flooded =
      run.writesPerSecond === runs[0].writesPerSecond
        ? await inTurns(turns, { ours: () => turnOf(ours, flood), bare: () => turnOf(bare, flood) })
        : [];
    return { paced, flooded };
  } finally {
    for (const child of [ours.load, bare.load, broadcaster]) child.kill();
    await delay(500);
  }
}

function pacedRows(name: string, turns: readonly Pair<Turn>[]): string[][] {
  const row = (title: string, side: (turn: Pair<Turn>) => Turn): string[] => {
    const { p50Ms, p99Ms } = percentiles(turns.flatMap((turn) => side(turn).latenciesMs));
    const sum = (of: (turn: Turn) => number): string => String(turns.reduce((total, turn) => total + of(side(turn)), 0));
    return [
      title,
      count(medianOf(turns, (turn) => side(turn).perSecond)),
      milliseconds(p50Ms),
      milliseconds(p99Ms),
      medianOf(turns, (turn) => side(turn).microseconds).toFixed(1),
      sum(({ lost }) => lost),
      String(Math.max(...turns.map((turn) => side(turn).ended))),
    ];
  };
  const ratios = [
    medianOf(turns, ({ ours, bare }) => bare.microseconds / ours.microseconds),
    medianOf(turns, ({ ours, bare }) => bare.microseconds / (ours.microseconds - ours.writing)),
  ];
  return [row(name, ({ ours }) => ours), [...row('  bare broadcaster', ({ bare }) => bare), ...ratios.map((each) => each.toFixed(2))]];
}

function fastRow(name: string, turns: readonly Pair<Outcome>[]): string[] {
  return [
    name,
    count(medianOf(turns, ({ ours }) => ours.perSecond)),
    medianOf(turns, ({ ours }) => ours.microseconds).toFixed(1),
    count(medianOf(turns, ({ bare }) => bare.perSecond)),
    medianOf(turns, ({ bare }) => bare.microseconds).toFixed(1),
    medianOf(turns, ({ ours, bare }) => ours.perSecond / bare.perSecond).toFixed(2),
    medianOf(turns, ({ ours, bare }) => bare.microseconds / ours.microseconds).toFixed(2),
  ];
}

/** Lets `send` write, and waits until every watcher has everything. `send` returns the number of writes. */
async function turnOf(subject: Subject, send: (subject: Subject) => Promise<number>): Promise<Outcome> {
  await ask(subject, { ask: 'reset' });
  const before = processorSeconds(subject.pid);
  const started = performance.now();
  const expected = (await send(subject)) * subject.watchers;
  const report = await received(subject, expected);
  const took = (performance.now() - started) / 1000;
  const used = processorSeconds(subject.pid) - before;
  return {
    perSecond: report.events / took,
    latenciesMs: report.latenciesMs,
    microseconds: (used * 1e6) / Math.max(1, report.events),
    lost: expected - report.events,
    ended: report.ended,
  };
}

/** Writes at a fixed rate, regardless of earlier writes; one write at a time on a connection. */
async function pace(write: Subject['write'], writes: number, perSecond: number): Promise<number> {
  const started = performance.now();
  const underWay: Promise<void>[] = [];
  for (let each = 0; each < writes; each++) {
    const wait = started + (each * 1000) / perSecond - performance.now();
    if (wait > 0) await delay(wait);
    await underWay[each - writers];
    underWay.push(write(each));
  }
  await Promise.all(underWay);
  return writes;
}

/** Writes with all writers at once, and again after every watcher has received them. */
async function flood(subject: Subject): Promise<number> {
  const end = performance.now() + turnSeconds * 1000;
  let writes = 0;
  for (let missing = false; !missing && performance.now() < end; writes += writers) {
    await Promise.all(Array.from({ length: writers }, (_, each) => subject.write(each)));
    missing = (await received(subject, (writes + writers) * subject.watchers)).events < (writes + writers) * subject.watchers;
  }
  return writes;
}

/** The cost of unwatched writes, divided by the events that they would have made. */
async function writingAlone({ pid, watchers }: Subject, { writesPerSecond }: Run, writes: number, write: Write): Promise<number> {
  const before = processorSeconds(pid);
  await pace((each) => write(quiet, each), writes, writesPerSecond);
  return ((processorSeconds(pid) - before) * 1e6) / (writes * watchers);
}

/** From the present version on. */
async function fromNow({ client }: BenchCluster): Promise<string> {
  const answer = await client.expect(200, 'GET', `${watched}?limit=1`);
  return `${watched}?watch=1&resourceVersion=${String(answer.metadata.resourceVersion)}`;
}

/** Measures the memory of idle watches. */
async function idleMemory(cluster: BenchCluster, { port }: Endpoint): Promise<void> {
  await delay(settledMs);
  const before = residentBytes(cluster.pid);
  const load = await openWatchers(cluster, port, idleWatchers, `${await fromNow(cluster)}&fieldSelector=metadata.name%3Dnone-{}`);
  await delay(settledMs);
  const after = residentBytes(cluster.pid);
  console.log(
    `${count(idleWatchers)} idle watchers: ${((after - before) / idleWatchers / 1024).toFixed(1)} KiB resident each (${(before / 2 ** 20).toFixed(0)} -> ${(after / 2 ** 20).toFixed(0)} MiB)`,
  );
  load.kill();
  await delay(1_000);
}

async function openWatchers(cluster: BenchCluster, port: number, watchers: number, path: string): Promise<ChildProcess> {
  const { ca, clientCert, clientKey } = cluster.files;
  const task: WatchLoadTask = {
    ports: [port],
    watchers,
    path,
    connections: Math.ceil(watchers / streamsPerConnection),
    caFile: ca,
    certFile: clientCert,
    keyFile: clientKey,
  };
  const child = start('http2/watchLoad', [JSON.stringify(task)]);
  await message(child);
  return child;
}

const received = (subject: Subject, events: number): Promise<WatchLoadReport> =>
  ask(subject, { ask: 'report', events, withinMs: settleMs });

async function ask<T>({ load }: Pick<Subject, 'load'>, question: WatchLoadMessage): Promise<T> {
  load.send(question);
  return message<T>(load);
}
