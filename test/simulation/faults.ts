import { memberId } from '../../raft/types.js';
import type { MembershipChange } from '../../raft/core/contract.js';
import { votersOf } from '../../raft/core/membership.js';
import type { Cluster } from './cluster.js';
import type { FaultKind, OperationKind } from './profile.js';
import type { SimulatedServer } from './server.js';

/** The limit of joining servers in a schedule. */
const joinersMax = 3;
const votersMin = 2;

/** Each draws its targets from the cluster's generator. */
export const faults: { readonly [K in FaultKind]: (cluster: Cluster) => void } = {
  crash: (cluster) => {
    const server = cluster.prng.pick(cluster.running());
    if (server !== undefined) cluster.crash(server);
  },

  crashLeader: (cluster) => {
    const [leader] = cluster.leaders();
    if (leader !== undefined) cluster.crash(leader);
  },

  powerFailure: (cluster) => {
    cluster.counts.powerFailures++;
    for (const server of cluster.running()) cluster.crash(server);
  },

  partition: (cluster) => {
    const { prng, profile, network } = cluster;
    const ids = cluster.servers.map((server) => server.id);
    const group = ids.filter(() => prng.chance(500));
    cluster.counts.partitions++;
    network.split(
      group,
      ids.filter((id) => !group.includes(id)),
      prng.between(10, profile.cutMax),
    );
  },

  oneWayPartition: (cluster) => {
    const { prng, profile, network } = cluster;
    const victim = prng.chance(500) ? cluster.leaders()[0] : prng.pick(cluster.servers);
    const inbound = prng.chance(500);
    const duration = prng.between(10, profile.cutMax);
    cluster.counts.oneWayPartitions++;
    for (const { id } of cluster.servers) {
      if (victim === undefined || id === victim.id || prng.chance(200)) continue;
      network.cutOff(inbound ? id : victim.id, inbound ? victim.id : id, duration);
    }
  },

  stall: (cluster) => {
    const server = cluster.prng.pick(cluster.running());
    if (server === undefined) return;
    cluster.counts.stalls++;
    server.stalledUntil = cluster.timeline.now + cluster.prng.between(5, cluster.profile.cutMax);
  },
};

export const operations: { readonly [K in OperationKind]: (cluster: Cluster) => void } = {
  compact: (cluster) => {
    const server = cluster.prng.pick(cluster.running());
    // During a Ready the store may be ahead of pending writes.
    if (server !== undefined && !server.isInsideReady) server.compact(cluster.prng.below(4));
  },

  membership: (cluster) => {
    const leader = cluster.leaders()[0];
    const change = leader === undefined ? null : drawChange(cluster, leader);
    if (leader === undefined || change === null) return;
    if (change.type === 'addLearner') cluster.ensureServer(change.member.id);
    const result = leader.core?.changeMembership(change);
    if (result?.outcome === 'appended') cluster.counts[counted[change.type]]++;
    cluster.wake(leader);
  },

  transfer: (cluster) => {
    const leader = cluster.leaders()[0];
    if (leader === undefined) return;
    cluster.counts.transfers++;
    leader.core?.transferLeadership(cluster.prng.pick([null, cluster.prng.pick(cluster.servers)?.id ?? null]));
    cluster.wake(leader);
  },

  unreachable: (cluster) => {
    const leader = cluster.leaders()[0];
    const peer = cluster.prng.pick(cluster.servers);
    if (leader !== undefined && peer !== undefined) leader.core?.reportUnreachable(peer.id);
  },

  /** Some servers suspect the leader, rightly or not. */
  campaignSoon: (cluster) => {
    for (const server of cluster.running()) {
      if (!cluster.prng.chance(500)) continue;
      cluster.counts.soonCampaigns++;
      server.core?.campaignSoon();
      cluster.wake(server);
    }
  },

  stopped: (cluster) => {
    const leader = cluster.leaders()[0];
    if (leader === undefined) return;
    cluster.counts.stoodDown++;
    leader.core?.stopped();
    cluster.wake(leader);
  },

  expectWord: (cluster) => {
    const server = cluster.prng.pick(cluster.running());
    if (server === undefined) return;
    cluster.counts.wordsExpected++;
    server.core?.expectHeartbeat();
  },
};

const counted = { addLearner: 'learnersAdded', promote: 'promotions', remove: 'removals' } as const;

/** Prefers to finish a change: promotes a learner before it adds a server. */
function drawChange({ prng, servers, profile }: Cluster, leader: SimulatedServer): MembershipChange | null {
  const membership = leader.core?.membership;
  if (membership === undefined) return null;
  const learner = membership.members.find((member) => member.role === 'learner');
  if (learner !== undefined && prng.chance(800)) return { type: 'promote', id: learner.id };
  if (votersOf(membership).length > votersMin && prng.chance(500)) {
    const member = prng.pick(membership.members);
    return member === undefined ? null : { type: 'remove', id: member.id };
  }
  const unused = servers.find(({ id }) => !membership.removed.includes(id) && !membership.members.some((member) => member.id === id));
  if (unused === undefined && servers.length >= profile.servers + joinersMax) return null;
  const id = unused?.id ?? memberId(`s${servers.length + 1}`);
  return { type: 'addLearner', member: { id, role: 'learner', address: `${id}:1` } };
}
