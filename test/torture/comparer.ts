import { setTimeout as delay } from 'node:timers/promises';
import { limited, type Finding } from './checks/finding.js';
import type { ReplicaDigest } from './checks/replicas.js';
import type { TortureCluster } from './cluster/tortureCluster.js';

const compareEveryMs = 3_000;
const digestTimeoutMs = 5_000;

/** What a member said of itself. Between two starts of its process none of the numbers goes back. */
export interface Progress {
  readonly process: string;
  readonly appliedIndex: number;
  readonly revision: number;
  readonly compactedRevision: number;
}

/** Compares replicas again and again while writes and faults go on: each is asked for its fingerprint at a revision that all who answer have reached. */
export class Comparer {
  readonly digests: ReplicaDigest[] = [];
  readonly progress: Progress[] = [];

  constructor(private readonly cluster: TortureCluster) {}

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await delay(compareEveryMs, undefined, { signal }).catch(() => undefined);
      await this.compare();
    }
  }

  /** How many members told their fingerprint, all at one revision. Those that cannot be reached, or have compacted it meanwhile, do not. */
  async compare(): Promise<number> {
    const statuses = await Promise.all(
      this.cluster.members.map(async (member) => ({ member, start: member.process.pid, status: await this.cluster.status(member) })),
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
    if (answered.length < 2 || revision === 0) return 0;
    const digests = await Promise.all(
      answered.map(async ({ member: { id, client } }) => {
        const answer = await client
          .request('GET', `/raft/v1/digest?revision=${revision}`, { timeoutMs: digestTimeoutMs })
          .catch(() => null);
        return answer?.status === 200 ? [{ replica: id, revision, sha256: (answer.body as { readonly sha256: string }).sha256 }] : [];
      }),
    );
    this.digests.push(...digests.flat());
    return digests.flat().length;
  }
}

/** Nothing that a running process applied is undone. `progress` is in the order in which it was told. */
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
