import { formatDuration } from '../../api/duration.js';

/** How several times of one part combine: those in sequence add up, of those beside each other the longest counts. */
const combinations = {
  authentication: 'sum',
  impersonation: 'sum',
  'apf-queue-wait': 'max',
  authorization: 'max',
  /** Waiting for the body and decoding it: no annotation of the reference. */
  'request-body': 'sum',
  'mutating-webhook': 'sum',
  'validating-webhook': 'max',
  /** The object store, whichever it is. */
  etcd: 'sum',
  'transform-response-object': 'sum',
  'serialize-response-object': 'sum',
  /** Waiting for the client to take the response. */
  'response-write': 'sum',
} as const;

/** The parts of a request's time, by the names of audit annotations. */
export type LatencyPart = keyof typeof combinations;

const prefix = 'apiserver.latency.k8s.io/';

/** Measures where the time of one request goes, in milliseconds. What no part claims is the server's other work. */
export class RequestLatency {
  readonly #times: Partial<Record<LatencyPart, number>> = {};

  /** In the order in which the parts first ended. */
  get times(): Readonly<Partial<Record<LatencyPart, number>>> {
    return this.#times;
  }

  add(part: LatencyPart, milliseconds: number): void {
    const before = this.#times[part] ?? 0;
    this.#times[part] = combinations[part] === 'sum' ? before + milliseconds : Math.max(before, milliseconds);
  }

  /** Returns the annotations of an audit event, as Go durations. */
  annotations(totalMilliseconds: number): Readonly<Record<string, string>> {
    const parts = Object.entries(this.#times).filter(([part, milliseconds]) => part !== 'request-body' && milliseconds > 0);
    if (parts.length === 0) return {};
    return Object.fromEntries([...parts, ['total', totalMilliseconds] as const].map(([part, time]) => [`${prefix}${part}`, durationText(time)]));
  }
}

/** Runs `work` and adds the time until it has settled to a part of the request, if one is measured. */
export async function timed<T>(latency: RequestLatency | undefined, part: LatencyPart, work: () => Promise<T>): Promise<T> {
  if (latency === undefined) return work();
  const from = performance.now();
  try {
    return await work();
  } finally {
    latency.add(part, performance.now() - from);
  }
}

/** The same for work that does not wait. */
export function measured<T>(latency: RequestLatency | undefined, part: LatencyPart, work: () => T): T {
  const from = performance.now();
  const result = work();
  latency?.add(part, performance.now() - from);
  return result;
}

const nanosecondsPerMillisecond = 1e6;
const durationText = (milliseconds: number): string =>
  formatDuration(Math.round(milliseconds * nanosecondsPerMillisecond) / nanosecondsPerMillisecond);
