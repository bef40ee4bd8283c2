import type { BenchCluster } from './benchCluster.js';
import { Http2Client } from './http2/client.js';
import { processorSeconds, residentBytes } from '../fixtures/processUsage.js';
import { fill } from './reads.js';
import { count, milliseconds } from './table.js';

/** Measures 100,000 objects: memory, start, and pages. */
const objects = 100_000;
const valueBytes = 1024;
const namespaces = 10;
const pageLimit = 500;

export async function benchBigCache(cluster: BenchCluster): Promise<void> {
  const empty = residentBytes(cluster.pid);
  for (let namespace = 0; namespace < namespaces; namespace++) {
    console.error(`  filling ${namespace + 1}/${namespaces} ...`);
    await cluster.client.expect(201, 'POST', '/api/v1/namespaces', { body: { metadata: { name: `n${namespace}` } } });
    await fill(
      cluster,
      `/api/v1/namespaces/n${namespace}/configmaps`,
      Array.from({ length: objects / namespaces }, (_, each) => `big-${each}`),
      valueBytes,
    );
  }
  const storedBytes = (await pages(cluster)).bytes;
  console.log(
    `${count(objects)} ConfigMaps, ${(storedBytes / 2 ** 20).toFixed(0)} MiB as listed: resident ${(empty / 2 ** 20).toFixed(0)} MiB empty, ${(residentBytes(cluster.pid) / 2 ** 20).toFixed(0)} MiB filled`,
  );
  await restart(cluster, storedBytes);
  const { milliseconds: each, bytes } = await pages(cluster);
  const tenth = Math.floor(each.length / 10);
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  console.log(
    `pages of ${pageLimit}: ${each.length}, ${(bytes / 2 ** 20).toFixed(0)} MiB; mean of the first tenth ${milliseconds(mean(each.slice(0, tenth)))} ms, of the last ${milliseconds(mean(each.slice(-tenth)))} ms, of all ${milliseconds(mean(each))} ms`,
  );
}

async function restart({ cluster }: BenchCluster, storedBytes: number): Promise<void> {
  const [member] = cluster.members;
  if (member === undefined) throw new Error('no member');
  await member.process.kill('SIGKILL');
  const started = performance.now();
  await member.restart();
  const took = (performance.now() - started) / 1000;
  const resident = residentBytes(member.process.pid);
  const bound = 2.5 * storedBytes + 150 * 2 ** 20;
  const used = processorSeconds(member.process.pid);
  console.log(
    `restart to ready: ${took.toFixed(2)} s, of processor time ${used.toFixed(2)} s; resident then ${(resident / 2 ** 20).toFixed(0)} MiB (2.5 x the bytes + 150 MiB = ${(bound / 2 ** 20).toFixed(0)} MiB)`,
  );
}

async function pages({ endpoints: [endpoint] }: BenchCluster): Promise<{ readonly milliseconds: number[]; readonly bytes: number }> {
  if (endpoint === undefined) throw new Error('no endpoint');
  const client = await Http2Client.open(endpoint);
  const milliseconds_: number[] = [];
  let bytes = 0;
  for (let token: string | null = ''; token !== null;) {
    const started = performance.now();
    const page: Buffer = await whole(client, `/api/v1/configmaps?limit=${pageLimit}${token === '' ? '' : `&continue=${token}`}`);
    milliseconds_.push(performance.now() - started);
    bytes += page.length;
    token = /"continue":"([^"]+)"/.exec(page.toString('latin1', 0, 1_000))?.[1] ?? null;
  }
  client.close();
  return { milliseconds: milliseconds_, bytes };
}

function whole(client: Http2Client, path: string): Promise<Buffer> {
  return new Promise((resolve) => {
    const parts: Buffer[] = [];
    client.request('GET', path, {
      data: (chunk, start, end) => {
        parts.push(chunk.subarray(start, end));
      },
      end: () => {
        resolve(Buffer.concat(parts));
      },
    });
  });
}
