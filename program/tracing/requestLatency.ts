import { formatDuration } from '../../api/duration.js';

/** Parts of a request's time, named like audit annotations. */
export type LatencyPart =
  | 'authentication'
  | 'impersonation'
  | 'apf-queue-wait'
  | 'authorization'
  /** The console shows it; the reference has no such annotation. */
  | 'request-body'
  | 'mutating-webhook'
  | 'validating-webhook'
  | 'etcd'
  | 'transform-response-object'
  | 'serialize-response-object'
  | 'response-write';

/** Concurrent parts: the longest duration counts. Others are added. */
const concurrent: ReadonlySet<LatencyPart> = new Set<LatencyPart>(['apf-queue-wait', 'authorization', 'validating-webhook']);

const prefix = 'apiserver.latency.k8s.io/';

/** The parts of a request's time in milliseconds, without other work of the server. */
export class RequestLatency {
  /** Made for each request: a literal of one shape is cheaper than a copy of a constant. */
  readonly #times: Record<LatencyPart, number> = {
    authentication: 0,
    impersonation: 0,
    'apf-queue-wait': 0,
    authorization: 0,
    'request-body': 0,
    'mutating-webhook': 0,
    'validating-webhook': 0,
    etcd: 0,
    'transform-response-object': 0,
    'serialize-response-object': 0,
    'response-write': 0,
  };

  /** Parts that were measured. */
  get times(): Readonly<Partial<Record<LatencyPart, number>>> {
    return Object.fromEntries(Object.entries(this.#times).filter(([, milliseconds]) => milliseconds > 0));
  }

  add(part: LatencyPart, milliseconds: number): void {
    const before = this.#times[part];
    this.#times[part] = concurrent.has(part) ? Math.max(before, milliseconds) : before + milliseconds;
  }

  /** Returns annotations for the audit event, with the total; none without measurements. */
  annotations(totalMilliseconds: number): Readonly<Record<string, string>> {
    const parts = Object.entries(this.times).filter(([part]) => part !== 'request-body');
    if (parts.length === 0) return {};
    return Object.fromEntries(
      [...parts, ['total', totalMilliseconds] as const].map(([part, time]) => [`${prefix}${part}`, durationText(time)]),
    );
  }
}

/** Adds the time until `work` settles, also when it fails. Returns the promise of `work` itself, which costs no extra turn. */
export function timed<T>(latency: RequestLatency | undefined, part: LatencyPart, work: () => Promise<T>): Promise<T> {
  if (latency === undefined) return work();
  const from = performance.now();
  const promise = work();
  const settled = (): void => latency.add(part, performance.now() - from);
  promise.then(settled, settled);
  return promise;
}

export function measured<T>(latency: RequestLatency | undefined, part: LatencyPart, work: () => T): T {
  const from = performance.now();
  const result = work();
  latency?.add(part, performance.now() - from);
  return result;
}

const nanosecondsPerMillisecond = 1e6;
const durationText = (milliseconds: number): string =>
  formatDuration(Math.round(milliseconds * nanosecondsPerMillisecond) / nanosecondsPerMillisecond);
