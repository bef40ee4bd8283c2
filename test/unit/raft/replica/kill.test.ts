import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import type { Member, MemberId } from '../../../../raft/types.js';
import type { ReplicaStatus } from '../../../../raft/replicaApi.js';
import type { Order, Reported } from './replicaProcess.js';
import { TestCluster, eventually } from './testCluster.js';

/** More than twice the election timeout, and less than the time until silent connections are closed. */
const sleepMs = 2_500;
const sleepMsMax = 3_500;

/** The limit for the wait of a thread on an idle machine. */
const waitedMsMax = 50;
/** The first one ends the silence, unless the member forgot it. */
const wordsAfterSleep = 2;

const electionTimeoutMs = 1_000;
/** A wait of twice this exceeds the timeout. */
const lateMs = electionTimeoutMs / 2;

/** The longest wait of a thread for a processor since its start. */
function waitedMs(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  return Math.max(...threads.map((id) => Number(readFileSync(`/proc/${pid}/task/${id}/schedstat`, 'latin1').split(' ')[1]) / 1e6));
}

/** Messages received from the leader, except the first. */
const wordsOf = ({ leaderSilence: { counts } }: ReplicaStatus): number => counts.reduce((sum, count) => sum + count, 0);

class Child {
  readonly process: ChildProcess;

  constructor(readonly id: MemberId) {
    this.process = fork(fileURLToPath(new URL('./replicaProcess.js', import.meta.url)));
  }

  ask<T>(order: Order): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const ended = (code: number | null): void => reject(new Error(`${this.id} ended with ${code}`));
      this.process.once('exit', ended);
      this.process.once('message', ({ answer }: { answer: T }) => {
        this.process.off('exit', ended);
        resolve(answer);
      });
      this.process.send(order);
    });
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    const exited = new Promise((resolve) => this.process.once('exit', resolve));
    this.process.kill(signal);
    await exited;
  }
}

describe('raft/replica, processes that are killed', function () {
  let cluster: TestCluster;
  const children = new Map<MemberId, Child>();

  beforeEach(async () => {
    cluster = new TestCluster();
    await cluster.prepare('a', 'b', 'c');
  });
  afterEach(async () => {
    await Promise.all([...children.values()].map((child) => child.end('SIGKILL')));
    children.clear();
    await cluster.end();
  });

  const start = async ({ id, address }: Member): Promise<Child> => {
    const child = new Child(id);
    children.set(id, child);
    await child.ask({
      start: {
        memberId: id,
        dataDirectory: join(cluster.directory, id),
        initialMembers: cluster.members,
        clusterToken: 'test',
        listenAddress: address,
        tls: await cluster.authority.issuePeer(id),
        heartbeatIntervalMs: 100,
        electionTimeoutMs,
        logEntriesKept: 1000,
      },
    });
    return child;
  };
  const leaderOf = (all: readonly Child[]): Promise<Child> =>
    eventually(async () => {
      for (const child of all) if ((await child.ask<string>({ role: true })) === 'leader') return child;
      return null;
    });
  const expectTruth = (reported: readonly Reported[], held: readonly string[]): void => {
    const keys = new Set(held);
    for (const { applied, unavailable } of reported) {
      expect(
        applied.filter((key) => !keys.has(key)),
        'acknowledged, but missing',
      ).to.deep.equal([]);
      expect(
        unavailable.filter((key) => keys.has(key)),
        'denied, but there',
      ).to.deep.equal([]);
    }
  };

  it('the leader, twice, while every replica writes: every answer was true, and the killed ones catch up', async () => {
    const all = await Promise.all(cluster.members.map(start));
    await leaderOf(all);
    for (const child of all) await child.ask({ write: true });
    const reported: Reported[] = [];
    for (let round = 0; round < 2; round += 1) {
      const running = [...children.values()];
      const leader = await leaderOf(running);
      const others = running.filter((child) => child !== leader);
      await eventually(async () => (await others[0]?.ask({ firstAfter: 0 })) ?? null);
      await leader.end('SIGKILL');
      const killedAt = Date.now();
      await eventually(async () => (await others[0]?.ask<number | null>({ firstAfter: killedAt + 50 })) ?? null);
      const back = await start(cluster.members.find(({ id }) => id === leader.id) as Member);
      await back.ask({ role: true });
      await back.ask({ write: true });
    }
    const running = [...children.values()];
    for (const child of running) reported.push(await child.ask<Reported>({ halt: true }));
    const held = await Promise.all(running.map((child) => child.ask<string[]>({ keys: true })));
    expect(held[1]).to.deep.equal(held[0]);
    expect(held[2]).to.deep.equal(held[0]);
    expectTruth(reported, held[0] ?? []);
    expect(reported.reduce((sum, { applied }) => sum + applied.length, 0)).to.be.greaterThan(0);
  });

  it('a follower that sleeps for longer than any election timeout hears what waits for it before time passes: it does not miss its leader', async () => {
    const all = await Promise.all(cluster.members.map(start));
    for (;;) {
      // The last paused member may have become leader on a busy machine.
      const leader = await leaderOf(all);
      const sleeper = all.find((child) => child !== leader) as Child;
      const status = (): Promise<ReplicaStatus> => sleeper.ask<ReplicaStatus>({ status: true });
      const before = await eventually(async () => {
        const now = await status();
        return now.leaderId === null ? null : now;
      });
      if (before.leaderId === sleeper.id) continue;
      const waitedBefore = all.map(({ process: { pid } }) => waitedMs(pid!));
      const since = performance.now();
      sleeper.process.kill('SIGSTOP');
      await delay(sleepMs);
      sleeper.process.kill('SIGCONT');
      // A longer pause proves nothing: the connection was closed.
      if (performance.now() - since > sleepMsMax) continue;
      // A silence counts only between two messages of the leader: as a preCandidate, the member would have forgotten the first.
      const after = await eventually(async () => {
        const now = await status();
        return now.term !== before.term || wordsOf(now) >= wordsOf(before) + wordsAfterSleep ? now : null;
      });
      // An election meanwhile proves nothing either.
      if (after.term !== before.term) continue;
      const { leaderId, term } = before;
      expect(after).to.include({ leaderId, term, role: 'follower' });
      // Nor does a forgotten silence if a thread waited long for a processor.
      const waited = all.map(({ process: { pid } }, index) => waitedMs(pid!) - waitedBefore[index]!);
      if (after.leaderSilence.sumMs - before.leaderSilence.sumMs < sleepMs && Math.max(...waited) > waitedMsMax) continue;
      expect(after.leaderSilence.sumMs - before.leaderSilence.sumMs).to.be.at.least(sleepMs);
      expect(after.electionTimeoutMs, 'what it slept itself is one tick').to.be.lessThan(sleepMs);
      return;
    }
  });

  it('a leader that is stopped again and again: its successors are not taught to wait', async () => {
    for (;;) {
      const all = await Promise.all(cluster.members.map(start));
      const taught = await stopLeaders(all, 3);
      if (taught === null) return;
      // A late sync, message or thread raises the timeout too, so this run proves nothing about pauses.
      const late = taught.map(({ figures, leaderSilence }) => Math.max(figures.logSync.longestMs, leaderSilence.longestMs));
      const waited = all.map((child) => waitedMs(child.process.pid!));
      expect(
        [...late, ...waited].some((ms) => ms >= lateMs),
        `they wait for ${taught.map(({ electionTimeoutMs: ms }) => ms).join(', ')} ms, though nobody was late (${late.join(', ')}; ${waited.join(', ')} ms)`,
      ).to.equal(true);
      await Promise.all(all.map((child) => child.end('SIGKILL')));
      await cluster.end();
      cluster = new TestCluster();
      await cluster.prepare('a', 'b', 'c');
    }
  });

  /** Pauses leaders repeatedly until another is elected. Returns the members' status once one waits longer than configured; else null. */
  async function stopLeaders(all: readonly Child[], times: number): Promise<readonly ReplicaStatus[] | null> {
    for (let round = 0; round < times; round += 1) {
      const leader = await leaderOf(all);
      // The log must be on disk everywhere: a pause during a sync counts as slow disk (raft/core/DESIGN.md).
      await eventually(async () => {
        const { commitIndex, lastIndex, members } = await leader.ask<ReplicaStatus>({ status: true });
        return commitIndex === lastIndex && members.every(({ id, progress }) => id === leader.id || progress?.match === lastIndex)
          ? true
          : null;
      });
      leader.process.kill('SIGSTOP');
      await leaderOf(all.filter((child) => child !== leader));
      leader.process.kill('SIGCONT');
      await eventually(async () => ((await leader.ask<ReplicaStatus>({ status: true })).leaderId === null ? null : true));
      const followed = await eventually(async () => {
        const reported = await Promise.all(all.map((child) => child.ask<ReplicaStatus>({ status: true })));
        return new Set(reported.map(({ leaderId, term }) => `${leaderId} ${term}`)).size === 1 ? reported : null;
      });
      if (followed.some((each) => each.electionTimeoutMs !== electionTimeoutMs)) return followed;
    }
    return null;
  }

  it('all of them at once: nothing that was acknowledged is lost', async () => {
    const all = await Promise.all(cluster.members.map(start));
    await leaderOf(all);
    for (const child of all) await child.ask({ write: true });
    await eventually(async () => (await all[2]?.ask({ firstAfter: 0 })) ?? null);
    const reported = await Promise.all(all.map((child) => child.ask<Reported>({ halt: true })));
    await Promise.all(all.map((child) => child.end('SIGKILL')));
    const again = await Promise.all(cluster.members.map(start));
    const held = await Promise.all(again.map((child) => child.ask<string[]>({ keys: true })));
    expect(held[1]).to.deep.equal(held[0]);
    expect(held[2]).to.deep.equal(held[0]);
    expectTruth(reported, held[0] ?? []);
    await Promise.all(again.map((child) => child.ask({ stop: true }).catch(() => undefined)));
  });
});
