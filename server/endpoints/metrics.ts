import { Counter, exponentialBuckets, Gauge, type Registry } from 'prom-client';
import { apiVersionOf, type GroupResource, type GroupVersion } from '../../api/resource.js';
import type { EndpointCounts, WatchCount, WatchScope } from './counts.js';
import { DurationHistogram, type DurationSeries } from '../../program/metrics/durations.js';
import { total, totals } from '../../program/metrics/totals.js';
import type { WatchEnd } from '../storage/watchEnds.js';

/** Bytes, as in the reference. */
const eventBuckets = exponentialBuckets(1_024, 2, 8);

/** Upper bounds in seconds, as in the reference. */
const listBuckets = [0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 2, 4, 6, 8, 10, 15, 20, 30, 45, 60];

export function createEndpointMetrics(registry: Registry): EndpointCounts {
  const deprecated = new Gauge({
    name: 'apiserver_requested_deprecated_apis',
    help: 'Deprecated versions of resources that somebody has asked for since the start: 1.',
    labelNames: ['group', 'version', 'resource', 'subresource', 'removed_release'],
    registers: [registry],
  });
  const expiredLists = totals(registry, {
    name: 'raftplane_expired_lists_total',
    help: 'Lists that were refused with 410, by why their version is no longer available.',
    labelNames: ['reason'],
  });
  const webSockets = totals(registry, {
    name: 'apiserver_websocket_streaming_requests_total',
    help: 'WebSockets for streams of pods, by who makes of them what the node understands: here always the node agent (proxied_to_kubelet).',
    labelNames: ['subresource', 'proxy_type'],
  });
  return {
    deprecated: ({ group, version, resource }, subresource, removedRelease) => {
      deprecated.set({ group, version, resource, subresource, removed_release: removedRelease }, 1);
    },
    watch: watchMetrics(registry),
    expiredList: (reason) => {
      expiredLists({ reason }).value++;
    },
    ...logMetrics(registry),
    webSocket: (subresource) => {
      webSockets({ subresource, proxy_type: 'proxied_to_kubelet' }).value++;
    },
  };
}

function watchMetrics(registry: Registry): EndpointCounts['watch'] {
  const watches = new Map<string, WatchedResource>();
  new Counter({
    name: 'apiserver_watch_events_total',
    help: 'Events that watches have been sent.',
    labelNames: ['group', 'version', 'resource'],
    registers: [registry],
    collect() {
      this.reset();
      for (const { labels, events } of watches.values()) if (events > 0) this.inc(labels, events);
    },
  });
  const histograms = watchHistograms(registry);
  const ended = endMetrics(registry);
  return (resource) => {
    const key = `${apiVersionOf(resource)}/${resource.resource}`;
    const known = watches.get(key) ?? new WatchedResource(resource, histograms, ended);
    watches.set(key, known);
    return known;
  };
}

function watchHistograms(registry: Registry): Readonly<Record<'sizes' | 'lists', DurationHistogram>> {
  return {
    sizes: new DurationHistogram({
      name: 'apiserver_watch_events_sizes',
      help: 'Bytes of events that watches have been sent.',
      labelNames: ['group', 'version', 'resource'],
      buckets: eventBuckets,
      registers: [registry],
    }),
    lists: new DurationHistogram({
      name: 'apiserver_watch_list_duration_seconds',
      help: 'Time until watches have sent all objects that there were at their beginning, in seconds, where clients want them.',
      labelNames: ['group', 'version', 'resource', 'scope'],
      buckets: listBuckets,
      registers: [registry],
    }),
  };
}

class WatchedResource implements WatchCount {
  readonly labels: Readonly<Record<'group' | 'version' | 'resource', string>>;
  events = 0;
  readonly #sizes: DurationSeries;
  readonly #lists: DurationHistogram;
  readonly #ended: (resource: GroupResource, why: WatchEnd) => void;

  constructor(
    { group, version, resource }: GroupVersion & GroupResource,
    { sizes, lists }: ReturnType<typeof watchHistograms>,
    ended: (resource: GroupResource, why: WatchEnd) => void,
  ) {
    this.labels = { group, version, resource };
    this.#sizes = sizes.of(this.labels);
    this.#lists = lists;
    this.#ended = ended;
  }

  sent(bytes: number): void {
    this.events++;
    this.#sizes.observe(bytes);
  }

  listed(scope: WatchScope, seconds: number): void {
    this.#lists.of({ ...this.labels, scope }).observe(seconds);
  }

  ended(why: WatchEnd): void {
    this.#ended(this.labels, why);
  }
}

function endMetrics(registry: Registry): (resource: GroupResource, why: WatchEnd) => void {
  const ends = totals(registry, { name: 'raftplane_watch_ends_total', help: 'Watches that have ended, by why.', labelNames: ['reason'] });
  const terminated = totals(registry, {
    name: 'apiserver_terminated_watchers_total',
    help: 'Watches that were ended because their clients did not keep up.',
    labelNames: ['group', 'resource'],
  });
  return ({ group, resource }, reason) => {
    ends({ reason }).value++;
    if (reason === 'ClientTooSlow' || reason === 'ClientStalled') terminated({ group, resource }).value++;
  };
}

function logMetrics(registry: Registry): Pick<EndpointCounts, 'log' | 'untrustedLog'> {
  const insecureLogs = new Counter({
    name: 'kube_apiserver_pod_logs_insecure_backend_total',
    help: 'Requests for logs of pods, by whether the certificate of the node agent had to be good: enforce_tls, or skip_tls_allowed.',
    labelNames: ['usage'],
    registers: [registry],
  });
  const untrustedLogs = total(
    registry,
    'kube_apiserver_pod_logs_backend_tls_failure_total',
    'Requests for logs of pods that failed because the certificate of the node agent was not good.',
  );
  return {
    log: (trusting) => {
      insecureLogs.inc({ usage: trusting ? 'skip_tls_allowed' : 'enforce_tls' });
    },
    untrustedLog: () => {
      untrustedLogs.value++;
    },
  };
}
