import { formatDuration } from '../../api/duration.js';

/** Durations of one part are added if they are sequential; if they are concurrent, the longest counts. */
const combinations = {
  authentication: 'sum',
  impersonation: 'sum',
  'apf-queue-wait': 'max',
  authorization: 'max',
  /** The console shows it; the reference has no such annotation. */
  'request-body': 'sum',
  'mutating-webhook': 'sum',
  'validating-webhook': 'max',
  etcd: 'sum',
  'transform-response-object': 'sum',
  'serialize-response-object': 'sum',
  'response-write': 'sum',
} as const;

/** The parts of a request's time, by the names of audit annotations. */
export type LatencyPart = keyof typeof combinations;

const prefix = 'apiserver.latency.k8s.io/';

/** The parts of one request's time, in milliseconds. Other work of the server belongs to none. */
export class RequestLatency {
  readonly #times: Partial<Record<LatencyPart, number>> = {};

  get times(): Readonly<Partial<Record<LatencyPart, number>>> {
    return this.#times;
  }

  add(part: LatencyPart, milliseconds: number): void {
    const before = this.#times[part] ?? 0;
    this.#times[part] = combinations[part] === 'sum' ? before + milliseconds : Math.max(before, milliseconds);
  }

  /** Returns annotations for the audit event, with the total; none if nothing was measured. */
  annotations(totalMilliseconds: number): Readonly<Record<string, string>> {
    const parts = Object.entries(this.#times).filter(([part, milliseconds]) => part !== 'request-body' && milliseconds > 0);
    if (parts.length === 0) return {};
    return Object.fromEntries(
      [...parts, ['total', totalMilliseconds] as const].map(([part, time]) => [`${prefix}${part}`, durationText(time)]),
    );
  }
}

/** Adds the time until `work` has settled, even if it fails. */
export async function timed<T>(latency: RequestLatency | undefined, part: LatencyPart, work: () => Promise<T>): Promise<T> {
  if (latency === undefined) return work();
  const from = performance.now();
  try {
    return await work();
  } finally {
    latency.add(part, performance.now() - from);
  }
}

/** Adds the time of synchronous work. */
export function measured<T>(latency: RequestLatency | undefined, part: LatencyPart, work: () => T): T {
  const from = performance.now();
  const result = work();
  latency?.add(part, performance.now() - from);
  return result;
}

const nanosecondsPerMillisecond = 1e6;
const durationText = (milliseconds: number): string =>
  formatDuration(Math.round(milliseconds * nanosecondsPerMillisecond) / nanosecondsPerMillisecond);
