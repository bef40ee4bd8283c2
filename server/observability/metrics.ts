import { Counter, Gauge, type Registry } from 'prom-client';
import { collectProcessMetrics } from '../catalogue/loopLag.js';
import type { RequestInfo } from '../endpoints/context.js';
import { ChosenMetrics, type MetricChoice } from './chosenMetrics.js';
import { DurationHistogram, ReadHistogram, type Durations, type DurationSeries } from './durations.js';

/** Upper bounds in seconds, as in the reference, so that dashboards and alerts written for it work. */
const durationBuckets = [0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60];
/** Label combinations remembered for the fast path. Resources, verbs and codes are few; a client that invents paths must not fill memory. */
const seriesMax = 10_000;

export interface RequestMetrics {
  /** Called once per request, when its response is over. Long-running requests are counted but their duration says nothing. */
  observe(info: RequestInfo, method: string, code: number, seconds: number, longRunning: boolean): void;
  /** Called when a long-running request starts; call the result when it ends. */
  longRunning(info: RequestInfo): () => void;
}

export interface Metrics {
  readonly registry: Registry;
  readonly requests: RequestMetrics;
  /** Registers where the number of requests in flight is read. */
  inflight(read: () => { readonly readOnly: number; readonly mutating: number }): void;
  /** Registers a gauge whose values are read when `/metrics` is. */
  gauge(name: string, help: string, read: () => number | Promise<number>): void;
  /** The same for a gauge with one label, by whose values `read` is keyed; what is not in it any more is gone. */
  gauges(name: string, help: string, label: string, read: () => Promise<ReadonlyMap<string, number>>): void;
  /** The same for a number that only grows while the process runs. */
  counter(name: string, help: string, read: () => Promise<number>): void;
  /** The same for a histogram of durations that are counted elsewhere. */
  histogram(name: string, help: string, read: () => Promise<Durations>): void;
}

/** `ofProcess`: with those about the process, which one of its threads has. */
export function createMetrics(choice: MetricChoice = {}, { ofProcess = true }: { readonly ofProcess?: boolean } = {}): Metrics {
  const registry = new ChosenMetrics(choice);
  if (ofProcess) collectProcessMetrics(registry);
  const requests = requestMetrics(registry);
  return {
    registry,
    requests,
    inflight: (read) => {
      new Gauge({
        name: 'apiserver_current_inflight_requests',
        help: 'Requests being worked on now, without long-running ones.',
        labelNames: ['request_kind'],
        registers: [registry],
        collect() {
          this.set({ request_kind: 'readOnly' }, read().readOnly);
          this.set({ request_kind: 'mutating' }, read().mutating);
        },
      });
    },
    gauge: (name, help, read) => {
      new Gauge({
        name,
        help,
        registers: [registry],
        async collect() {
          const value = await Promise.resolve()
            .then(read)
            .catch(() => null);
          if (value !== null) this.set(value);
        },
      });
    },
    gauges: (name, help, label, read) => {
      new Gauge({
        name,
        help,
        labelNames: [label],
        registers: [registry],
        async collect() {
          const values = await read().catch(() => null);
          if (values === null) return;
          this.reset();
          for (const [key, value] of values) this.set({ [label]: key }, value);
        },
      });
    },
    counter: (name, help, read) => {
      new Counter({
        name,
        help,
        registers: [registry],
        async collect() {
          const value = await read().catch(() => null);
          if (value === null) return;
          this.reset();
          this.inc(value);
        },
      });
    },
    histogram: (name, help, read) => {
      new ReadHistogram({ name, help, registers: [registry] }, read);
    },
  };
}

const common = ['verb', 'group', 'version', 'resource', 'subresource', 'scope', 'component'] as const;

interface RequestSeries {
  readonly child: Counter.Internal;
  readonly time: DurationSeries;
  readonly indicator: DurationSeries;
  /** Not told to the counter yet. */ count: number;
}

/** prom-client sorts and joins label values on each call: requests are counted here, and told when somebody asks. */
function requestMetrics(registry: Registry): RequestMetrics {
  const total = new Counter({
    name: 'apiserver_request_total',
    help: 'Requests answered, by verb, resource and status code.',
    labelNames: [...common, 'dry_run', 'code'],
    registers: [registry],
    collect: () => {
      for (const each of series.values()) tell(each);
    },
  });
  const duration = new DurationHistogram({
    name: 'apiserver_request_duration_seconds',
    help: 'Time from the first byte of a request to the end of its answer, in seconds; without long-running requests.',
    labelNames: [...common, 'dry_run'],
    buckets: durationBuckets,
    registers: [registry],
  });
  const withinServer = new DurationHistogram({
    name: 'apiserver_request_sli_duration_seconds',
    help: 'The same, for service level indicators.',
    labelNames: [...common],
    buckets: durationBuckets,
    registers: [registry],
  });
  const running = new Gauge({
    name: 'apiserver_longrunning_requests',
    help: 'Long-running requests, such as watches, that are open now.',
    labelNames: common,
    registers: [registry],
  });
  const series = new Map<string, RequestSeries>();

  const seriesFor = (info: RequestInfo, method: string, code: number): RequestSeries => {
    const key = seriesKey(info, method, code);
    const known = series.get(key);
    if (known !== undefined) return known;
    const plain = labelsOf(info, method);
    const labels = { ...plain, dry_run: '' };
    const made = {
      child: total.labels({ ...labels, code: String(code) }),
      time: duration.of(labels),
      indicator: withinServer.of(plain),
      count: 0,
    };
    if (series.size < seriesMax) series.set(key, made);
    return made;
  };
  return {
    observe: (info, method, code, seconds, longRunning) => {
      const found = seriesFor(code === 404 || code === 405 || code === 403 ? unknownResource(info) : info, method, code);
      found.count++;
      if (longRunning) return;
      found.time.observe(seconds);
      found.indicator.observe(seconds);
    },
    longRunning: (info) => {
      const child = running.labels(labelsOf(info, 'GET'));
      child.inc();
      return () => {
        child.dec();
      };
    },
  };
}

function tell(series: RequestSeries): void {
  series.child.inc(series.count);
  series.count = 0;
}

/** Refused requests may name anything: their words never become labels. */
function unknownResource(info: RequestInfo): RequestInfo {
  return info.isResource ? { ...info, group: '', version: '', resource: '', subresource: '', namespace: '', name: '' } : info;
}

const scopeOf = (info: RequestInfo & { readonly isResource: true }): string =>
  info.name !== '' ? 'resource' : info.namespace !== '' ? 'namespace' : 'cluster';

function seriesKey(info: RequestInfo, method: string, code: number): string {
  if (!info.isResource) return `${method} ${code}`;
  return `${info.verb} ${info.group} ${info.version} ${info.resource} ${info.subresource} ${scopeOf(info)} ${code}`;
}

const knownMethods: ReadonlySet<string> = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']);

function labelsOf(info: RequestInfo, method: string): Record<(typeof common)[number], string> {
  const shared = { component: 'apiserver' };
  if (!info.isResource)
    return {
      ...shared,
      verb: knownMethods.has(method) ? method : 'other',
      group: '',
      version: '',
      resource: '',
      subresource: '',
      scope: '',
    };
  return {
    ...shared,
    verb: labelVerbs.get(info.verb) ?? info.verb.toUpperCase(),
    group: info.group,
    version: info.version,
    resource: info.resource,
    subresource: info.subresource,
    scope: scopeOf(info),
  };
}

const labelVerbs: ReadonlyMap<string, string> = new Map([
  ['create', 'POST'],
  ['update', 'PUT'],
]);
