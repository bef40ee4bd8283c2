import type { ReplicaStatus } from '../../raft/index.js';
import type { Servers } from './connection.js';
import { errorText } from '../../api/errorText.js';

export interface Compared {
  readonly address: string;
  readonly memberId: string;
  readonly revision: number;
  readonly keys: number;
  readonly sha256: string;
}

/** A server that could not be asked. */
export interface Unanswered {
  readonly address: string;
  readonly reason: string;
}

export interface Comparison {
  readonly compared: readonly Compared[];
  readonly unanswered: readonly Unanswered[];
}

const tries = 5;

/**
 * Compares digests of the answering servers at one common revision. They differ only if a replica is broken. A compaction in between leads to another attempt.
 */
export async function compareReplicas(servers: Servers): Promise<Comparison> {
  for (let attempt = 1; ; attempt++) {
    const { there, unanswered } = await statuses(servers);
    const revision = Math.min(...there.map(({ status }) => status.revision));
    try {
      return { compared: await Promise.all(there.map((each) => digest(servers, { ...each, revision }))), unanswered };
    } catch (error) {
      if (attempt >= tries) throw error;
    }
  }
}

interface There {
  readonly address: string;
  readonly status: ReplicaStatus;
}

async function statuses(servers: Servers): Promise<{ readonly there: readonly There[]; readonly unanswered: readonly Unanswered[] }> {
  const all = await Promise.all(
    servers.addresses.map((address) =>
      servers.ask(address, 'GET', '/raft/v1/status').then(
        (status): There => ({ address, status: status as ReplicaStatus }),
        (error: unknown): Unanswered => ({ address, reason: errorText(error) }),
      ),
    ),
  );
  return { there: all.filter((each) => 'status' in each), unanswered: all.filter((each) => 'reason' in each) };
}

async function digest(servers: Servers, { address, status, revision }: There & { readonly revision: number }): Promise<Compared> {
  const digested = (await servers.ask(address, 'GET', `/raft/v1/digest?revision=${revision}`)) as Pick<Compared, 'keys' | 'sha256'>;
  return { address, memberId: status.memberId, revision, keys: digested.keys, sha256: digested.sha256 };
}
