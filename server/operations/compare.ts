import type { ReplicaStatus } from '../../raft/index.js';
import type { Servers } from './connection.js';

export interface Compared {
  readonly address: string;
  readonly memberId: string;
  readonly revision: number;
  readonly keys: number;
  readonly sha256: string;
}

const tries = 5;

/** Compares digests of all servers at one common revision. They differ only if a replica is broken. A compaction in between leads to another attempt. */
export async function compareReplicas(servers: Servers): Promise<readonly Compared[]> {
  for (let attempt = 1; ; attempt++) {
    const all = await Promise.all(
      servers.addresses.map(async (address) => ({
        address,
        status: (await servers.ask(address, 'GET', '/raft/v1/status')) as ReplicaStatus,
      })),
    );
    const revision = Math.min(...all.map(({ status }) => status.revision));
    try {
      return await Promise.all(
        all.map(async ({ address, status }) => {
          const { keys, sha256 } = (await servers.ask(address, 'GET', `/raft/v1/digest?revision=${revision}`)) as {
            readonly keys: number;
            readonly sha256: string;
          };
          return { address, memberId: status.memberId, revision, keys, sha256 };
        }),
      );
    } catch (error) {
      if (attempt >= tries) throw error;
    }
  }
}
