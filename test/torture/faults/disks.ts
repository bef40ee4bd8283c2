import { setTimeout as delay } from 'node:timers/promises';
import type { DiskFault } from '../disk/faultyMachines.js';
import { drawSpan, drawTarget, faultType, type Target } from './fault.js';

const faultMs = { min: 200, max: 8_000 };
const syncMsMax = 500;

export const disk = faultType<{ readonly target: Target; readonly state: DiskFault; readonly syncMs: number; readonly ms: number }>({
  weight: 10,
  draw: (prng) => ({
    target: drawTarget(prng),
    state: prng.pick(['slow', 'syncFails', 'full']),
    syncMs: prng.between(10, syncMsMax),
    ms: drawSpan(prng, faultMs),
  }),
  inject: async (scene, { target, state, syncMs, ms }) => {
    const { machines, mayEnd } = scene.cluster;
    return machines === null
      ? null
      : await scene.with(target, async (member) => {
          scene.log(`disk of ${member.id} is ${state} (${syncMs} ms) for ${ms} ms`);
          if (state !== 'slow') mayEnd.add(member.id);
          scene.cluster.badDisks.add(member.id);
          machines.setDisk(member.id, state, syncMs);
          await delay(ms);
          machines.setDisk(member.id, 'good');
          scene.cluster.badDisks.delete(member.id);
          if (state === 'slow') return;
          // A server that lost its disk ends and is started again, and so is one that noticed nothing.
          scene.log(`${member.id} ${member.process.running ? 'still runs' : 'has ended'}`);
          await member.process.kill();
          mayEnd.delete(member.id);
          member.process.start();
        });
  },
});
