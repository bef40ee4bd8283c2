import { setTimeout as delay } from 'node:timers/promises';
import type { ClusterMember } from '../../../deploy/cluster.js';
import { acknowledged, PinnedWriter } from '../pinnedWriter.js';
import type { Fault } from './faults.js';
import type { WatchedCluster } from './watchedCluster.js';

/** The effect of one fault on writers at other replicas and at a running old leader. */
export interface Round {
  /** From the fault until each writer has an answer, and an ending process has ended. */
  readonly pauseMs: number;
  /** The same before the fault. */
  readonly beforeMs: number;
  /** The same in the second after it. */
  readonly afterMs: number;
  readonly failed: number;
  readonly cutOff: CutOff | null;
}

/** What clients of the old leader saw: when and how they were first refused, and when they could write after the fault. */
export interface CutOff {
  readonly reported: readonly { readonly afterMs: number; readonly status: number | null }[];
  readonly backAfterMs: number;
}

const writersEach = 2;
/** The observed time before (at most) and after. */
const windowMs = 1_000;
const settleMs = 300;
export const collection = '/api/v1/namespaces/default/configmaps';
export const aboutWriters = `${writersEach} writers on each replica`;

export async function round(cluster: WatchedCluster, fault: Fault): Promise<Round> {
  const leader = await cluster.settledLeader();
  const writers = cluster.others(leader).flatMap((member) => writersAt(cluster, member));
  const cutOff = fault.cutsOff ? writersAt(cluster, leader) : [];
  let healed: Promise<unknown> | null = null;
  const heal = (): Promise<unknown> => (healed ??= fault.heal(leader, cluster));
  try {
    await delay(settleMs);
    const begun = performance.now();
    await delay(windowMs);
    const struck = performance.now();
    const ended = fault.strike(leader, cluster);
    const reported = Promise.all(cutOff.map(async (writer) => writer.next((end) => !acknowledged(end))));
    await Promise.all(writers.map((writer) => writer.next((end) => acknowledged(end) && end.sentMs >= struck)));
    await ended;
    const over = performance.now();
    await delay(windowMs);
    const seen = {
      pauseMs: longestPause(writers, struck, over),
      beforeMs: longestPause(writers, Math.max(begun, struck - (over - struck)), struck),
      afterMs: longestPause(writers, over, performance.now()),
    };
    const refusals = (await reported).map(({ sentMs, endedMs, status }) => ({ afterMs: endedMs - Math.max(sentMs, struck), status }));
    const backAfterMs = await writesAgain(cutOff, heal);
    return { ...seen, failed: failures(writers), cutOff: fault.cutsOff ? { reported: refusals, backAfterMs } : null };
  } finally {
    await Promise.all([...writers, ...cutOff].map((writer) => writer.stop()));
    await heal();
  }
}

function writersAt(cluster: WatchedCluster, member: ClusterMember): PinnedWriter[] {
  return Array.from(
    { length: writersEach },
    (_, each) => new PinnedWriter(cluster.endpointOf(member), `${collection}/written-${member.id}-${each}`),
  );
}

/** The time from the end of the fault until all these writers succeed. */
async function writesAgain(writers: readonly PinnedWriter[], heal: () => Promise<unknown>): Promise<number> {
  if (writers.length === 0) return 0;
  const from = performance.now();
  const back = Promise.all(writers.map((writer) => writer.next(acknowledged)));
  await heal();
  await back;
  return performance.now() - from;
}

const failures = (writers: readonly PinnedWriter[]): number => writers.reduce((sum, { failed }) => sum + failed, 0);

/** The longest interval between acknowledgements of any writer that overlaps `from` to `to`. */
function longestPause(writers: readonly PinnedWriter[], from: number, to: number): number {
  const times = writers.flatMap(({ acknowledgedMs }) => acknowledgedMs).sort((a, b) => a - b);
  const inside = [Math.max(...times.filter((time) => time < from), 0) || from, ...times.filter((time) => time >= from && time <= to)];
  return inside.reduce((longest, time, index) => Math.max(longest, index === 0 ? 0 : time - (inside[index - 1] as number)), 0);
}
