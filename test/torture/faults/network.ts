import { setTimeout as delay } from 'node:timers/promises';
import type { TortureCluster, TortureMember } from '../cluster/tortureCluster.js';
import { drawSpan, drawTarget, faultType, type Target } from './fault.js';

const cutMs = { min: 200, max: 8_000 };
const delayMsMax = 200;
const breaksPermilleMax = 100;

type Direction = 'both' | 'in' | 'out';

export const partition = faultType<{ readonly target: Target; readonly direction: Direction; readonly ms: number }>({
  weight: 20,
  draw: (prng) => ({ target: drawTarget(prng), direction: prng.pick(['both', 'in', 'out']), ms: drawSpan(prng, cutMs) }),
  inject: async (scene, { target, direction, ms }) => {
    const member = await scene.choose(target);
    if (member === null) return null;
    scene.log(`cut ${member.id} off (${direction}) for ${ms} ms`);
    setLinks(scene.cluster, member, direction, true);
    await delay(ms);
    setLinks(scene.cluster, member, direction, false);
    return member.id;
  },
});

export const slowNetwork = faultType<{ readonly delayMs: number; readonly breaksPermille: number; readonly ms: number }>({
  weight: 10,
  draw: (prng) => ({ delayMs: prng.below(delayMsMax), breaksPermille: prng.below(breaksPermilleMax), ms: drawSpan(prng, cutMs) }),
  inject: async ({ cluster, log }, { delayMs, breaksPermille, ms }) => {
    log(`network: ${delayMs} ms late, ${breaksPermille} of 1,000 pieces break, for ${ms} ms`);
    setEverywhere(cluster, { delayMs, breaksPermille });
    await delay(ms);
    setEverywhere(cluster, { delayMs: 0, breaksPermille: 0 });
    return 'all';
  },
});

function setLinks(cluster: TortureCluster, member: TortureMember, direction: Direction, cut: boolean): void {
  for (const other of cluster.members) {
    if (other === member) continue;
    if (direction !== 'out') cluster.network.set(other.id, member.id, { cut });
    if (direction !== 'in') cluster.network.set(member.id, other.id, { cut });
  }
}

function setEverywhere(cluster: TortureCluster, state: { readonly delayMs: number; readonly breaksPermille: number }): void {
  for (const { id } of cluster.members)
    for (const { id: other } of cluster.members) if (id !== other) cluster.network.set(id, other, state);
}
