import type { BenchCluster } from './benchCluster.js';
import { Connection, request } from './connection.js';
import { message, processorSeconds, start } from './http2/processes.js';
import type { ReadLoadReport, ReadLoadTask } from './http2/readload.js';
import { count, megabytes, milliseconds, printTable, ratio } from './table.js';

/** Reads over HTTP/2, beside a bare HTTP/2 server that sends as many bytes. Processor time per request says more than rates where others work as well. */
export interface ReadsOptions { readonly seconds: number }

const collection = '/api/v1/namespaces/default/configmaps';
const listed = 1_000;
const valueBytes = 1024;
const bulkNamespace = 'bulk';
const bulkObjects = 200;
const bulkBytes = 1_000_000;

type Load = Pick<ReadLoadTask, 'path' | 'connections' | 'streams' | 'seconds'>;
interface Outcome extends ReadLoadReport { readonly cpuMicroseconds: number }

export const configMap = (name: string, bytes: number): string => JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { value: 'v'.repeat(bytes) } });

/** Creates objects over several connections. */
export async function fill({ endpoints }: BenchCluster, path: string, names: readonly string[], bytes: number): Promise<void> {
  const [endpoint] = endpoints;
  if (endpoint === undefined) throw new Error('no endpoint');
  let next = 0;
  await Promise.all(Array.from({ length: 32 }, async () => {
    const connection = await Connection.open(endpoint);
    for (let name = names[next++]; name !== undefined; name = names[next++]) {
      const { status } = await connection.send(request('POST', path, configMap(name, bytes)));
      if (status !== 201) throw new Error(`creating ${name} answered ${status}`);
    }
    connection.close();
  }));
}

export async function benchReads(cluster: BenchCluster, { seconds }: ReadsOptions): Promise<void> {
  await fill(cluster, collection, Array.from({ length: listed }, (_, each) => `listed-${each}`), valueBytes);
  const port = cluster.endpoints[0]?.port ?? 0;
  const bare = start('bareserver', [cluster.files.serverCert, cluster.files.serverKey, cluster.files.ca]);
  const barePort = await message<number>(bare);
  const rows: string[][] = [];
  const compare = async (what: string, load: Load): Promise<void> => {
    console.error(`  ${what} ...`);
    const ours = await run(cluster, port, cluster.pid, load);
    const limit = await run(cluster, barePort, bare.pid ?? 0, { ...load, path: `/${Math.round(ours.bytes / ours.requests)}` });
    rows.push([what, rate(ours), megabytes(ours.bytes / ours.seconds), milliseconds(ours.p50Ms), milliseconds(ours.p99Ms), ours.cpuMicroseconds.toFixed(0), rate(limit), ratio(ours.requests / ours.seconds, limit.requests / limit.seconds), ratio(limit.cpuMicroseconds, ours.cpuMicroseconds)]);
  };
  const load = { connections: 8, streams: 4, seconds };
  await compare('gets of 1 KiB', { ...load, path: `${collection}/listed-1` });
  await compare('gets of 1 KiB, any version', { ...load, path: `${collection}/listed-1?resourceVersion=0` });
  await compare(`lists of ${listed}`, { ...load, streams: 1, path: collection });
  await compare(`lists of ${listed}, any version`, { ...load, streams: 1, path: `${collection}?resourceVersion=0` });
  printTable(['measure', '1/s', 'MB/s', 'p50 ms', 'p99 ms', 'CPU µs', 'bare 1/s', 'of limit', 'of limit, CPU'], rows);
  bare.kill();
  await besideBulk(cluster, port, seconds);
}

const rate = ({ requests, seconds }: ReadLoadReport): string => count(requests / seconds);

/** GETs while 200 MB lists stream. */
async function besideBulk(cluster: BenchCluster, port: number, seconds: number): Promise<void> {
  console.error('  gets while 200 MB lists stream ...');
  await cluster.client.expect(201, 'POST', '/api/v1/namespaces', { body: { metadata: { name: bulkNamespace } } });
  const bulk = `/api/v1/namespaces/${bulkNamespace}/configmaps`;
  await fill(cluster, bulk, Array.from({ length: bulkObjects }, (_, each) => `bulk-${each}`), bulkBytes);
  const gets = { path: `${collection}/listed-1`, connections: 1, streams: 1, seconds };
  const alone = await run(cluster, port, cluster.pid, gets);
  const [beside, lists] = await Promise.all([run(cluster, port, cluster.pid, gets), run(cluster, port, cluster.pid, { path: bulk, connections: 1, streams: 1, seconds })]);
  console.log(`gets while 200 MB lists stream (${megabytes(lists.bytes / lists.seconds)} MB/s): p50 ${milliseconds(beside.p50Ms)} ms, p99 ${milliseconds(beside.p99Ms)} ms; alone p50 ${milliseconds(alone.p50Ms)}, p99 ${milliseconds(alone.p99Ms)}`);
}

async function run({ files }: BenchCluster, port: number, pid: number, load: Load): Promise<Outcome> {
  const task: ReadLoadTask = { ...load, port, caFile: files.ca, certFile: files.clientCert, keyFile: files.clientKey };
  const before = processorSeconds(pid);
  const report = await message<ReadLoadReport>(start('readload', [JSON.stringify(task)]));
  return { ...report, cpuMicroseconds: ((processorSeconds(pid) - before) * 1e6) / report.requests };
}
