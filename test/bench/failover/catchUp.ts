import { setTimeout as delay } from 'node:timers/promises';
import { loadavg } from 'node:os';
import { Connection, request, type Endpoint } from '../connection.js';
import { printTable, ratio } from '../table.js';
import { collection } from './round.js';
import { pollMs, type WatchedCluster } from './watchedCluster.js';

const connections = 64;

/** A follower misses entries while it is down: it catches up by the log, or by a snapshot if there are more of them than the log keeps. */
export async function measureCatchUp(cluster: WatchedCluster, behind: number): Promise<void> {
  console.error(`  a replica misses ${behind} entries ...`);
  const leader = await cluster.settledLeader();
  const follower = cluster.others(leader)[0]!;
  const { appliedIndex: left } = await cluster.statusOf(follower);
  await follower.process.kill('SIGKILL');
  const writing = performance.now();
  await write(cluster.endpointOf(leader), behind);
  const writtenMs = performance.now() - writing;
  const { commitIndex, firstIndex } = await cluster.statusOf(leader);
  const started = performance.now();
  await follower.restart();
  const readyMs = performance.now() - started;
  while (((await cluster.statusOf(follower).catch(() => null))?.appliedIndex ?? 0) < commitIndex) await delay(pollMs);
  const caughtUpMs = performance.now() - started;
  printTable(['a replica catches up', 'entries', 'ready after s', 'caught up after s', 'entries/s', 'of writing them', 'by'], [[
    'started again', String(commitIndex - left), (readyMs / 1000).toFixed(2), (caughtUpMs / 1000).toFixed(2), String(Math.round((commitIndex - left) / (caughtUpMs / 1000))), ratio(caughtUpMs, writtenMs),
    firstIndex > left + 1 ? 'snapshot' : 'log',
  ]]);
  console.log(`\nload average ${loadavg()[0]?.toFixed(1)}`);
}

async function write(endpoint: Endpoint, writes: number): Promise<void> {
  let next = 0;
  await Promise.all(Array.from({ length: connections }, async (_, each) => {
    const connection = await Connection.open(endpoint);
    for (let round = next++; round < writes; round = next++) {
      const body = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `missed-${each}` }, data: { value: String(round) } });
      const { status } = await connection.send(request('PATCH', `${collection}/missed-${each}?fieldManager=bench&force=true`, body, 'application/apply-patch+yaml'));
      if (status !== 200 && status !== 201) throw new Error(`write ${round} was answered with ${status}`);
    }
    connection.close();
  }));
}
