import fs from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { Cluster, ClusterMember } from '../../../deploy/cluster.js';
import type { LeaderSilence } from '../../../raft/replicaApi.js';
import { ApiClient, type WatchEvent, type WatchStream } from '../../fixtures/apiClient.js';

/** The side effects of a storm on a cluster. */
export interface Endured {
  /** The increase of the highest term. */
  readonly elections: number;
  /** The longest silence of the leader at a follower; without a new maximum, its bucket's bound. */
  readonly leaderSilenceMs: number;
  /** The longest interval between renewals of the controller manager's lease; null without a manager. */
  readonly leaseSilenceMs: number | null;
  /** The peak resident memory of each running server. */
  readonly peakMebibytes: readonly number[];
  /** The time from the storm's end until every server answers a write within `calmWithinMs`. */
  readonly calmAfterMs: number;
}

interface Status {
  readonly term: number;
  readonly leaderId: string | null;
  readonly leaderSilence: LeaderSilence;
}

const leasePath = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases';
const leaseName = 'kube-controller-manager';
const calmWithinMs = 500;
const calmPauseMs = 50;
const mebibyte = 1_024;

/** Observes a cluster's servers and its controller manager's lease. */
export class Observer {
  readonly #cluster: Cluster;
  readonly #path: string;
  readonly #clients: ReadonlyMap<ClusterMember, ApiClient>;
  #lease: WatchStream | null = null;

  /** `path`: a collection of config maps for test writes. */
  constructor(cluster: Cluster, path: string) {
    this.#cluster = cluster;
    this.#path = path;
    this.#clients = new Map(cluster.members.map((member) => [member, new ApiClient(member.address, cluster)]));
  }

  get #running(): [ClusterMember, ApiClient][] {
    return [...this.#clients].filter(
      ([
        {
          process: { running },
        },
      ]) => running,
    );
  }

  async leader(): Promise<ClusterMember> {
    const [first] = this.#running;
    const { leaderId } = await this.#status(first?.[1] as ApiClient);
    return this.#cluster.members.find(({ id }) => id === leaderId) as ClusterMember;
  }

  /** Runs a storm and returns its effects on the servers. */
  async during<T>(storm: () => Promise<T>): Promise<{ readonly outcome: T; readonly endured: Endured }> {
    await this.#watchLease();
    const before = new Map(await Promise.all(this.#running.map(async ([member, client]) => [member, await this.#status(client)] as const)));
    for (const [
      {
        process: { pid },
      },
    ] of this.#running)
      resetPeak(pid);
    const startedAt = Date.now();
    const outcome = await storm();
    const calmAfterMs = await this.#untilCalm();
    const leaseSilenceMs = await this.#leaseSilenceSince(startedAt);
    const after = await Promise.all(
      this.#running.map(async ([member, client]) => ({ was: before.get(member) as Status, is: await this.#status(client) })),
    );
    return {
      outcome,
      endured: {
        elections: Math.max(...after.map(({ is }) => is.term)) - Math.max(...[...before.values()].map(({ term }) => term)),
        leaderSilenceMs: Math.max(...after.map(({ was, is }) => longestSince(was.leaderSilence, is.leaderSilence))),
        leaseSilenceMs,
        peakMebibytes: this.#running.map(
          ([
            {
              process: { pid },
            },
          ]) => peakOf(pid),
        ),
        calmAfterMs,
      },
    };
  }

  close(): void {
    this.#lease?.close();
    for (const client of this.#clients.values()) client.close();
  }

  async #status(client: ApiClient): Promise<Status> {
    return (await client.expect(200, 'GET', '/raft/v1/status')) as unknown as Status;
  }

  async #untilCalm(): Promise<number> {
    const began = performance.now();
    const body = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'calm' }, data: { at: String(began) } });
    for (;;) {
      const times = await Promise.all(
        this.#running.map(async ([, client]) => {
          const asked = performance.now();
          const { status } = await client.request('PATCH', `${this.#path}/calm?fieldManager=t&force=true`, {
            raw: body,
            type: 'application/apply-patch+yaml',
          });
          return status < 300 ? performance.now() - asked : Infinity;
        }),
      );
      if (Math.max(...times) <= calmWithinMs) return performance.now() - began;
      await delay(calmPauseMs);
    }
  }

  /** Uses a running server; the earlier watch may have ended with its server. */
  async #watchLease(): Promise<void> {
    if (this.#cluster.managers.length === 0) return;
    this.#lease?.close();
    const [first] = this.#running;
    this.#lease = (first?.[1] as ApiClient).watch(`${leasePath}?watch=1&fieldSelector=metadata.name%3D${leaseName}`);
    await this.#lease.until((events) => events.length > 0);
  }

  /** Waits for another renewal, which ends the last silence. */
  async #leaseSilenceSince(startedAt: number): Promise<number | null> {
    if (this.#lease === null) return null;
    const over = Date.now();
    await this.#lease.until((events) => renewals(events).some((at) => at > over)).catch(() => undefined);
    const times = renewals(this.#lease.events);
    const gaps = times.map((at, index) => (at >= startedAt && index > 0 ? at - (times[index - 1] as number) : 0));
    return Math.max(0, ...gaps, this.#lease.ended === null ? 0 : Infinity);
  }
}

function renewals(events: readonly WatchEvent[]): number[] {
  return events.map(({ object }) => Date.parse((object as unknown as { readonly spec: { readonly renewTime: string } }).spec.renewTime));
}

function resetPeak(pid: number | null): void {
  fs.writeFileSync(`/proc/${pid}/clear_refs`, '5');
}

function peakOf(pid: number | null): number {
  return Number(/VmHWM:\s+(\d+) kB/.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? NaN) / mebibyte;
}

function longestSince(was: LeaderSilence, is: LeaderSilence): number {
  if (is.longestMs > was.longestMs) return is.longestMs;
  const highest = is.counts.findLastIndex((count, bucket) => count > (was.counts[bucket] ?? 0));
  return is.boundsMs[highest] ?? (highest < 0 ? 0 : is.longestMs);
}
