import { setTimeout as delay } from 'node:timers/promises';
import type { Prng } from '../../simulation/prng.js';
import type { EtcdMember } from '../../fixtures/etcdServers.js';
import type { EtcdGroup } from '../cluster/etcdGroup.js';
import { drawSpan, drawTarget, faultType, type AnyFaultType, type Span, type Target } from './fault.js';
import { cutMs, directions, setLinks } from './network.js';
import type { Scene } from './scene.js';

const downMs = { min: 0, max: 4_000 };
const pauseMs = { min: 100, max: 10_000 };
const compactions = { min: 1, max: 20 };
const compactionGapMs = { min: 0, max: 300 };

interface OnMember {
  readonly target: Target;
  readonly ms: number;
}

const onMember = (
  weight: number,
  span: Span,
  work: (scene: Scene, member: EtcdMember, ms: number, etcd: EtcdGroup) => Promise<void>,
): AnyFaultType =>
  faultType<OnMember>({
    weight,
    draw: (prng) => ({ target: drawTarget(prng), ms: drawSpan(prng, span) }),
    inject: async (scene, { target, ms }) => {
      const { etcd } = scene.cluster;
      const member = etcd === null ? null : await chosen(scene, etcd, target);
      if (etcd === null || member === null) return null;
      await scene.hold({ id: member.name }, () => work(scene, member, ms, etcd));
      return member.name;
    },
  });

async function chosen(scene: Scene, etcd: EtcdGroup, target: Target): Promise<EtcdMember | null> {
  const leader = await etcd.leader();
  const free = (member: EtcdMember): boolean => !scene.isBusy({ id: member.name });
  if (target.role === 'leader') return leader !== null && free(leader) ? leader : null;
  const others = etcd.members.filter((member) => member !== leader && free(member));
  return others[target.nth % others.length] ?? null;
}

async function down(scene: Scene, member: EtcdMember, ms: number): Promise<void> {
  scene.log(`SIGKILL ${member.name} of etcd, down for ${ms} ms`);
  await member.kill();
  await delay(ms);
  member.restart();
}

export const etcdKill = onMember(20, downMs, down);

export const etcdKillAll = faultType<{ readonly ms: number }>({
  weight: 6,
  draw: (prng) => ({ ms: drawSpan(prng, downMs) }),
  inject: async (scene, { ms }) => {
    const { etcd } = scene.cluster;
    if (etcd === null || etcd.members.some(({ name: id }) => scene.isBusy({ id }))) return null;
    await Promise.all(etcd.members.map((member) => scene.hold({ id: member.name }, () => down(scene, member, ms))));
    return 'all';
  },
});

export const etcdPause = onMember(18, pauseMs, async (scene, member, ms) => {
  scene.log(`SIGSTOP ${member.name} of etcd for ${ms} ms`);
  member.pause();
  await delay(ms);
  member.resume();
});

export const etcdPartition = faultType<OnMember & { readonly direction: (typeof directions)[number] }>({
  weight: 20,
  draw: (prng) => ({ target: drawTarget(prng), direction: prng.pick(directions), ms: drawSpan(prng, cutMs) }),
  inject: async (scene, { target, direction, ms }) => {
    const { cluster } = scene;
    const member = cluster.etcd === null ? null : await chosen(scene, cluster.etcd, target);
    if (member === null) return null;
    scene.log(`cut ${member.name} of etcd off (${direction}) for ${ms} ms`);
    setLinks(cluster, member.name, direction, true);
    await delay(ms);
    setLinks(cluster, member.name, direction, false);
    return member.name;
  },
});

/** Compacts to the present repeatedly, so a slow watcher loses history. */
export const etcdCompaction = faultType<{ readonly times: number; readonly gapMs: number }>({
  weight: 12,
  draw: (prng: Prng) => ({ times: drawSpan(prng, compactions), gapMs: drawSpan(prng, compactionGapMs) }),
  inject: async ({ cluster: { etcd }, log }, { times, gapMs }) => {
    if (etcd === null) return null;
    for (let n = 0; n < times; n++) {
      const revision = await etcd.compact();
      log(`etcd is compacted at ${revision ?? 'nothing: it takes no writes'}`);
      await delay(gapMs);
    }
    return 'all';
  },
});

export const etcdDefragmentation = onMember(6, { min: 0, max: 0 }, async (scene, member, _ms, etcd) => {
  scene.log(`${member.name} of etcd is defragmented: ${(await etcd.defragment(member)) ? 'done' : 'it did not answer'}`);
});
