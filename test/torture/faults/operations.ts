import { setTimeout as delay } from 'node:timers/promises';
import { drawSpan, drawTarget, faultType, type Target } from './fault.js';
import { join, leave } from './membership.js';

const stayMs = { min: 0, max: 4_000 };
const changeMs = 120_000;

export const addAndRemoveMember = faultType<{ readonly ms: number }>({
  weight: 5,
  draw: (prng) => ({ ms: drawSpan(prng, stayMs) }),
  inject: (scene, { ms }) =>
    scene.change(async () => {
      const { cluster } = scene;
      const member = await cluster.prepare(null);
      cluster.members.push(member);
      return await scene.hold(member, async () => {
        scene.log(`add ${member.id}`);
        await join(cluster, member, changeMs);
        await delay(ms);
        scene.log(`remove ${member.id}`);
        cluster.mayEnd.add(member.id);
        await leave(cluster, member.id, changeMs);
        await member.process.kill();
        cluster.forget(member);
        return member.id;
      });
    }),
});

export const replaceWiped = faultType<{ readonly target: Target }>({
  weight: 7,
  draw: (prng) => ({ target: drawTarget(prng) }),
  inject: (scene, { target }) =>
    scene.change(() =>
      scene.with(target, async (lost) => {
        const { cluster } = scene;
        const next = await cluster.prepare(lost.securePort);
        scene.log(`wipe ${lost.id}, ${next.id} comes in its place`);
        await lost.process.kill();
        cluster.forget(lost);
        cluster.members.push(next);
        await scene.hold(next, async () => {
          await leave(cluster, lost.id, changeMs);
          await join(cluster, next, changeMs);
        });
      }),
    ),
});
