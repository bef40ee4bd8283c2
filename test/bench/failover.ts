import { setTimeout as delay } from 'node:timers/promises';
import { loadavg } from 'node:os';
import type { ClusterMember } from '../../deploy/cluster.js';
import { ApiClient } from '../fixtures/apiClient.js';
import { withBenchCluster, type BenchCluster } from './benchCluster.js';
import { Connection, request, type Endpoint } from './connection.js';
import { PinnedWriter } from './pinnedWriter.js';
import { milliseconds, printTable, ratio } from './table.js';

/**
 * How long nobody can write when a leader goes: killed, asked to stop, hanging. Writers are pinned to the other replicas, so no balancer and no
 * reconnecting client adds to it. Beside each figure the longest pause between two answers in as long a time without any fault: what the machine
 * does by itself. Last, how long a replica takes to catch up.
 */
export interface FailoverOptions {
  /** Of each kind. */
  readonly kills: number;
  /** Entries that the replica which catches up has missed. */
  readonly behind: number;
}

interface Fault { readonly what: string; readonly strike: (leader: ClusterMember) => Promise<unknown>; readonly heal: (leader: ClusterMember) => Promise<unknown> }

const stopGraceMs = 20_000;
const FAULTS: readonly Fault[] = [
  { what: 'leader killed (SIGKILL)', strike: (leader) => leader.process.kill('SIGKILL'), heal: (leader) => leader.restart() },
  { what: 'leader asked to stop (SIGTERM)', strike: (leader) => leader.process.stop(stopGraceMs), heal: (leader) => leader.restart() },
  { what: 'leader hangs (SIGSTOP)', strike: (leader) => Promise.resolve(leader.process.pause()), heal: (leader) => Promise.resolve(leader.process.resume()) },
];

const writersEach = 2;
/** How long writes are looked at, before and after. */
const windowMs = 1_000;
const pollMs = 20;
const settleMs = 300;
const fillConnections = 64;
const collection = '/api/v1/namespaces/default/configmaps';

interface Round { readonly pauseMs: number; readonly calmMs: number; readonly failed: number }
interface Status { readonly leaderId: string | null; readonly memberId: string; readonly commitIndex: number; readonly appliedIndex: number; readonly firstIndex: number }

export async function benchFailover({ kills, behind }: FailoverOptions): Promise<void> {
  await withBenchCluster(3, async (bench) => {
    const cluster = new Watched(bench);
    try {
      if (kills > 0) await measureFaults(cluster, kills);
      if (behind > 0) await measureCatchUp(cluster, behind);
    } finally {
      cluster.close();
    }
  });
}

async function measureFaults(cluster: Watched, kills: number): Promise<void> {
  const rows: string[][] = [];
  for (const fault of FAULTS) {
    const rounds: Round[] = [];
    for (let each = 0; each < kills; each += 1) {
      if (each % 10 === 0) console.error(`  ${fault.what}: ${each} of ${kills} ...`);
      rounds.push(await round(cluster, fault));
    }
    const pauses = rounds.map(({ pauseMs }) => pauseMs);
    rows.push([fault.what, String(kills), ...[0.5, 0.99].map((share) => milliseconds(at(pauses, share))), milliseconds(at(rounds.map(({ calmMs }) => calmMs), 0.5)),
      String(rounds.reduce((sum, { failed }) => sum + failed, 0))]);
  }
  printTable(['no writes after', 'times', 'p50 ms', 'p99 ms', 'without a fault, p50 ms', 'failed answers'], rows);
  console.log(`\n${writersEach} writers on each of the two other replicas, default timeouts; load average ${loadavg()[0]?.toFixed(1)}`);
}

function at(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}

async function round(cluster: Watched, { strike, heal }: Fault): Promise<Round> {
  const leader = await cluster.settledLeader();
  const writers = cluster.members.filter((member) => member !== leader).flatMap((member) => Array.from({ length: writersEach }, (_, each) =>
    new PinnedWriter(cluster.endpointOf(member), `${collection}/written-${member.id}-${each}`)));
  try {
    const begun = performance.now();
    await delay(windowMs + settleMs);
    const struck = performance.now();
    const ended = strike(leader);
    await Promise.all(writers.map((writer) => writer.answeredAfter(struck)));
    await delay(windowMs);
    await ended;
    return { pauseMs: longestPause(writers, struck, performance.now()), calmMs: longestPause(writers, begun + settleMs, struck), failed: writers.reduce((sum, { failed }) => sum + failed, 0) };
  } finally {
    await Promise.all(writers.map((writer) => writer.stop()));
    await heal(leader);
  }
}

/** The longest time between two answers of any of the writers that touches the time from `from` to `to`. */
function longestPause(writers: readonly PinnedWriter[], from: number, to: number): number {
  const answers = writers.flatMap(({ answeredMs }) => answeredMs).sort((a, b) => a - b);
  const inside = [Math.max(...answers.filter((time) => time < from), 0) || from, ...answers.filter((time) => time >= from && time <= to)];
  return inside.reduce((longest, time, index) => Math.max(longest, index === 0 ? 0 : time - (inside[index - 1] as number)), 0);
}

/** A follower misses entries while it is down, by the log and by a snapshot if there are more of them than the log keeps. */
async function measureCatchUp(cluster: Watched, behind: number): Promise<void> {
  console.error(`  a replica misses ${behind} entries ...`);
  const leader = await cluster.settledLeader();
  const follower = cluster.members.find((member) => member !== leader) as ClusterMember;
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
  await Promise.all(Array.from({ length: fillConnections }, async (_, each) => {
    const connection = await Connection.open(endpoint);
    for (let round = next++; round < writes; round = next++) {
      const body = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `missed-${each}` }, data: { value: String(round) } });
      const { status } = await connection.send(request('PATCH', `${collection}/missed-${each}?fieldManager=bench&force=true`, body, 'application/apply-patch+yaml'));
      if (status !== 200 && status !== 201) throw new Error(`write ${round} was answered with ${status}`);
    }
    connection.close();
  }));
}

/** The cluster with a client for each replica. */
class Watched {
  readonly members: readonly ClusterMember[];
  readonly #clients: ReadonlyMap<ClusterMember, ApiClient>;

  constructor(private readonly bench: BenchCluster) {
    this.members = bench.cluster.members;
    this.#clients = new Map(this.members.map((member) => [member, new ApiClient(member.address, bench.cluster)]));
  }

  endpointOf(member: ClusterMember): Endpoint { return this.bench.endpoints[this.members.indexOf(member)] as Endpoint; }

  async statusOf(member: ClusterMember): Promise<Status> {
    return await this.#clients.get(member)!.expect(200, 'GET', '/raft/v1/status', { timeoutMs: 2_000 }) as unknown as Status;
  }

  /** The leader on which all replicas agree, when all have applied what it has committed. */
  async settledLeader(): Promise<ClusterMember> {
    for (;;) {
      const all = await Promise.all(this.members.map((member) => this.statusOf(member).catch(() => null)));
      const leader = this.members.find(({ id }) => id === all[0]?.leaderId);
      const committed = all[leader === undefined ? 0 : this.members.indexOf(leader)]?.commitIndex ?? Infinity;
      if (leader !== undefined && all.every((status) => status !== null && status.leaderId === leader.id && status.appliedIndex >= committed)) return leader;
      await delay(pollMs);
    }
  }

  close(): void { for (const client of this.#clients.values()) client.close(); }
}
