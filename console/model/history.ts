import { quantile } from './metrics.js';
import type { Series } from './series.js';

/** A server's state at one moment. */
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
  /** Databases of answering etcd members; empty if servers keep the objects. */
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

/** Interval of chart points: servers take samples more often, at individual moments, so every interval has one of each running server. */
export const slotMs = 4_000;

export function ratesOf(before: Sample | undefined, now: Sample): Rates {
  // Counters that fell belong to a restarted process.
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

/** Samples of all members, as chart lines and the latest of each. */
export class History {
  readonly #latest = new Map<string, Sample>();
  readonly #rates = new Map<string, Rates>();

  constructor(readonly series: Series) {}

  since(id: string): number {
    return this.#latest.get(id)?.at ?? 0;
  }

  latest(id: string): { readonly now: Sample; readonly rates: Rates } | null {
    const now = this.#latest.get(id);
    return now === undefined ? null : { now, rates: this.#rates.get(id) ?? noRates };
  }

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

/** Returns members' reported roles in chronological order, for the timeline. */
export function rolesIn(samples: ReadonlyMap<string, readonly Sample[]>): readonly {
  readonly id: string;
  readonly at: number;
  readonly raft: NonNullable<Sample['raft']>;
}[] {
  return [...samples]
    .flatMap(([id, list]) => list.flatMap(({ at, raft }) => (raft === null ? [] : [{ id, at, raft }])))
    .sort((a, b) => a.at - b.at);
}
