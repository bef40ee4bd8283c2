import { quantile } from './metrics.js';
import type { Series } from './series.js';

/** What a server tells of one moment. */
export interface Sample {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly requests: number;
  /** Observations by upper bound in seconds; null is beyond all bounds. */
  readonly latency: readonly (readonly [bound: number | null, count: number])[];
  readonly watches: number;
  readonly connections: number;
  readonly loopSeconds: number;
  readonly logBytes: number;
  readonly storeBytes: number;
  /** Databases of members of an etcd that answer; empty where objects are kept by the servers. */
  readonly stores: readonly { readonly name: string; readonly bytes: number }[];
  readonly raft: {
    readonly role: string;
    readonly term: number;
    readonly commitIndex: number;
    readonly appliedIndex: number;
    readonly snapshotsInstalled: number;
    readonly behind: Readonly<Record<string, number>>;
  } | null;
}

export interface Rates {
  readonly requests: number | null;
  readonly commits: number | null;
  readonly p50: number | null;
  readonly p99: number | null;
}
const noRates: Rates = { requests: null, commits: null, p50: null, p99: null };

/** Times of charts: servers take samples more often, each at moments of its own, so that each of these has one of each that ran. */
export const slotMs = 4_000;

/** What happened between two samples of one server. */
export function ratesOf(before: Sample | undefined, now: Sample): Rates {
  // Counters that fell belong to a process that was started anew.
  if (before === undefined || now.at <= before.at || now.requests < before.requests) return noRates;
  const passed = (now.at - before.at) / 1000;
  const [was, is] = [before, now].map(({ latency }) => new Map(latency.map(([bound, count]) => [bound ?? Infinity, count])));
  return {
    requests: (now.requests - before.requests) / passed,
    commits: now.raft && before.raft ? Math.max(0, now.raft.commitIndex - before.raft.commitIndex) / passed : null,
    p50: quantile(0.5, was!, is!),
    p99: quantile(0.99, was!, is!),
  };
}

/** Samples of all members, as lines of charts and the latest of each. */
export class History {
  readonly #latest = new Map<string, Sample>();
  readonly #rates = new Map<string, Rates>();

  constructor(readonly series: Series) {}

  /** The time of the latest sample of a member; 0 before the first. */
  since(id: string): number {
    return this.#latest.get(id)?.at ?? 0;
  }

  latest(id: string): { readonly now: Sample; readonly rates: Rates } | null {
    const now = this.#latest.get(id);
    return now === undefined ? null : { now, rates: this.#rates.get(id) ?? noRates };
  }

  /** Samples of one member, oldest first. */
  add(id: string, samples: readonly Sample[]): void {
    for (const sample of samples) {
      const rates = ratesOf(this.#latest.get(id), sample);
      this.#latest.set(id, sample);
      this.#rates.set(id, rates);
      this.series.add((Math.floor(sample.at / slotMs) * slotMs) / 1000, pointsOf(id, sample, rates));
    }
  }
}

function pointsOf(id: string, sample: Sample, { requests, commits, p50, p99 }: Rates): Record<string, number | null> {
  return {
    [`requests ${id}`]: requests,
    [`commits ${id}`]: commits,
    [`p50 ${id}`]: p50,
    [`p99 ${id}`]: p99,
    [`watches ${id}`]: sample.watches,
    [`loop ${id}`]: sample.loopSeconds,
    [`log ${id}`]: sample.logBytes,
    ...Object.fromEntries(Object.entries(sample.raft?.behind ?? {}).map(([each, entries]) => [`lag ${each}`, entries])),
  };
}

/** What members said of their roles, in the order of time: for the timeline of what was before anybody looked. */
export function rolesIn(samples: ReadonlyMap<string, readonly Sample[]>): readonly {
  readonly id: string;
  readonly at: number;
  readonly raft: NonNullable<Sample['raft']>;
}[] {
  return [...samples]
    .flatMap(([id, list]) => list.flatMap(({ at, raft }) => (raft === null ? [] : [{ id, at, raft }])))
    .sort((a, b) => a.at - b.at);
}
