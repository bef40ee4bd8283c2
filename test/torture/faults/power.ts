import { setTimeout as delay } from 'node:timers/promises';
import { Prng } from '../../simulation/prng.js';
import type { TortureMember } from '../cluster/tortureCluster.js';
import type { FaultyMachines } from '../disk/faultyMachines.js';
import { drawSurvival, nothingMore } from '../disk/losePower.js';
import { drawSpan, drawTarget, faultType, type Target } from './fault.js';
import type { Scene } from './scene.js';

const downMs = { min: 0, max: 4_000 };
/** Of 1,000 losses, this many lose all unsynced data; the others keep some pages, torn and out of order. */
const allLostPermille = 300;
const seedMax = 2 ** 31;

/** `survival` seeds what remains of unsynced data: null for nothing. */
export interface Loss {
  readonly survival: number | null;
  readonly ms: number;
}

export const drawLoss = (prng: Prng): Loss => ({
  survival: prng.chance(allLostPermille) ? null : prng.below(seedMax),
  ms: drawSpan(prng, downMs),
});

export const powerLoss = faultType<Loss & { readonly target: Target }>({
  weight: 10,
  draw: (prng) => ({ target: drawTarget(prng), ...drawLoss(prng) }),
  inject: async (scene, { target, ...loss }) => {
    const { machines } = scene.cluster;
    return machines === null ? null : await scene.with(target, (member) => losePower(scene, machines, member, loss));
  },
});

/** All members lose power at once, so only synced data restore the cluster. */
export const powerLossAll = faultType<Loss>({
  weight: 6,
  draw: drawLoss,
  inject: async (scene, loss) => {
    const { machines } = scene.cluster;
    if (machines === null || !scene.quiet) return null;
    await Promise.all([...scene.cluster.members].map((member) => scene.hold(member, () => losePower(scene, machines, member, loss))));
    return 'all';
  },
});

async function losePower(scene: Scene, machines: FaultyMachines, member: TortureMember, loss: Loss): Promise<void> {
  await member.process.kill();
  loseUnsynced(scene, machines, member, loss);
  await delay(loss.ms);
  member.process.start();
}

/** Applies a power loss to the files of an ended member. */
export function loseUnsynced(scene: Scene, machines: FaultyMachines, member: TortureMember, { survival, ms }: Loss): void {
  const { files, names } = machines.losePower(
    member.id,
    member.dataDirectory,
    survival === null ? nothingMore : drawSurvival(new Prng(survival)),
  );
  scene.log(
    `power of ${member.id} is gone for ${ms} ms: ${survival === null ? 'all' : 'some'} of what was not synced is lost, in ${files} files and ${names} names`,
  );
}
