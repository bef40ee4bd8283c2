import type { ClusterMember } from '../../../deploy/cluster.js';
import type { WatchedCluster } from './watchedCluster.js';

export interface Fault {
  readonly what: string;
  readonly strike: (leader: ClusterMember, cluster: WatchedCluster) => Promise<unknown>;
  readonly heal: (leader: ClusterMember, cluster: WatchedCluster) => Promise<unknown>;
  /** The leader still runs with clients, which are observed too. Needs a network between the replicas. */
  readonly cutsOff: boolean;
}

const stopGraceMs = 20_000;

async function cut(leader: ClusterMember, cluster: WatchedCluster, inwards: boolean): Promise<void> {
  for (const { id } of cluster.others(leader)) {
    cluster.network.set(leader.id, id, { cut: true });
    if (inwards) cluster.network.set(id, leader.id, { cut: true });
  }
}

const mend = async (_leader: ClusterMember, { network }: WatchedCluster): Promise<void> => network.heal();

export const faults: readonly Fault[] = [
  { what: 'SIGKILL', strike: (leader) => leader.process.kill('SIGKILL'), heal: (leader) => leader.restart(), cutsOff: false },
  { what: 'SIGTERM (hand-over)', strike: (leader) => leader.process.stop(stopGraceMs), heal: (leader) => leader.restart(), cutsOff: false },
  {
    what: 'SIGSTOP (it hangs)',
    strike: async (leader) => leader.process.pause(),
    heal: async (leader) => leader.process.resume(),
    cutsOff: false,
  },
  { what: 'cut off, both ways', strike: (leader, cluster) => cut(leader, cluster, true), heal: mend, cutsOff: true },
  { what: 'cut off, it hears the others', strike: (leader, cluster) => cut(leader, cluster, false), heal: mend, cutsOff: true },
];
