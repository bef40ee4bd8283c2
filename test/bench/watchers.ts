import type { ChildProcess } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { Connection, request, type Endpoint } from './connection.js';
import type { BenchCluster } from './benchCluster.js';
import { message, processorSeconds, residentBytes, start } from './http2/processes.js';
import type { WatchLoadReport, WatchLoadTask } from './http2/watchload.js';
import { percentiles } from './load.js';
import { count, milliseconds, printTable, ratio } from './table.js';

/**
 * Many watchers over HTTP/2 of one collection that is written to at a fixed rate, beside a bare broadcaster that writes the same frames to as
 * many streams. Both are measured by the same load generator, and by the processor time that one event costs.
 * The server also takes, checks, stores and answers every write, which the broadcaster does not: the same writes are measured without watchers,
 * and the last column compares what is left without them.
 */
export interface WatchersOptions { readonly seconds: number }

const streamsPerConnection = 100;
const collection = '/api/v1/namespaces/default/configmaps';
const valueBytes = 1024;
const runs = [{ watchers: 1_000, writesPerSecond: 20 }, { watchers: 5_000, writesPerSecond: 20 }, { watchers: 1_000, writesPerSecond: 200 }, { watchers: 10_000, writesPerSecond: 20 }] as const;
const idleWatchers = 10_000;
/** Time for what is under way when writing ends. */
const settleMs = 2_000;

const stamp = (): string => String(process.hrtime.bigint() / 1000n);
/** Enough that none waits for the answer to its last write. */
const writers = 32;
const body = (name: string, text: string): string => JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { stamp: text, value: 'w'.repeat(valueBytes) } });

interface Subject { readonly port: number; readonly pid: number; readonly path: string; readonly write: (each: number) => Promise<void> }
interface Outcome { readonly perSecond: number; readonly p50Ms: number; readonly p99Ms: number; readonly microseconds: number; readonly cpuSeconds: number; readonly lost: number; readonly ended: number }

export async function benchWatchers(cluster: BenchCluster, { seconds }: WatchersOptions): Promise<void> {
  const [endpoint] = cluster.endpoints as [Endpoint];
  const connections = await Promise.all(Array.from({ length: writers }, () => Connection.open(endpoint)));
  for (const [each, connection] of connections.entries()) await connection.send(request('POST', collection, body(`watched-${each}`, '0')));
  await idleMemory(cluster, endpoint);
  const rows: string[][] = [];
  for (const run of runs) {
    const subject: Subject = {
      port: endpoint.port, pid: cluster.pid, path: '',
      write: async (each) => { await connections[each % writers]?.send(request('PUT', `${collection}/watched-${each % writers}`, body(`watched-${each % writers}`, stamp()))); },
    };
    const writing = await measure(cluster, { ...run, watchers: 0 }, seconds, subject);
    const ours = await measure(cluster, run, seconds, { ...subject, path: `${collection}?watch=1&resourceVersion=${await currentVersion(cluster)}` });
    const fanOut = ours.microseconds * (1 - writing.cpuSeconds / ours.cpuSeconds);
    const bare = await bareBroadcaster(cluster, run, seconds);
    const name = `${count(run.watchers)} watchers, ${run.writesPerSecond} writes/s`;
    rows.push(row(name, ours), [...row('  bare broadcaster', bare), ratio(bare.microseconds, ours.microseconds), ratio(bare.microseconds, fanOut)]);
  }
  for (const connection of connections) connection.close();
  printTable(['measure', 'events/s', 'p50 ms', 'p99 ms', 'CPU µs/event', 'lost', 'ended', 'of limit', 'without writing'], rows);
}

const row = (name: string, { perSecond, p50Ms, p99Ms, microseconds, lost, ended }: Outcome): string[] =>
  [name, count(perSecond), milliseconds(p50Ms), milliseconds(p99Ms), microseconds.toFixed(1), String(lost), String(ended)];

async function currentVersion({ client }: BenchCluster): Promise<string> {
  const answer = await client.expect(200, 'GET', `${collection}?limit=1`);
  return answer.metadata.resourceVersion;
}

async function bareBroadcaster(cluster: BenchCluster, run: (typeof runs)[number], seconds: number): Promise<Outcome> {
  const child = start('broadcaster', [cluster.files.serverCert, cluster.files.serverKey, cluster.files.ca]);
  try {
    const port = await message<number>(child);
    return await measure(cluster, run, seconds, {
      port, pid: child.pid ?? 0, path: '/', write: async () => {
        child.send(`{"type":"MODIFIED","object":${body('watched', stamp())}}\n`);
        await message(child);
      },
    });
  } finally {
    child.kill();
  }
}

async function measure(cluster: BenchCluster, { watchers, writesPerSecond }: { readonly watchers: number; readonly writesPerSecond: number }, seconds: number, { port, pid, path, write }: Subject): Promise<Outcome> {
  console.error(`  ${watchers} watchers, ${writesPerSecond} writes/s ...`);
  const load = await openWatchers(cluster, { ports: [port], watchers, path });
  try {
    const before = processorSeconds(pid);
    const started = performance.now();
    const writes = Math.round(seconds * writesPerSecond);
    const underWay: Promise<void>[] = [];
    for (let each = 0; each < writes; each++) {
      const wait = started + (each * 1000) / writesPerSecond - performance.now();
      if (wait > 0) await delay(wait);
      // In its time, whatever became of the ones before; but no connection takes two writes at once.
      await underWay[each - writers];
      underWay.push(write(each));
    }
    await Promise.all(underWay);
    const took = (performance.now() - started) / 1000;
    let report = await ask(load);
    for (let left = settleMs; report.events < writes * watchers && left > 0; left -= 100) {
      await delay(100);
      report = await ask(load);
    }
    const used = processorSeconds(pid) - before;
    return {
      perSecond: report.events / took, ...percentiles(report.latenciesMs), microseconds: (used * 1e6) / Math.max(1, report.events), cpuSeconds: used,
      lost: writes * watchers - report.events, ended: report.ended,
    };
  } finally {
    load.kill();
  }
}

/** How much memory the server takes for watches that see nothing. */
async function idleMemory(cluster: BenchCluster, { port }: Endpoint): Promise<void> {
  await delay(500);
  const before = residentBytes(cluster.pid);
  const load = await openWatchers(cluster, { ports: [port], watchers: idleWatchers, path: `${collection}?watch=1&fieldSelector=metadata.name%3Dnone-{}&resourceVersion=${await currentVersion(cluster)}` });
  await delay(500);
  const after = residentBytes(cluster.pid);
  console.log(`${count(idleWatchers)} idle watchers: ${((after - before) / idleWatchers / 1024).toFixed(1)} KiB resident each (${(before / 2 ** 20).toFixed(0)} -> ${(after / 2 ** 20).toFixed(0)} MiB)`);
  load.kill();
  await delay(1_000);
}

async function openWatchers(cluster: BenchCluster, options: Pick<WatchLoadTask, 'ports' | 'watchers' | 'path'>): Promise<ChildProcess> {
  const { ca, clientCert, clientKey } = cluster.files;
  const task: WatchLoadTask = { ...options, connections: Math.ceil(options.watchers / streamsPerConnection), caFile: ca, certFile: clientCert, keyFile: clientKey };
  const child = start('watchload', [JSON.stringify(task)]);
  await message(child);
  return child;
}

async function ask(load: ChildProcess): Promise<WatchLoadReport> {
  load.send({ ask: 'report' });
  return message<WatchLoadReport>(load);
}
