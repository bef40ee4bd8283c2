import { loadavg } from 'node:os';
import { withBenchCluster, type BenchClusterOptions } from './benchCluster.js';
import { measureCatchUp } from './failover/catchUp.js';
import { faults, type Fault } from './failover/faults.js';
import { aboutWriters, round, type CutOff, type Round } from './failover/round.js';
import { WatchedCluster } from './failover/watchedCluster.js';
import { milliseconds, printTable } from './table.js';

/**
 * Measures how long writes fail when a leader is killed, stopped, paused or cut off. Writers use other replicas directly. Each figure is next to the longest
 * pause in an equal time before. The last row is a replica's time to catch up.
 */
export interface FailoverOptions {
  /** Number of each kind of fault. */
  readonly kills: number;
  /** Missed entries of the replica that catches up. */
  readonly behind: number;
  /** Part of the names of faults; empty for all. */
  readonly only: string;
}

export async function benchFailover({ kills, behind, only }: FailoverOptions): Promise<void> {
  const chosen = faults.filter(({ what }) => kills > 0 && what.includes(only));
  const rows: string[][] = [];
  const strikeAll = async (cluster: WatchedCluster, cutsOff: boolean): Promise<void> => {
    for (const fault of chosen) if (fault.cutsOff === cutsOff) rows.push(await measureFault(cluster, fault, kills));
  };
  await withWatchedCluster({}, (cluster) => strikeAll(cluster, false));
  // An intermediate network delays messages, so only faults that need it have it.
  if (chosen.some(({ cutsOff }) => cutsOff)) await withWatchedCluster({ ownNetwork: true }, (cluster) => strikeAll(cluster, true));
  if (rows.length > 0) printFaults(rows);
  if (behind > 0) await withWatchedCluster({}, (cluster) => measureCatchUp(cluster, behind));
}

async function withWatchedCluster(options: BenchClusterOptions, run: (cluster: WatchedCluster) => Promise<void>): Promise<void> {
  await withBenchCluster(
    3,
    async (bench) => {
      const cluster = new WatchedCluster(bench);
      try {
        await run(cluster);
      } finally {
        cluster.close();
      }
    },
    [],
    options,
  );
}

async function measureFault(cluster: WatchedCluster, fault: Fault, kills: number): Promise<string[]> {
  const rounds: Round[] = [];
  for (let each = 0; each < kills; each += 1) {
    if (each % 10 === 0) console.error(`  leader: ${fault.what}: ${each} of ${kills} ...`);
    rounds.push(await round(cluster, fault));
  }
  const pauses = rounds.map(({ pauseMs }) => pauseMs);
  return [
    fault.what,
    String(kills),
    at(pauses, 0.5),
    at(pauses, 0.99),
    at(
      rounds.map(({ beforeMs }) => beforeMs),
      0.5,
    ),
    at(
      rounds.map(({ afterMs }) => afterMs),
      0.5,
    ),
    String(rounds.reduce((sum, { failed }) => sum + failed, 0)),
    ...describeCutOff(rounds.flatMap(({ cutOff }) => cutOff ?? [])),
  ];
}

function describeCutOff(cutOffs: readonly CutOff[]): string[] {
  if (cutOffs.length === 0) return ['', '', '', ''];
  const reported = cutOffs.flatMap((each) => each.reported);
  const statuses = [...new Set(reported.map(({ status }) => status))].sort();
  const times = reported.map(({ afterMs }) => afterMs);
  return [
    at(times, 0.5),
    at(times, 0.99),
    statuses.map((status) => `${status ?? 'broken'} x${reported.filter((each) => each.status === status).length}`).join(' '),
    at(
      cutOffs.map(({ backAfterMs }) => backAfterMs),
      0.5,
    ),
  ];
}

function at(values: readonly number[], share: number): string {
  const sorted = [...values].sort((a, b) => a - b);
  return milliseconds(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN);
}

function printFaults(rows: readonly (readonly string[])[]): void {
  printTable(
    [
      'no writes after: leader',
      'times',
      'p50 ms',
      'p99 ms',
      'as long before, p50',
      'second after, p50',
      'failed',
      'its clients answered, p50 ms',
      'p99 ms',
      'with',
      'healed: write again, p50 ms',
    ],
    rows,
  );
  console.log(`\n${aboutWriters}, default timeouts; load average ${loadavg()[0]?.toFixed(1)}`);
}
