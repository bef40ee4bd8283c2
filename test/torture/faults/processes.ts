import { setTimeout as delay } from 'node:timers/promises';
import type { TortureMember } from '../cluster/tortureCluster.js';
import { drawSpan, drawTarget, faultType, type Target } from './fault.js';
import type { Scene } from './scene.js';

const downMs = { min: 0, max: 4_000 };
const pauseMs = { min: 100, max: 10_000 };
/** Time from SIGTERM to the end, and from start to readiness, with other faults. */
const stopGraceMs = 30_000;
const readyMs = 90_000;

interface TargetForMs {
  readonly target: Target;
  readonly ms: number;
}

export const kill = faultType<TargetForMs>({
  weight: 20,
  draw: (prng) => ({ target: drawTarget(prng), ms: drawSpan(prng, downMs) }),
  inject: (scene, { target, ms }) =>
    scene.with(target, async (member) => {
      await down(scene, member, 'SIGKILL', ms);
    }),
});

export const killAll = faultType<{ readonly ms: number }>({
  weight: 6,
  draw: (prng) => ({ ms: drawSpan(prng, downMs) }),
  inject: async (scene, { ms }) => {
    if (!scene.quiet) return null;
    await Promise.all([...scene.cluster.members].map((member) => scene.hold(member, () => down(scene, member, 'SIGKILL', ms))));
    return 'all';
  },
});

export const pause = faultType<TargetForMs>({
  weight: 18,
  draw: (prng) => ({ target: drawTarget(prng), ms: drawSpan(prng, pauseMs) }),
  inject: (scene, { target, ms }) =>
    scene.with(target, async (member) => {
      scene.log(`SIGSTOP ${member.id} for ${ms} ms`);
      member.process.pause();
      await delay(ms);
      member.process.resume();
    }),
});

export const rollingRestart = faultType<object>({
  weight: 4,
  draw: () => ({}),
  inject: async (scene) => {
    for (const member of [...scene.cluster.members]) {
      // A member that was replaced meanwhile does not return.
      if (!scene.isBusy(member) && scene.cluster.members.includes(member))
        await scene.hold(member, () => down(scene, member, 'SIGTERM', 0));
    }
    return 'all';
  },
});

async function down(scene: Scene, member: TortureMember, signal: 'SIGKILL' | 'SIGTERM', ms: number): Promise<void> {
  scene.log(`${signal} ${member.id}, down for ${ms} ms`);
  if (signal === 'SIGKILL') await member.process.kill();
  else if (!(await member.process.stop(stopGraceMs)))
    scene.finding('availability', `${member.id} did not end within ${stopGraceMs} ms of SIGTERM`);
  await delay(ms);
  member.process.start();
  if (signal === 'SIGTERM') await scene.cluster.ready(member, readyMs);
}
