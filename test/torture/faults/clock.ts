import { setTimeout as delay } from 'node:timers/promises';
import { clocksOffMsMax } from '../cluster/tortureCluster.js';
import { drawSpan, drawTarget, faultType, type Target } from './fault.js';

const second = 1_000;
/** Overlapping jumps add up: faults begin at least 0.5 s apart, and a jump lasts at most 8 s. */
const jumpsAtOnceMax = 16;
/** Magnitudes are drawn evenly: seconds are as likely as days. */
const jumpMs = { min: second, max: clocksOffMsMax / jumpsAtOnceMax };
const wrongMs = { min: 200, max: 8_000 };
const allPermille = 200;

/** Sets the wall clock of one member, or of all, and restores it. Other faults may overlap. */
export const clock = faultType<{ readonly target: Target | null; readonly jumpMs: number; readonly ms: number }>({
  weight: 10,
  draw: (prng) => {
    const magnitude = (Math.log(jumpMs.max / jumpMs.min) * prng.below(1_000)) / 1_000;
    const sign = prng.chance(500) ? 1 : -1;
    return {
      target: prng.chance(allPermille) ? null : drawTarget(prng),
      jumpMs: sign * Math.round(jumpMs.min * Math.exp(magnitude)),
      ms: drawSpan(prng, wrongMs),
    };
  },
  inject: async (scene, { target, jumpMs, ms }) => {
    const { machines } = scene.cluster;
    const one = target === null || machines === null ? null : await scene.choose(target);
    if (machines === null || (target !== null && one === null)) return null;
    const ids = one === null ? scene.cluster.members.map(({ id }) => id) : [one.id];
    scene.log(`clock of ${ids.join(', ')} jumps by ${jumpMs} ms, for ${ms} ms`);
    for (const id of ids) machines.jumpClock(id, jumpMs);
    await delay(ms);
    for (const id of ids) machines.jumpClock(id, -jumpMs);
    return ids.join(', ');
  },
});
