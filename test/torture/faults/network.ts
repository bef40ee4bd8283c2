import { setTimeout as delay } from 'node:timers/promises';
import type { TortureCluster } from '../cluster/tortureCluster.js';
import { drawSpan, drawTarget, faultType, type Target } from './fault.js';

export const cutMs = { min: 200, max: 8_000 };
const delayMsMax = 200;
const breaksPermilleMax = 100;

export const directions = ['both', 'in', 'out'] as const;
type Direction = (typeof directions)[number];

export const partition = faultType<{ readonly target: Target; readonly direction: Direction; readonly ms: number }>({
  weight: 20,
  draw: (prng) => ({ target: drawTarget(prng), direction: prng.pick(directions), ms: drawSpan(prng, cutMs) }),
  inject: async (scene, { target, direction, ms }) => {
    const member = await scene.choose(target);
    if (member === null) return null;
    scene.log(`cut ${member.id} off (${direction}) for ${ms} ms`);
    setLinks(scene.cluster, member.id, direction, true);
    await delay(ms);
    setLinks(scene.cluster, member.id, direction, false);
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

/** Cuts a member off from all others, or reconnects it. */
export function setLinks({ network, stations }: TortureCluster, id: string, direction: Direction, cut: boolean): void {
  for (const other of stations) {
    if (other === id) continue;
    if (direction !== 'out') network.set(other, id, { cut });
    if (direction !== 'in') network.set(id, other, { cut });
  }
}

function setEverywhere({ network, stations }: TortureCluster, state: { readonly delayMs: number; readonly breaksPermille: number }): void {
  for (const id of stations) for (const other of stations) if (id !== other) network.set(id, other, state);
}
