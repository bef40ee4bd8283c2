import { setTimeout as delay } from 'node:timers/promises';
import { failPoints, type FailPoint } from '../../../raft/failPoints.js';
import { ApiClient } from '../../fixtures/apiClient.js';
import type { TortureMember } from '../cluster/tortureCluster.js';
import { drawSpan, drawTarget, faultType, type Target } from './fault.js';
import { admit, leave } from './membership.js';
import { drawLoss, loseUnsynced, type Loss } from './power.js';
import type { Scene } from './scene.js';

/** The activity that leads a member to a point. */
type Situation = keyof typeof situations;

interface Ambush {
  readonly target: Target;
  readonly point: FailPoint;
  /** The number of its occurrence. */
  readonly nth: number;
  /** Unsynced data are lost too. */
  readonly power: Loss | null;
  readonly downMs: number;
}

/** Each point's situation, and the highest occurrence to wait for. */
const points: Readonly<Record<FailPoint, readonly [situation: Situation, nthMax: number]>> = {
  'log.append.unsynced': ['traffic', 50],
  'log.append.synced': ['traffic', 50],
  'log.state.unsynced': ['election', 3],
  'log.state.synced': ['election', 3],
  'log.checkpoint.begun': ['bulk', 1],
  'log.checkpoint.done': ['bulk', 1],
  'log.trim.unsynced': ['bulk', 2],
  'log.trim.synced': ['bulk', 2],
  'log.reset.unsynced': ['behind', 1],
  'log.reset.synced': ['behind', 1],
  'store.apply.uncommitted': ['traffic', 50],
  'store.apply.committed': ['traffic', 50],
  'store.compaction.uncommitted': ['traffic', 2],
  'store.sweep.uncommitted': ['traffic', 3],
  'store.shrink.done': ['bulk', 1],
  'store.checkpoint.begun': ['bulk', 2],
  'store.checkpoint.done': ['bulk', 2],
  'snapshot.copying': ['sender', 2],
  'snapshot.copied': ['sender', 1],
  'snapshot.sealed': ['sender', 1],
  'snapshot.named': ['sender', 1],
  'snapshot.sending': ['sender', 2],
  'snapshot.sent': ['sender', 1],
  'snapshot.receiving': ['behind', 2],
  'snapshot.received': ['behind', 1],
  'install.verified': ['behind', 1],
  'install.closed': ['behind', 1],
  'install.renamed': ['behind', 1],
  'install.swapped': ['behind', 1],
  'install.done': ['behind', 1],
  'membership.committed': ['change', 2],
  'membership.applied': ['sender', 1],
  'create.drafted': ['newcomer', 2],
  'create.named': ['newcomer', 2],
  'open.walKept': ['newcomer', 1],
  'open.marked': ['newcomer', 1],
  'create.storeAlone': ['newcomer', 1],
};

const names = Object.keys(failPoints) as [FailPoint, ...FailPoint[]];
const powerFailsPermille = 400;
const downMs = { min: 0, max: 4_000 };
const armedMs = 20_000;
const behindMs = 20_000;
const changeMs = 120_000;
const readyMs = 90_000;
const pollMs = 50;
/** Long enough that the leader is replaced. */
const hangsMs = 3_000;
/** Time to notice a process that died while it was disarmed. */
const noticedMs = 300;

/** Kills a member at a fail point (raft/failPoints.ts). */
export const killAtPoint = faultType<Ambush>({
  weight: 25,
  draw: (prng) => {
    const point = prng.pick(names);
    return {
      target: drawTarget(prng),
      point,
      nth: prng.between(1, points[point][1]),
      power: prng.chance(powerFailsPermille) ? drawLoss(prng) : null,
      downMs: drawSpan(prng, downMs),
    };
  },
  inject: (scene, ambush) => situations[points[ambush.point][0]](scene, ambush),
});

const nobody: Target = { role: 'follower', nth: 0 };

const situations = {
  /** Clients' traffic suffices. */
  traffic: (scene: Scene, ambush: Ambush) => meet(scene, ambush, ambush.target, () => Promise.resolve()),
  /** Many writes and deletes. */
  bulk: (scene: Scene, ambush: Ambush) => meet(scene, ambush, ambush.target, () => writeMuch(scene)),
  /** The leader is paused, and others vote. */
  election: (scene: Scene, ambush: Ambush) =>
    meet(scene, ambush, { ...nobody, ...ambush.target, role: 'follower' }, async () => {
      await scene.with({ role: 'leader' }, async (leader) => {
        leader.process.pause();
        await delay(hangsMs);
        leader.process.resume();
      });
    }),
  /** The target was down until it needs a snapshot. */
  behind: async (scene: Scene, ambush: Ambush): Promise<string | null> => {
    const member = await scene.choose({ ...nobody, ...ambush.target, role: 'follower' });
    return member === null
      ? null
      : await scene.hold(member, async () => {
          const status = await scene.cluster.status(member);
          if (status === null) return null;
          scene.log(`SIGKILL ${member.id}, until it needs a snapshot`);
          await member.process.kill();
          const written = writeMuch(scene);
          const far = await fallsBehind(scene, status.lastIndex);
          await written;
          if (far)
            return await strike(scene, ambush, member, () => {
              member.process.start();
            });
          member.process.start();
          return null;
        });
  },
  change: (scene: Scene, ambush: Ambush) => meetChange(scene, ambush, ambush.target),
  sender: (scene: Scene, ambush: Ambush) => meetChange(scene, ambush, { role: 'leader' }),
  newcomer: (scene: Scene, ambush: Ambush) =>
    withNewcomer(scene, async (newcomer) => {
      await admit(scene.cluster, newcomer, changeMs);
      const met = await strike(scene, ambush, newcomer, () => {
        newcomer.process.start();
      });
      if (!(await scene.cluster.ready(newcomer, readyMs)))
        scene.finding('availability', `${newcomer.id} does not serve ${readyMs / 1000} s after it was started again`);
      return met;
    }),
} as const;

async function meet(scene: Scene, ambush: Ambush, target: Target, provoke: () => Promise<void>): Promise<string | null> {
  const member = await scene.choose(target);
  return member === null ? null : await scene.hold(member, () => strike(scene, ambush, member, provoke));
}

function meetChange(scene: Scene, ambush: Ambush, target: Target): Promise<string | null> {
  return withNewcomer(scene, (newcomer) =>
    meet(scene, ambush, target, async () => {
      newcomer.process.start();
      await admit(scene.cluster, newcomer, changeMs);
    }),
  );
}

/** Arms the member, provokes the point, waits for its death and starts it again. Null when it did not reach the point. */
async function strike(
  scene: Scene,
  { point, nth, power, downMs: restMs }: Ambush,
  member: TortureMember,
  provoke: () => void | Promise<void>,
): Promise<string | null> {
  const { cluster } = scene;
  scene.log(`armed ${member.id}: ${point}, time ${nth}`);
  cluster.mayEnd.add(member.id);
  member.failPoints.arm(point, nth);
  const provoked = provoke();
  const died = await diesWithin(member, armedMs);
  member.failPoints.disarm();
  if (died) {
    scene.log(`${member.id} died at ${point}, down for ${power?.ms ?? restMs} ms`);
    scene.pointsMet.add(point);
  }
  await (died ? rest(scene, member, power, restMs) : delay(noticedMs));
  if (!member.process.running) member.process.start();
  cluster.mayEnd.delete(member.id);
  await provoked;
  return died ? `${member.id} at ${point}` : null;
}

async function rest(scene: Scene, member: TortureMember, power: Loss | null, restMs: number): Promise<void> {
  if (power !== null && scene.cluster.machines !== null) loseUnsynced(scene, scene.cluster.machines, member, power);
  await delay(power?.ms ?? restMs);
}

/** A process that ended by another cause, such as a snapshot too far ahead, was not at the point. */
async function diesWithin({ process }: TortureMember, ms: number): Promise<boolean> {
  for (const deadline = performance.now() + ms; performance.now() < deadline; await delay(pollMs)) {
    if (!process.running) return (await process.ended).signal === 'SIGKILL';
  }
  return false;
}

async function fallsBehind({ cluster }: Scene, lastIndex: number): Promise<boolean> {
  for (const deadline = performance.now() + behindMs; performance.now() < deadline; await delay(pollMs)) {
    const leader = await cluster.leader();
    const status = leader === null ? null : await cluster.status(leader);
    if (status !== null && status.firstIndex > lastIndex + 1) return true;
  }
  return false;
}

function withNewcomer(scene: Scene, work: (newcomer: TortureMember) => Promise<string | null>): Promise<string | null> {
  return scene.change(async () => {
    const { cluster } = scene;
    const newcomer = await cluster.prepare(null);
    cluster.members.push(newcomer);
    return await scene.hold(newcomer, async () => {
      const met = await work(newcomer);
      cluster.mayEnd.add(newcomer.id);
      await leave(cluster, newcomer.id, changeMs);
      await newcomer.process.kill();
      cluster.forget(newcomer);
      return met;
    });
  });
}

/** More entries, with their deletions, than a log keeps and a checkpoint waits for. */
const bulkObjects = 96;
const bulkAtOnce = 16;
/** Large ones grow files, which the next compaction but one shortens. */
const largeObjects = 4;
const largeBytes = 900_000;
const bulkPath = '/api/v1/namespaces/default/configmaps';
let bulks = 0;

/** Writes through the balancer, and ignores the answers. */
async function writeMuch({ cluster }: Scene): Promise<void> {
  const client = new ApiClient(cluster.address, cluster);
  const until = performance.now() + armedMs;
  bulks += 1;
  const names = Array.from({ length: bulkObjects }, (_, place) => `bulk-${bulks}-${place}`);
  const write = async (method: string, path: string, body?: object): Promise<void> => {
    if (performance.now() < until)
      await client.request(method, path, { ...(body === undefined ? {} : { body }), timeoutMs: armedMs }).catch(() => null);
  };
  const worker = async (first: number): Promise<void> => {
    for (let at = first; at < names.length; at += bulkAtOnce) {
      const name = names[at] ?? '';
      await write('POST', bulkPath, { metadata: { name }, data: { bulk: 'x'.repeat(at < largeObjects ? largeBytes : 1) } });
      await write('DELETE', `${bulkPath}/${name}`);
    }
  };
  await Promise.all(Array.from({ length: bulkAtOnce }, (_, first) => worker(first)));
  client.close();
}
