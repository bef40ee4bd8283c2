import { setTimeout as delay } from 'node:timers/promises';
import type { ClusterMember } from '../../../deploy/cluster.js';
import { ApiClient } from '../../fixtures/apiClient.js';
import type { PeerNetwork } from '../../torture/cluster/peerNetwork.js';
import type { BenchCluster } from '../benchCluster.js';
import type { Endpoint } from '../connection.js';

export interface MemberStatus {
  readonly leaderId: string | null;
  readonly memberId: string;
  readonly commitIndex: number;
  readonly appliedIndex: number;
  readonly firstIndex: number;
}

export const pollMs = 20;
const statusTimeoutMs = 2_000;

/** The cluster with a client for each replica. */
export class WatchedCluster {
  readonly #bench: BenchCluster;
  readonly members: readonly ClusterMember[];
  readonly #clients: ReadonlyMap<ClusterMember, ApiClient>;

  constructor(bench: BenchCluster) {
    this.#bench = bench;
    this.members = bench.cluster.members;
    this.#clients = new Map(this.members.map((member) => [member, new ApiClient(member.address, bench.cluster)]));
  }

  /** The network of the replicas; throws without one. */
  get network(): PeerNetwork {
    if (this.#bench.network === null) throw new Error('this cluster has no network of its own');
    return this.#bench.network;
  }

  others(member: ClusterMember): ClusterMember[] {
    return this.members.filter((other) => other !== member);
  }

  endpointOf(member: ClusterMember): Endpoint {
    return this.#bench.endpoints[this.members.indexOf(member)] as Endpoint;
  }

  async statusOf(member: ClusterMember): Promise<MemberStatus> {
    return (await this.#clients
      .get(member)!
      .expect(200, 'GET', '/raft/v1/status', { timeoutMs: statusTimeoutMs })) as unknown as MemberStatus;
  }

  /** The leader that all replicas agree on, after all have applied its commits. */
  async settledLeader(): Promise<ClusterMember> {
    for (;;) {
      const all = await Promise.all(this.members.map((member) => this.statusOf(member).catch(() => null)));
      const leader = this.members.find(({ id }) => id === all[0]?.leaderId);
      const committed = all[leader === undefined ? 0 : this.members.indexOf(leader)]?.commitIndex ?? Infinity;
      if (
        leader !== undefined &&
        all.every((status) => status !== null && status.leaderId === leader.id && status.appliedIndex >= committed)
      )
        return leader;
      await delay(pollMs);
    }
  }

  close(): void {
    for (const client of this.#clients.values()) client.close();
  }
}
