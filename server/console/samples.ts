import type { Registry } from 'prom-client';
import type { Replica, ReplicaStatus } from '../../raft/index.js';

/** The values of one moment, for charts. */
export interface Sample {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly requests: number;
  /** Requests except streams, by upper bound in seconds; null: beyond all bounds. */
  readonly latency: readonly (readonly [bound: number | null, count: number])[];
  readonly watches: number;
  readonly connections: number;
  readonly loopSeconds: number;
  readonly logBytes: number;
  readonly storeBytes: number;
  /** Database sizes of reachable etcd members; empty for the built-in store. */
  readonly stores: readonly { readonly name: string; readonly bytes: number }[];
  /** State of the replica; null where objects are kept elsewhere. */
  readonly raft: {
    readonly role: string;
    readonly term: number;
    readonly commitIndex: number;
    readonly appliedIndex: number;
    readonly snapshotsInstalled: number;
    /** Committed entries that each member lacks, as seen by the leader; empty on others. */
    readonly behind: Readonly<Record<string, number>>;
  } | null;
}

export interface SamplesOptions {
  readonly registry: Pick<Registry, 'getSingleMetric'>;
  readonly replica: Pick<Replica, 'status'> | null;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

const everyMs = 2_000;
/** Range of charts, and time of sampling after the last request. */
export const samplesWindowMs = 15 * 60_000;
const samplesMax = samplesWindowMs / everyMs;

/** The last fifteen minutes of this server, for charts. Sampling starts with the first request and ends after as long without one. */
export class Samples {
  readonly #options: SamplesOptions;
  readonly #now: () => number;
  #kept: Sample[] = [];
  #askedAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | null = null;
  #taking: Promise<void> | null = null;

  constructor(options: SamplesOptions) {
    this.#options = options;
    // A monotonic clock, because durations are measured with it.
    this.#now = options.now ?? (() => Math.round(performance.timeOrigin + performance.now()));
  }

  /** Returns samples after `since`, oldest first; waits for at least one. */
  async after(since: number): Promise<readonly Sample[]> {
    this.#askedAt = this.#now();
    if (this.#timer === null) {
      this.#timer = setInterval(() => void this.turn(), everyMs).unref();
      await this.turn();
    }
    return this.#kept.filter(({ at }) => at > since);
  }

  get running(): boolean {
    return this.#timer !== null;
  }

  /** Takes a sample unless one is in progress; ends after a long time without requests. */
  turn(): Promise<void> {
    if (this.#now() - this.#askedAt > samplesWindowMs) {
      this.stop();
      return Promise.resolve();
    }
    return (this.#taking ??= this.#take().finally(() => (this.#taking = null)));
  }

  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
    this.#kept = [];
  }

  async #take(): Promise<void> {
    const sample = await sampleOf(this.#options, this.#now());
    this.#kept.push(sample);
    if (this.#kept.length > samplesMax) this.#kept.shift();
  }
}

interface Value {
  readonly metricName?: string;
  readonly labels: Readonly<Record<string, string | number | undefined>>;
  readonly value: number;
}
const longRunning: ReadonlySet<unknown> = new Set(['WATCH', 'CONNECT']);

async function sampleOf({ registry, replica }: SamplesOptions, at: number): Promise<Sample> {
  const valuesOf = async (name: string): Promise<readonly Value[]> => {
    const metric = registry.getSingleMetric(name);
    return metric === undefined ? [] : ((await metric.get()).values as unknown as readonly Value[]);
  };
  const total = async (name: string, fits: (labels: Value['labels']) => boolean = () => true): Promise<number> =>
    (await valuesOf(name)).reduce((sum, { labels, value }) => (fits(labels) ? sum + value : sum), 0);
  const [requests, durations, watches, connections, loopSeconds, logBytes, storeBytes, stores, status] = await Promise.all([
    total('apiserver_request_total'),
    valuesOf('apiserver_request_duration_seconds'),
    total('apiserver_longrunning_requests', ({ verb }) => verb === 'WATCH'),
    total('nodejs_active_resources', ({ type }) => type === 'TCPSocketWrap'),
    // The delay is measured by reading the first of these metrics, as in a scrape.
    valuesOf('nodejs_eventloop_lag_min_seconds').then(() => total('nodejs_eventloop_lag_p99_seconds')),
    total('raftplane_raft_log_bytes'),
    total('apiserver_storage_size_bytes'),
    replica === null ? valuesOf('apiserver_storage_size_bytes') : [],
    replica === null ? null : replica.status().catch(() => null),
  ]);
  return {
    at,
    requests,
    latency: bucketsOf(durations),
    watches,
    connections,
    loopSeconds,
    logBytes,
    storeBytes,
    stores: stores.map(({ labels, value }) => ({ name: String(labels['storage_cluster_id'] ?? ''), bytes: value })),
    raft: status === null ? null : raftOf(status),
  };
}

function raftOf({ role, term, commitIndex, appliedIndex, figures, members, memberId }: ReplicaStatus): Sample['raft'] {
  const behind = members.flatMap(({ id, progress }) => {
    const reached = id === memberId ? appliedIndex : progress?.match;
    return reached === undefined ? [] : [[id, Math.max(0, commitIndex - reached)] as const];
  });
  return {
    role,
    term,
    commitIndex,
    appliedIndex,
    snapshotsInstalled: figures.snapshotsInstalled,
    behind: role === 'leader' ? Object.fromEntries(behind) : {},
  };
}

function bucketsOf(values: readonly Value[]): Sample['latency'] {
  const counts = new Map<number | null, number>();
  for (const { metricName, labels, value } of values) {
    if (metricName?.endsWith('_bucket') !== true || longRunning.has(labels['verb'])) continue;
    const bound = labels['le'] === '+Inf' ? null : Number(labels['le']);
    counts.set(bound, (counts.get(bound) ?? 0) + value);
  }
  return [...counts];
}
