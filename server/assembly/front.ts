import type { Api } from './api.js';
import type { Auditor } from '../audit/auditor.js';
import { RequestTap } from '../console/requestTap.js';
import { certificateFiles, consolePage } from './consolePage.js';
import { Fairness } from '../fairness/fairness.js';
import { FollowedObjects } from '../fairness/objectsFollowed.js';
import type { SharedSeats } from '../fairness/seatPool.js';
import { Tally } from '../fairness/tally.js';
import type { Live } from '../../program/files/liveFile.js';
import { addHealthChecks } from './healthChecks.js';
import type { Progress } from './healthChecks.js';
import { createChain, type Chain, type ChainOptions } from '../http/chain.js';
import type { Count } from '../../program/port/connections/index.js';
import type { DrainedListener } from '../../program/port/listener.js';
import { createRoutes } from '../http/routes.js';
import { createHealthRegistry, type HealthRegistry } from '../../program/health.js';
import type { Logger } from '../../program/log/logger.js';
import type { Metrics } from '../http/metrics.js';
import type { DebugPages } from '../../program/profiles/pages.js';
import { exposeCertificateEnds } from '../../program/metrics/certificateEnds.js';
import { pageOf, type ExpositionPage } from '../../program/metrics/expositionPage.js';
import type { Exposition } from '../../program/metrics/sums.js';
import type { GroupResource } from '../../api/resource.js';
import { exposeCaches } from '../storage/cache/metrics.js';
import { exposeCounts } from '../storage/metrics.js';
import type { ApiServerOptions } from '../options/flags.js';
import { featuresOf } from '../../program/features/options.js';
import { leaderWork } from './leaderWork.js';
import { processPages } from './processPages.js';
import { storedResources } from '../registry/resources.js';
import { drainAndClose } from '../http/shutdown.js';
import type { ServerStore } from '../store/store.js';
import type { Encryption } from '../storage/encryption/encryption.js';
import { sealKeyOf } from '../storage/seal.js';
import type { Tracer } from '../../program/tracing/tracer.js';

/** Filters, health checks, pages, metrics and fairness in front of the API. */

/** The timeout of store checks where an option says 0. */
const storeTimeoutMs = 2_000;

export interface FrontOptions {
  readonly options: ApiServerOptions;
  readonly log: Logger;
  readonly store: ServerStore;
  readonly encryption: Live<Encryption> | null;
  readonly metrics: Metrics;
  readonly auditor: Auditor | null;
  readonly api: Api;
  readonly progress: Progress;
  readonly debug: DebugPages | null;
  readonly tracer: Tracer | null;
  readonly fairness: Fairness | null;
  /** This thread's share of common state; null for a single thread. */
  readonly threads: ThreadShare | null;
}

export interface ThreadShare {
  /** The thread that runs per-process tasks. */
  readonly isFirst: boolean;
  readonly seats: SharedSeats;
  /** Reads, writes and probes in progress. */
  readonly inflight: readonly [Count, Count, Count];
  /** The text of `/metrics` or `/metrics/slis` for all threads. */
  readonly exposition: (of: Exposition) => Promise<string>;
  readonly resetMetrics: (of: Exposition) => Promise<void>;
}

function expositionOf({ registry, indicators }: Metrics, of: Exposition, threads: ThreadShare | null): ExpositionPage {
  const own = pageOf(of === 'metrics' ? registry : indicators.registry);
  if (threads === null) return own;
  return { contentType: own.contentType, metrics: () => threads.exposition(of), reset: () => threads.resetMetrics(of) };
}

function exposeOwn({
  options,
  metrics,
  api,
  store,
  threads,
}: Pick<FrontOptions, 'options' | 'metrics' | 'api' | 'store' | 'threads'>): void {
  const resources = (): readonly GroupResource[] => storedResources(api.catalogue);
  exposeCaches(metrics.registry, { resources, counts: (resource) => api.storage.counts(resource) });
  if (threads?.isFirst === false) return;
  store.expose(metrics, options);
  exposeCertificateEnds(metrics.registry, certificateFiles(options));
  exposeCounts({
    registry: metrics.registry,
    resources,
    count: (resource) => api.storage.estimate(resource),
    periodMs: options['etcd-count-metric-poll-period'],
  });
}

function healthOf({
  options,
  metrics,
  store,
  encryption,
  progress,
}: Pick<FrontOptions, 'options' | 'metrics' | 'store' | 'encryption' | 'progress'>): HealthRegistry {
  const { replica } = store;
  const health = createHealthRegistry((endpoint, name, passed) => {
    metrics.indicators.observe(endpoint, name, passed);
  });
  addHealthChecks(health, {
    keyServices: {
      current: () => encryption?.current.keyServices ?? [],
      mayChange: encryption !== null && options['encryption-provider-config-automatic-reload'],
    },
    progress,
    replica: store.health,
    elsewhere: store.healthElsewhere,
    spaceAlarm: replica === null ? undefined : async () => (await replica.status()).space.alarm,
    graceMs: options['livez-grace-period'],
    awaitsStorage: featuresOf(options).enabled('WatchCacheInitializationPostStartHook'),
    healthTimeoutMs: options['etcd-healthcheck-timeout'] || storeTimeoutMs,
    readyTimeoutMs: options['etcd-readycheck-timeout'] || storeTimeoutMs,
  });
  return health;
}

export function frontOf(front: FrontOptions): Chain {
  const { options, log, store, metrics, api, debug, fairness, threads } = front;
  exposeOwn(front);
  const health = healthOf(front);
  const tap = options.console ? new RequestTap() : null;
  const page = tap === null ? null : consolePage({ options, api, replica: store.replica, metrics, tap, active: () => chain.active });
  const routes = createRoutes({
    resources: api.resources,
    documents: api.documents,
    health,
    metrics,
    console: page,
    exposition: expositionOf(metrics, 'metrics', threads),
    replica: store.replica,
    put: api.putObjects,
    sealKey: sealKeyOf(options['etcd-prefix']),
    log: log.named('health'),
    pages: processPages({ options, debug, indicators: expositionOf(metrics, 'indicators', threads), fairness }),
  });
  const chain: Chain = createChain(chainOptionsOf(front, tap), routes);
  return chain;
}

function chainOptionsOf(
  { options, log, metrics, auditor, api, tracer, fairness, threads }: FrontOptions,
  tap: RequestTap | null,
): ChainOptions {
  const directives = options['strict-transport-security-directives'];
  return {
    tap,
    tracer,
    fairness,
    authenticate: api.access.authenticate,
    authorize: api.access.authorize,
    constrainedImpersonation: featuresOf(options).enabled('ConstrainedImpersonation'),
    audit: auditor,
    metrics,
    log: log.named('http'),
    requestTimeoutMs: options['request-timeout'],
    inflight: {
      readOnlyMax: options['max-requests-inflight'],
      mutatingMax: options['max-mutating-requests-inflight'],
      ...(threads === null ? {} : { counts: threads.inflight }),
    },
    ...(threads === null ? {} : { caughtUp: () => api.storage.caughtUp() }),
    corsOrigins: options['cors-allowed-origins'].map((pattern) => new RegExp(pattern)),
    strictTransportSecurity: directives.length === 0 ? null : directives.join('; '),
  };
}

export const drain = (options: ApiServerOptions, listener: DrainedListener, chain: Chain, log: Logger): Promise<void> =>
  drainAndClose(listener, chain, {
    delayMs: options['shutdown-delay-duration'],
    sendRetryAfter: options['shutdown-send-retry-after'],
    watchGraceMs: options['shutdown-watch-termination-grace-period'],
    requestsMs: options['request-timeout'],
    log,
  });

/** A request waits for at most a quarter of its time, to leave the rest for work. */
const waitPart = 4;

export function fairnessOf({
  options,
  log,
  api,
  store,
  metrics,
  seats = null,
}: {
  readonly options: ApiServerOptions;
  readonly log: Logger;
  readonly api: Api;
  readonly store: ServerStore;
  readonly metrics: Metrics;
  readonly seats?: SharedSeats | null;
}): { readonly fairness: Fairness; readonly objects: FollowedObjects } {
  const bySize = featuresOf(options).enabled('SizeBasedListCostEstimate');
  const tally = new Tally();
  tally.expose(metrics.registry, () => fairness);
  const fairness: Fairness = new Fairness({
    seats: options['max-requests-inflight'] + options['max-mutating-requests-inflight'],
    waitMaxMs: options['request-timeout'] / waitPart,
    estimate: (resource) => {
      const found = api.storage.estimate(resource);
      return bySize ? found : { ...found, bytes: null };
    },
    tally,
    shared: seats,
  });
  fairness.start();
  const objects = new FollowedObjects({
    fairness,
    ...leaderWork({ api, store, log }, 'fairness', 'objects about priority and fairness'),
  });
  return { fairness, objects };
}
