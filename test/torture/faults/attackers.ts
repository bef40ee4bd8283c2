import { floodOfExpensiveObjects, floodOfGets, floodOfNode } from '../attackers/floods.js';
import { identitiesOf, type Identities } from '../attackers/identities.js';
import { protocolErrors as breakProtocol, thousandConnections as openThousand } from '../attackers/connections.js';
import { ConnectionFlood, halfClientHello } from '../../fixtures/connectionFlood.js';
import type { TortureMember } from '../cluster/tortureCluster.js';
import { drawSpan, drawTarget, faultType, type AnyFaultType, type Target } from './fault.js';
import type { Scene } from './scene.js';

const attackMs = { min: 2_000, max: 10_000 };
const weight = 4;
const strangersPerMember = 300;

interface AttackOn {
  readonly target: Target;
  readonly ms: number;
}

/** Attacks one member; other faults may overlap. `attack` runs until the signal and resolves with the number of attempts. */
function attackOn(what: string, attack: (scene: Scene, member: TortureMember, signal: AbortSignal) => Promise<number>): AnyFaultType {
  return faultType<AttackOn>({
    weight,
    draw: (prng) => ({ target: drawTarget(prng), ms: drawSpan(prng, attackMs) }),
    inject: async (scene, { target, ms }) => {
      const member = await scene.choose(target);
      if (member === null) return null;
      scene.log(`attack on ${member.id} for ${ms} ms: ${what}`);
      const count = await attack(scene, member, AbortSignal.timeout(ms));
      scene.log(`attack on ${member.id} is over: ${what}, ${count} times`);
      return member.id;
    },
  });
}

/** There is no attack while identities cannot be created. */
const attackBy = (
  who: keyof Identities,
  what: string,
  attack: (flood: Parameters<typeof floodOfGets>[0]) => Promise<number>,
): AnyFaultType =>
  attackOn(what, async ({ cluster }, member, signal) => {
    const identities = await identitiesOf(cluster).catch(() => null);
    return identities === null ? 0 : await attack({ cluster, member, credentials: identities[who], signal });
  });

export const protocolErrors = attackOn('connections that end with a protocol error', (_scene, member, signal) =>
  breakProtocol(member, signal),
);
export const thousandConnections = attackOn('a thousand connections that keep the server waiting', (_scene, member, signal) =>
  openThousand(member, signal),
);
export const floodingUser = attackBy('user', 'a user with one verb floods', floodOfGets);
export const floodingNode = attackBy('node', 'a node floods', floodOfNode);
export const expensiveObjects = attackBy(
  'administrator',
  'an administrator of a namespace posts expensive objects',
  floodOfExpensiveObjects,
);

export const peerFlood = faultType<{ readonly midway: boolean; readonly ms: number }>({
  weight,
  draw: (prng) => ({ midway: prng.chance(500), ms: drawSpan(prng, attackMs) }),
  inject: async (scene, { midway, ms }) => {
    scene.log(`flood of the peer ports for ${ms} ms: ${midway ? 'handshakes that stop midway' : 'connections on which nothing comes'}`);
    const first = midway ? halfClientHello : null;
    const floods = await Promise.all(
      scene.cluster.members.map(({ peerPort }) => ConnectionFlood.start({ port: peerPort, count: strangersPerMember, first })),
    );
    await new Promise((resolve) => {
      setTimeout(resolve, ms);
    });
    for (const flood of floods) flood.stop();
    scene.log(`flood of the peer ports is over, ${floods.reduce((sum, { opened }) => sum + opened, 0)} connections`);
    return 'all';
  },
});
