import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { ApiObject } from '../fixtures/apiClient.js';
import { limited, type Finding } from './checks/finding.js';
import type { ReplicaDigest } from './checks/replicas.js';
import type { TortureCluster, TortureMember } from './cluster/tortureCluster.js';

const compareEveryMs = 3_000;
const digestTimeoutMs = 5_000;

/** A member's status. Within one process no number decreases. */
export interface Progress {
  readonly process: string;
  readonly appliedIndex: number;
  readonly revision: number;
  readonly compactedRevision: number;
}

/** Compares the fingerprints of replicas repeatedly, at a revision that all answering ones have reached. */
export class Comparer {
  readonly #cluster: TortureCluster;
  readonly digests: ReplicaDigest[] = [];
  readonly progress: Progress[] = [];

  constructor(cluster: TortureCluster) {
    this.#cluster = cluster;
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await delay(compareEveryMs, undefined, { signal }).catch(() => undefined);
      await this.compare();
    }
  }

  /** Returns the number of fingerprints at one revision. Unreachable members and those that have compacted it do not count. */
  async compare(): Promise<number> {
    const reported = await (this.#cluster.etcd === null ? this.#replicas() : this.#servers());
    this.digests.push(...reported);
    return reported.length;
  }

  /** Servers over an etcd have no fingerprint: their list at one revision replaces it. */
  async #servers(): Promise<readonly ReplicaDigest[]> {
    const [first] = this.#cluster.members;
    const newest = first === undefined ? null : await listed(first, '?limit=1');
    if (newest === null) return [];
    const revision = Number(newest.metadata.resourceVersion);
    const lists = await Promise.all(
      this.#cluster.members.map(
        async (member) => [member.id, await listed(member, `?resourceVersion=${revision}&resourceVersionMatch=Exact`)] as const,
      ),
    );
    return lists.flatMap(([replica, list]) =>
      list === null ? [] : [{ replica, revision, sha256: createHash('sha256').update(JSON.stringify(list, inOrder)).digest('hex') }],
    );
  }

  async #replicas(): Promise<readonly ReplicaDigest[]> {
    const statuses = await Promise.all(
      this.#cluster.members.map(async (member) => ({ member, start: member.process.pid, status: await this.#cluster.status(member) })),
    );
    const answered = statuses.flatMap(({ member, start, status }) => (status === null ? [] : [{ member, start, status }]));
    for (const {
      member: { id, process },
      start,
      status,
    } of answered) {
      if (process.pid === start) this.progress.push({ process: `${id} (process ${start})`, ...status });
    }
    const revision = Math.min(...answered.map(({ status }) => status.revision));
    if (answered.length < 2 || revision === 0) return [];
    const digests = await Promise.all(
      answered.map(async ({ member: { id, client } }) => {
        const answer = await client
          .request('GET', `/raft/v1/digest?revision=${revision}`, { timeoutMs: digestTimeoutMs })
          .catch(() => null);
        return answer?.status === 200 ? [{ replica: id, revision, sha256: (answer.body as { readonly sha256: string }).sha256 }] : [];
      }),
    );
    return digests.flat();
  }
}

/** The order of a map's keys does not count, and the writer's order may differ from the store's. */
const inOrder = (_key: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value;

/** A member's config maps; null if it does not answer or the version is compacted. */
async function listed({ client }: TortureMember, query: string): Promise<ApiObject | null> {
  const answer = await client.request('GET', `/api/v1/configmaps${query}`, { timeoutMs: digestTimeoutMs }).catch(() => null);
  return answer?.status === 200 ? (answer.body as ApiObject) : null;
}

/** Checks that a running process never goes back. `progress` is in order of receipt. */
export function checkProgress(progress: readonly Progress[]): readonly Finding[] {
  const newest = new Map<string, Progress>();
  return limited(
    progress.flatMap((now) => {
      const before = newest.get(now.process) ?? now;
      newest.set(now.process, now);
      return (['appliedIndex', 'revision', 'compactedRevision'] as const).flatMap((what) =>
        now[what] >= before[what]
          ? []
          : [{ promise: 'revisions never go back', details: `${now.process}: ${what} went from ${before[what]} to ${now[what]}` }],
      );
    }),
  );
}
