import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { failPoint, failPoints } from '../../../raft/failPoints.js';
import type { FailPoint } from '../../../raft/failPoints.js';
import { memberId } from '../../../raft/types.js';
import type { Member } from '../../../raft/types.js';
import { FailPointFile } from '../../fixtures/failPointFile.js';
import { TestCluster, contents, created, eventually, timeoutMs } from './replica/testCluster.js';
import type { Running } from './replica/testCluster.js';
import { valueOf } from './victimSpec.js';
import type { VictimSpec } from './victimSpec.js';

/** Low, so that a few hundred writes reach every point. */
const limits = { checkpointEntries: 50 };
const overrides = { logEntriesKept: 10 };
const program = fileURLToPath(new URL('./victim.js', import.meta.url));

/**
 * The replica that dies at the point:
 * - `alone`: a single-member cluster that writes, compacts and copies
 * - `leader`: one that adds a member by a snapshot
 * - `follower`: one that gets a snapshot after an absence
 */
type Scene = 'alone' | 'leader' | 'follower';

/** A point may matter several times: the second created database is the log. */
const scenes: Readonly<Record<FailPoint, readonly (readonly [scene: Scene, nth: number])[]>> = {
  'log.append.unsynced': [
    ['alone', 1],
    ['alone', 30],
  ],
  'log.append.synced': [
    ['alone', 1],
    ['alone', 30],
  ],
  'log.state.unsynced': [
    ['alone', 1],
    ['follower', 1],
  ],
  'log.state.synced': [
    ['alone', 1],
    ['follower', 1],
  ],
  'log.checkpoint.begun': [['alone', 2]],
  'log.checkpoint.done': [['alone', 2]],
  'log.trim.unsynced': [['alone', 2]],
  'log.trim.synced': [['alone', 2]],
  'log.reset.unsynced': [['follower', 1]],
  'log.reset.synced': [['follower', 1]],
  'store.apply.uncommitted': [
    ['alone', 1],
    ['alone', 30],
  ],
  'store.apply.committed': [
    ['alone', 1],
    ['alone', 30],
  ],
  'store.compaction.uncommitted': [['alone', 2]],
  'store.sweep.uncommitted': [
    ['alone', 1],
    ['alone', 4],
  ],
  'store.shrink.done': [['alone', 1]],
  'store.checkpoint.begun': [['alone', 2]],
  'store.checkpoint.done': [['alone', 2]],
  'snapshot.copying': [
    ['alone', 3],
    ['leader', 2],
  ],
  'snapshot.copied': [['leader', 1]],
  'snapshot.sealed': [['leader', 1]],
  'snapshot.named': [['leader', 1]],
  'snapshot.sending': [['leader', 2]],
  'snapshot.sent': [['leader', 1]],
  'snapshot.receiving': [['follower', 2]],
  'snapshot.received': [['follower', 1]],
  'install.verified': [['follower', 1]],
  'install.closed': [['follower', 1]],
  'install.renamed': [['follower', 1]],
  'install.swapped': [['follower', 1]],
  'install.done': [['follower', 1]],
  'membership.committed': [['leader', 1]],
  'membership.applied': [['leader', 1]],
  'create.drafted': [
    ['alone', 1],
    ['alone', 2],
  ],
  'create.named': [
    ['alone', 1],
    ['alone', 2],
  ],
  'open.walKept': [['alone', 1]],
  'open.marked': [['alone', 1]],
  'create.storeAlone': [['alone', 1]],
};

/** A process that dies, and its output. */
class Victim {
  readonly #heard: (line: string) => void;
  readonly said: string[] = [];
  readonly ended: Promise<{ readonly status: number | null; readonly signal: string | null }>;
  readonly #child: ChildProcess;

  constructor(spec: VictimSpec, file: FailPointFile, heard: (line: string) => void = () => undefined) {
    this.#heard = heard;
    const child = spawn(process.execPath, [program, JSON.stringify(spec)], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, ...file.environment },
    });
    this.#child = child;
    const exited = once(child, 'exit');
    this.ended = this.#listen(createInterface({ input: child.stdout })).then(async () => {
      const [status, signal] = (await exited) as [number | null, string | null];
      return { status, signal };
    });
  }

  /** Words after `word` in its output. */
  named(word: string): string[] {
    return this.said.flatMap((line) => (line.startsWith(`${word} `) ? [line.slice(word.length + 1)] : []));
  }

  async end(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.ended;
  }

  async #listen(lines: AsyncIterable<string>): Promise<void> {
    for await (const line of lines) {
      this.said.push(line);
      this.#heard(line);
    }
  }
}

describe('raft/failPoints', function () {
  let cluster: TestCluster;
  let file: FailPointFile;
  let victim: Victim | null = null;

  beforeEach(async () => {
    cluster = new TestCluster();
    file = new FailPointFile(join(cluster.directory, 'fail-points'));
    await cluster.prepare('a');
  });
  afterEach(async () => {
    await victim?.end();
    victim = null;
    await cluster.end();
  });

  const options = async (name: string): Promise<VictimSpec['options']> => ({
    memberId: memberId(name),
    dataDirectory: join(cluster.directory, name),
    initialMembers: cluster.members,
    clusterToken: 'test',
    listenAddress: cluster.members.find(({ id }) => id === memberId(name))!.address,
    tls: await cluster.authority.issuePeer(name),
    heartbeatIntervalMs: 20,
    electionTimeoutMs: 200,
    ...overrides,
  });
  const start = (name: string): Promise<Running> => cluster.start(name, overrides, limits);
  /** Acknowledged writes are present and correct, and the store still works. */
  const expectTruth = async (running: Running, dead: Victim): Promise<void> => {
    const held = await contents(running);
    const deleted = new Set(dead.named('delete'));
    for (const key of dead.named('put'))
      if (!deleted.has(key)) expect(held[key] === valueOf(key), `${key} is there as it was written`).to.equal(true);
    const members = (await running.replica.status()).members.map(({ id }) => id as string);
    for (const id of dead.named('member')) expect(members).to.include(id);
    await created(running, '/afterwards');
    expect(
      readdirSync(join(cluster.directory, running.id)).filter((name) => name.includes('.new')),
      'drafts of databases',
    ).to.deep.equal([]);
  };
  const expectKilled = async (dead: Victim): Promise<void> => {
    expect(await dead.ended).to.deep.equal({ status: null, signal: 'SIGKILL' });
  };

  const play: Readonly<Record<Scene, () => Promise<void>>> = {
    alone: async () => {
      const dead = (victim = new Victim({ options: await options('a'), limits, act: 'writes', newcomer: null }, file));
      await expectKilled(dead);
      await expectTruth(await start('a'), dead);
    },
    leader: async () => {
      const newcomer = await cluster.member('b', 'learner');
      const dead = (victim = new Victim({ options: await options('a'), limits, act: 'adds', newcomer }, file));
      cluster.members.push(newcomer);
      await start('b');
      await expectKilled(dead);
      const back = await start('a');
      if (!(await back.replica.status()).members.some(({ id }) => id === newcomer.id))
        await back.replica.changeMembership({ type: 'addLearner', member: newcomer }, timeoutMs);
      await expectTruth(back, dead);
      await expectEqual(back, cluster.get('b'));
    },
    follower: async () => {
      const leader = await start('a');
      const member: Member = await cluster.member('b', 'learner');
      cluster.members.push(member);
      await created(leader, '/first', valueOf('/first'));
      await leader.replica.changeMembership({ type: 'addLearner', member }, timeoutMs);
      await contents(await start('b'));
      await cluster.stop('b');
      const before = (await leader.replica.status()).lastIndex;
      for (let at = 0; at < 160; at += 8)
        await Promise.all(Array.from({ length: 8 }, (_, place) => created(leader, `/key/${at + place}`, valueOf(`/key/${at + place}`))));
      expect((await leader.replica.status()).firstIndex).to.be.greaterThan(before);
      const dead = (victim = new Victim({ options: await options('b'), limits, act: 'follows', newcomer: null }, file));
      await expectKilled(dead);
      await expectEqual(leader, await start('b'));
      await created(cluster.get('b'), '/afterwards');
      await expectEqual(leader, cluster.get('b'));
    },
  };
  const expectEqual = async (one: Running, other: Running): Promise<void> => {
    await eventually(async () => ((await other.replica.status()).appliedIndex > 0 ? true : null));
    expect(await contents(other)).to.deep.equal(await contents(one));
  };

  it('has a scene for every point', () => {
    expect(Object.entries(scenes).flatMap(([point, played]) => (played.length > 0 ? [point] : []))).to.have.members(
      Object.keys(failPoints),
    );
  });

  for (const [point, played] of Object.entries(scenes) as [FailPoint, (typeof scenes)[FailPoint]][]) {
    for (const [scene, nth] of played) {
      it(`keeps what it acknowledged, and goes on, when killed at ${point} (${scene}, time ${nth})`, async () => {
        file.arm(point, nth);
        await play[scene]();
      });
    }
  }

  it('kills in the consensus thread, once armed while the process runs, and only then', async () => {
    const armedAt = 100;
    const dead = (victim = new Victim({ options: await options('a'), limits: null, act: 'writes', newcomer: null }, file, (line) => {
      if (line.startsWith('put ') && dead.named('put').length === armedAt) file.arm('log.append.synced', 2);
    }));
    await expectKilled(dead);
    expect(dead.named('put').length).to.be.at.least(armedAt);
    await expectTruth(await start('a'), dead);
  });

  it('is nothing at all in a process without the variable', () => {
    expect(failPoint).to.equal(undefined);
  });
});
