import { setTimeout as delay } from 'node:timers/promises';
import { loadavg } from 'node:os';
import type { ClusterMember } from '../../../deploy/cluster.js';
import { Connection, request, type Endpoint } from '../connection.js';
import { processorSeconds } from '../../fixtures/processUsage.js';
import { printTable, ratio } from '../table.js';
import { collection } from './round.js';
import { pollMs, type WatchedCluster } from './watchedCluster.js';

const connections = 64;

/** Measures how a follower catches up by log or snapshot, beside a restart without missed entries. */
export async function measureCatchUp(cluster: WatchedCluster, behind: number): Promise<void> {
  const leader = await cluster.settledLeader();
  const follower = cluster.others(leader)[0]!;
  await follower.process.kill('SIGKILL');
  const nothing = await startAgain(cluster, follower, 0);
  console.error(`  a replica misses ${behind} entries ...`);
  const { appliedIndex: left } = await cluster.statusOf(follower);
  await follower.process.kill('SIGKILL');
  const writing = performance.now();
  await write(cluster.endpointOf(leader), behind);
  const writtenMs = performance.now() - writing;
  const { commitIndex, firstIndex } = await cluster.statusOf(leader);
  const missed = await startAgain(cluster, follower, commitIndex);
  const row = (entries: number, by: string, { readyMs, caughtUpMs, cpuSeconds }: Started): string[] => [
    by,
    String(entries),
    seconds(readyMs),
    seconds(caughtUpMs),
    cpuSeconds.toFixed(2),
    entries === 0 ? '' : String(Math.round(entries / (caughtUpMs / 1000))),
    entries === 0 ? '' : ratio(caughtUpMs, writtenMs),
  ];
  printTable(
    ['a replica starts again', 'entries missed', 'ready after s', 'caught up after s', 'its CPU s', 'entries/s', 'of writing them'],
    [
      row(0, 'with nothing missed', nothing),
      row(commitIndex - left, firstIndex > left + 1 ? 'catching up by a snapshot' : 'catching up by the log', missed),
    ],
  );
  console.log(`\nload average ${loadavg()[0]?.toFixed(1)}`);
}

interface Started {
  readonly readyMs: number;
  readonly caughtUpMs: number;
  readonly cpuSeconds: number;
}

async function startAgain(cluster: WatchedCluster, follower: ClusterMember, until: number): Promise<Started> {
  const started = performance.now();
  await follower.restart();
  const readyMs = performance.now() - started;
  while (((await cluster.statusOf(follower).catch(() => null))?.appliedIndex ?? 0) < until) await delay(pollMs);
  return { readyMs, caughtUpMs: performance.now() - started, cpuSeconds: processorSeconds(follower.process.pid) };
}

const seconds = (ms: number): string => (ms / 1000).toFixed(2);

async function write(endpoint: Endpoint, writes: number): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: connections }, async (_, each) => {
      const connection = await Connection.open(endpoint);
      for (let round = next++; round < writes; round = next++) {
        const body = JSON.stringify({
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name: `missed-${each}` },
          data: { value: String(round) },
        });
        const { status } = await connection.send(
          request('PATCH', `${collection}/missed-${each}?fieldManager=bench&force=true`, body, 'application/apply-patch+yaml'),
        );
        if (status !== 200 && status !== 201) throw new Error(`write ${round} was answered with ${status}`);
      }
      connection.close();
    }),
  );
}
