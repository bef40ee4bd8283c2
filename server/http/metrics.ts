import { Counter, exponentialBuckets, Gauge, linearBuckets, type Registry } from 'prom-client';
import type { RequestInfo } from '../../api/requestInfo.js';
import type { MetricChoice } from '../../program/metrics/chosenMetrics.js';
import { createPeerCertificateMetrics, type PeerCertificateMetrics } from '../webhook/metrics.js';
import { createProcessMetrics, type ProcessMetrics } from '../../program/metrics/metrics.js';
import { DurationHistogram, type DurationSeries } from '../../program/metrics/durations.js';

/** Seconds, as in the reference. */
const durationBuckets = [0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60];
/** Bytes, as in the reference. */
const answerBuckets = exponentialBuckets(1_000, 10, 7);
const bodyBuckets = linearBuckets(50_000, 100_000, 31);
/** Drops resource names beyond this, since clients can invent paths. */
const seriesMax = 10_000;

export interface ObservedRequest {
  readonly info: RequestInfo;
  readonly method: string;
  readonly code: number;
  readonly seconds: number;
  readonly longRunning: boolean;
  /** Null if the sent response's length was not known in advance. */
  readonly answerBytes: number | null;
  /** Null where no body was read whole. */
  readonly bodyBytes: number | null;
  /** The client's `fieldValidation`; empty by default. */
  readonly fieldValidation?: string;
  /** The server ended it: overload, timeout, or stopping. */
  readonly terminated: boolean;
}

export interface RequestMetrics {
  /** Long-running requests are counted without duration and size. */
  observe(request: ObservedRequest): void;
  longRunning(info: RequestInfo): () => void;
}

export interface Metrics extends ProcessMetrics {
  readonly requests: RequestMetrics;
  readonly peerCertificates: PeerCertificateMetrics;
  /** Registers the source of the number of requests in progress. */
  inflight(read: () => { readonly readOnly: number; readonly mutating: number }): void;
}

export function createMetrics(choice: MetricChoice = {}, ofProcess = true): Metrics {
  const process = createProcessMetrics(choice, ofProcess);
  const { registry } = process;
  const requests = requestMetrics(registry);
  return {
    ...process,
    requests,
    peerCertificates: createPeerCertificateMetrics(registry),
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
  };
}

const common = ['verb', 'group', 'version', 'resource', 'subresource', 'scope', 'component'] as const;

/** Upper bounds in seconds, as in the reference. */
const validationBuckets = [0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60];
const validatedWrites: ReadonlySet<string> = new Set(['create', 'update', 'patch']);
const fieldValidations = ['', 'Ignore', 'Warn', 'Strict', 'invalid'] as const;

const sizedReads: ReadonlySet<string> = new Set(['get', 'list']);
const sizedWrites: ReadonlySet<string> = new Set(['create', 'update', 'patch', 'delete', 'deletecollection']);

interface RequestSeries {
  readonly labels: Readonly<Record<(typeof common)[number], string>>;
  readonly child: Counter.Internal;
  readonly time: DurationSeries;
  readonly indicator: DurationSeries;
  /** Times responses to reads and bodies of writes; otherwise null. */
  readonly answers: DurationSeries | null;
  readonly bodies: DurationSeries | null;
  /** Not yet added to the counter. */ count: number;
}

/** prom-client sorts and joins label values on each call. */
function requestMetrics(registry: Registry): RequestMetrics {
  const series = new SeriesByRequest(registry);
  const terminations = new Counter({
    name: 'apiserver_request_terminations_total',
    help: 'Requests that the server let go of to protect itself: because it was too busy, they took too long, or it was stopping.',
    labelNames: [...common, 'code'],
    registers: [registry],
  });
  const validated = validationSeries(registry);
  const running = new Gauge({
    name: 'apiserver_longrunning_requests',
    help: 'Long-running requests, such as watches, that are open now.',
    labelNames: common,
    registers: [registry],
  });
  return {
    observe: ({ info, method, code, seconds, longRunning, answerBytes, bodyBytes, terminated, fieldValidation = '' }) => {
      const found = series.of(code === 404 || code === 405 || code === 403 ? unknownResource(info) : info, method, code);
      found.count++;
      if (terminated) terminations.inc({ ...found.labels, code: String(code) });
      if (longRunning) return;
      found.time.observe(seconds);
      found.indicator.observe(seconds);
      if (answerBytes !== null) found.answers?.observe(answerBytes);
      if (bodyBytes !== null) found.bodies?.observe(bodyBytes);
      if (info.isResource && validatedWrites.has(info.verb)) validated(fieldValidation)?.observe(seconds);
    },
    longRunning: (info) => {
      // Avoids a child metric, kept for each of many thousand watches.
      running.inc(labelsOf(info, 'GET'));
      return () => {
        running.dec(labelsOf(info, 'GET'));
      };
    },
  };
}

function validationSeries(registry: Registry): (fieldValidation: string) => DurationSeries | undefined {
  const validated = new DurationHistogram({
    name: 'field_validation_request_duration_seconds',
    help: 'Time that writes took, in seconds, by how unknown members were to be met.',
    labelNames: ['field_validation'],
    buckets: validationBuckets,
    registers: [registry],
  });
  const known = new Map<string, DurationSeries>(fieldValidations.map((value) => [value, validated.of({ field_validation: value })]));
  return (fieldValidation) => known.get(fieldValidation) ?? known.get('invalid');
}

class SeriesByRequest {
  readonly #known = new Map<string, RequestSeries>();
  readonly #total: Counter;
  readonly #histograms: ReturnType<typeof requestHistograms>;

  constructor(registry: Registry) {
    const known = this.#known;
    const total = new Counter({
      name: 'apiserver_request_total',
      help: 'Requests answered, by verb, resource and status code.',
      labelNames: [...common, 'dry_run', 'code'],
      registers: [registry],
      collect: () => {
        for (const each of known.values()) tell(each);
      },
    });
    total.reset = () => {
      for (const each of known.values()) each.count = 0;
      Counter.prototype.reset.call(total);
    };
    this.#total = total;
    this.#histograms = requestHistograms(registry);
  }

  of(info: RequestInfo, method: string, code: number): RequestSeries {
    const key = seriesKey(info, method, code);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    // Refused clients could invent names without end.
    if (this.#known.size >= seriesMax && info.isResource && info.resource !== '') return this.of(unknownResource(info), method, code);
    const { duration, withinServer, answers, bodies } = this.#histograms;
    const plain = labelsOf(info, method);
    const labels = { ...plain, dry_run: '' };
    const made = {
      labels: plain,
      child: this.#total.labels({ ...labels, code: String(code) }),
      time: duration.of(labels),
      indicator: withinServer.of(plain),
      answers: info.isResource && sizedReads.has(info.verb) ? answers.of(plain) : null,
      bodies:
        info.isResource && sizedWrites.has(info.verb) ? bodies.of({ group: info.group, resource: info.resource, verb: info.verb }) : null,
      count: 0,
    };
    this.#known.set(key, made);
    return made;
  }
}

function requestHistograms(registry: Registry) {
  const registers = [registry];
  return {
    duration: new DurationHistogram({
      name: 'apiserver_request_duration_seconds',
      help: 'Time from the first byte of a request to the end of its answer, in seconds; without long-running requests.',
      labelNames: [...common, 'dry_run'],
      buckets: durationBuckets,
      registers,
    }),
    withinServer: new DurationHistogram({
      name: 'apiserver_request_sli_duration_seconds',
      help: 'The same, for service level indicators.',
      labelNames: [...common],
      buckets: durationBuckets,
      registers,
    }),
    answers: new DurationHistogram({
      name: 'apiserver_response_sizes',
      help: 'Bytes of answers to reads of objects and lists, as they were sent.',
      labelNames: [...common],
      buckets: answerBuckets,
      registers,
    }),
    bodies: new DurationHistogram({
      name: 'apiserver_request_body_size_bytes',
      help: 'Bytes of the bodies of writes.',
      labelNames: ['group', 'resource', 'verb'],
      buckets: bodyBuckets,
      registers,
    }),
  };
}

function tell(series: RequestSeries): void {
  // A reset series reappears with its next request.
  if (series.count > 0) series.child.inc(series.count);
  series.count = 0;
}

/** Refused requests may contain any name, so names are not labels. */
function unknownResource(info: RequestInfo): RequestInfo {
  return info.isResource ? { ...info, group: '', version: '', resource: '', subresource: '', namespace: '', name: '' } : info;
}

/** A create concerns one object, although the path lacks its name. */
const scopeOf = ({ verb, name, namespace }: RequestInfo & { readonly isResource: true }): string =>
  name !== '' || verb === 'create' ? 'resource' : namespace !== '' ? 'namespace' : 'cluster';

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
