import type { ChildProcess } from 'node:child_process';
import type { BenchCluster } from './benchCluster.js';
import { Connection, request } from './connection.js';
import { message, start } from './processes.js';
import { processorSeconds } from '../fixtures/processUsage.js';
import type { ReadLoadTask, ReadReport, ReadSlice } from './http2/readLoad.js';
import { count, megabytes, milliseconds, printTable } from './table.js';
import { inTurns, medianOf } from './turns.js';

/** Compares reads over HTTP/2 with a bare HTTP/2 server of the same bytes, in turns of a second. */
export interface ReadsOptions {
  readonly seconds: number;
}

const collection = '/api/v1/namespaces/default/configmaps';
const listed = 1_000;
const valueBytes = 1024;
const bulkNamespace = 'bulk';
const bulkObjects = 200;
const bulkBytes = 1_000_000;

interface Outcome extends ReadReport {
  readonly perSecond: number;
  readonly cpuMicroseconds: number;
}
interface Subject {
  readonly pid: number;
  readonly load: ChildProcess;
}
type Width = Pick<ReadLoadTask, 'connections' | 'streams'>;

const turnSeconds = 1;
/** The warm-up until code is compiled: gets, lists, or the time limit. */
const warmUp = { gets: 12_000, lists: 200, turnsMax: 10 } as const;
const gets: Width = { connections: 8, streams: 4 };
const lists: Width = { connections: 8, streams: 1 };

const configMap = (name: string, bytes: number): string =>
  JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { value: 'v'.repeat(bytes) } });

/** Creates objects over several connections. */
export async function fill({ endpoints }: BenchCluster, path: string, names: readonly string[], bytes: number): Promise<void> {
  const [endpoint] = endpoints;
  if (endpoint === undefined) throw new Error('no endpoint');
  let next = 0;
  await Promise.all(
    Array.from({ length: 32 }, async () => {
      const connection = await Connection.open(endpoint);
      for (let name = names[next++]; name !== undefined; name = names[next++]) {
        const { status } = await connection.send(request('POST', path, configMap(name, bytes)));
        if (status !== 201) throw new Error(`creating ${name} answered ${status}`);
      }
      connection.close();
    }),
  );
}

export async function benchReads(cluster: BenchCluster, { seconds }: ReadsOptions): Promise<void> {
  await fill(
    cluster,
    collection,
    Array.from({ length: listed }, (_, each) => `listed-${each}`),
    valueBytes,
  );
  const port = cluster.endpoints[0]?.port ?? 0;
  const bare = start('http2/bareServer', [cluster.files.serverCert, cluster.files.serverKey, cluster.files.ca]);
  const limit = { pid: bare.pid ?? 0, port: await message<number>(bare) };
  const rows: string[][] = [];
  const compare = async (what: string, width: Width, path: string): Promise<void> => {
    console.error(`  ${what} ...`);
    const [ours, theirs] = [await subject(cluster, cluster.pid, port, width), await subject(cluster, limit.pid, limit.port, width)];
    const requests = width === gets ? warmUp.gets : warmUp.lists;
    const same = `/${await warm(ours, path, requests)}`;
    await warm(theirs, same, requests);
    rows.push(
      row(
        what,
        await inTurns(Math.max(1, Math.round(seconds / turnSeconds)), {
          ours: () => run(ours, { path, seconds: turnSeconds }),
          bare: () => run(theirs, { path: same, seconds: turnSeconds }),
        }),
      ),
    );
    ours.load.kill();
    theirs.load.kill();
  };
  await compare('gets of 1 KiB', gets, `${collection}/listed-1`);
  await compare('gets of 1 KiB, any version', gets, `${collection}/listed-1?resourceVersion=0`);
  await compare(`lists of ${listed}`, lists, collection);
  await compare(`lists of ${listed}, any version`, lists, `${collection}?resourceVersion=0`);
  printTable(['measure', '1/s', 'MB/s', 'p50 ms', 'p99 ms', 'CPU µs', 'bare 1/s', 'bare CPU µs', 'of limit', 'of limit, CPU'], rows);
  bare.kill();
  await besideBulk(cluster, port, seconds);
}

/** Answers the bytes of one answer. */
async function warm(subject: Subject, path: string, requests: number): Promise<number> {
  let last = await run(subject, { path, seconds: turnSeconds });
  for (let turn = 1, done = last.requests; done < requests && turn < warmUp.turnsMax; turn++, done += last.requests)
    last = await run(subject, { path, seconds: turnSeconds });
  return Math.round(last.bytes / last.requests);
}

function row(what: string, turns: readonly { readonly ours: Outcome; readonly bare: Outcome }[]): string[] {
  const ours = (of: (outcome: Outcome) => number): number => medianOf(turns, (turn) => of(turn.ours));
  const bare = (of: (outcome: Outcome) => number): number => medianOf(turns, (turn) => of(turn.bare));
  return [
    what,
    count(ours((each) => each.perSecond)),
    megabytes(ours((each) => each.bytes / each.seconds)),
    milliseconds(ours((each) => each.p50Ms)),
    milliseconds(ours((each) => each.p99Ms)),
    ours((each) => each.cpuMicroseconds).toFixed(0),
    count(bare((each) => each.perSecond)),
    bare((each) => each.cpuMicroseconds).toFixed(0),
    medianOf(turns, (turn) => turn.ours.perSecond / turn.bare.perSecond).toFixed(2),
    medianOf(turns, (turn) => turn.bare.cpuMicroseconds / turn.ours.cpuMicroseconds).toFixed(2),
  ];
}

async function besideBulk(cluster: BenchCluster, port: number, seconds: number): Promise<void> {
  console.error('  gets while 200 MB lists stream ...');
  await cluster.client.expect(201, 'POST', '/api/v1/namespaces', { body: { metadata: { name: bulkNamespace } } });
  const bulk = `/api/v1/namespaces/${bulkNamespace}/configmaps`;
  await fill(
    cluster,
    bulk,
    Array.from({ length: bulkObjects }, (_, each) => `bulk-${each}`),
    bulkBytes,
  );
  const one: Width = { connections: 1, streams: 1 };
  const [getting, listing] = [await subject(cluster, cluster.pid, port, one), await subject(cluster, cluster.pid, port, one)];
  const small = { path: `${collection}/listed-1`, seconds };
  const alone = await run(getting, small);
  const [beside, large] = await Promise.all([run(getting, small), run(listing, { path: bulk, seconds })]);
  console.log(
    `gets while 200 MB lists stream (${megabytes(large.bytes / large.seconds)} MB/s): p50 ${milliseconds(beside.p50Ms)} ms, p99 ${milliseconds(beside.p99Ms)} ms; alone p50 ${milliseconds(alone.p50Ms)}, p99 ${milliseconds(alone.p99Ms)}`,
  );
  getting.load.kill();
  listing.load.kill();
}

async function subject({ files }: BenchCluster, pid: number, port: number, width: Width): Promise<Subject> {
  const task: ReadLoadTask = { ...width, port, caFile: files.ca, certFile: files.clientCert, keyFile: files.clientKey };
  const load = start('http2/readLoad', [JSON.stringify(task)]);
  await message(load);
  return { pid, load };
}

async function run({ pid, load }: Subject, slice: ReadSlice): Promise<Outcome> {
  const before = processorSeconds(pid);
  load.send(slice);
  const report = await message<ReadReport>(load);
  return {
    ...report,
    perSecond: report.requests / report.seconds,
    cpuMicroseconds: ((processorSeconds(pid) - before) * 1e6) / report.requests,
  };
}
