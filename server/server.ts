/** Assembles and stops the server: the order of components, and rollback after a failure. */
import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { isIP } from 'node:net';
import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { isMainThread } from 'node:worker_threads';
import type { ConsensusThread } from '../raft/index.js';
import { closeAccessFiles, readAccessFiles, type AccessFiles } from './assembly/accessFiles.js';
import { type PluginConfigurations } from './admission/configuration.js';
import { assembleApi } from './assembly/api.js';
import type { Api } from './assembly/api.js';
import { LiveFiles } from '../program/files/liveFile.js';
import { drain, fairnessOf, frontOf, type FrontOptions } from './assembly/front.js';
import { readGiven, type Given } from './assembly/given.js';
import { leaderWork, type LeaderWorkParts } from './assembly/leaderWork.js';
import type { Progress } from './assembly/healthChecks.js';
import type { OpenAuditor } from './audit/auditor.js';
import { createAuditing } from './assembly/auditing.js';
import { serveDebugSocket } from '../program/port/debugSocket.js';
import { listen } from '../program/port/listener.js';
import type { Listener, ListenerOptions } from '../program/port/listener.js';
import { connectionsMax, PortMemory } from '../program/port/connections/index.js';
import { exposeConnections, exposeForms, exposeHandshakes, ServingThreads } from './threads/servingThreads.js';
import { eventCounter, eventLimitsIn, type CountEvents, type EventLimit } from './admission/events/rateLimit.js';
import { enabledPlugins } from './admission/names.js';
import type { Logger, Verbosity } from '../program/log/logger.js';
import { exposeProgram } from '../program/metrics/processMetrics.js';
import { DebugPages } from '../program/profiles/pages.js';
import { createMetrics, type Metrics } from './http/metrics.js';
import type { ApiServerOptions } from './options/flags.js';
import { emulatedMinor } from '../program/features/emulation.js';
import { featuresOf } from '../program/features/options.js';
import { metricChoice } from '../program/metrics/options.js';
import { defaultServiceRange } from './options/serviceRange.js';
import { versionInfo } from '../program/version.js';
import type { RunningServer } from './process/runningServer.js';
import { machineClock } from './presence/machineClock.js';
import type { ServerAddress } from './presence/serverLease.js';
import { MasterLeases } from './presence/masterLeases.js';
import { Coordinator } from './election/coordinator.js';
import { Elections } from './election/elections.js';
import { Presence } from './presence/presence.js';
import { Parts } from './assembly/parts.js';
import { createLoopback, type Loopback } from './assembly/loopback.js';
import { advertisedAddress, endpointAddress } from './assembly/serving.js';
import { Expiry } from './storage/expiry.js';
import { openStore } from './store/open.js';
import type { ServerStore } from './store/store.js';

export type { RunningServer } from './process/runningServer.js';

const closeTimeoutMs = 200;

/**
 * Starts the replica in its thread, storage on it, the API, and the listener. Resolves once requests are served. Rejects, with nothing left running, for
 * unusable files, addresses or data, which the message names. `thread` is a preloaded thread for the replica.
 */
export async function startServer(
  options: ApiServerOptions,
  log: Logger,
  verbosity: Verbosity = { level: options.v },
  thread?: ConsensusThread,
): Promise<RunningServer> {
  const live = new LiveFiles();
  const parts = new Parts(log);
  parts.add({ name: 'files', stop: () => live.stop() });
  try {
    return await begin({ options, log, live, parts, verbosity, thread });
  } catch (error) {
    await parts.stop().catch(() => undefined);
    throw error;
  }
}

interface Beginning {
  readonly options: ApiServerOptions;
  readonly log: Logger;
  readonly live: LiveFiles;
  readonly parts: Parts;
  readonly verbosity: Verbosity;
  readonly thread: ConsensusThread | undefined;
}

async function begin({ options, log, live, parts, verbosity, thread }: Beginning): Promise<RunningServer> {
  // Reads files first, so that an invalid certificate leaves no half-started replica.
  const metrics = createMetrics(metricChoice(options));
  const given = readGiven(options, { live, log, metrics, loopback: createLoopback(options) });
  const { egress, plugins, tracing } = given;
  parts.add({ name: 'traces', stop: () => tracing?.exporter.stop() });
  exposeProgram(metrics.registry, {
    features: featuresOf(options),
    version: { ...versionInfo(), emulationMinor: String(emulatedMinor(options)) },
  });
  const debug = await debugPages(options, verbosity, parts);
  const files = await readAccessFiles({ options, live, metrics, dial: egress('controlplane'), log: log.named('access') });
  parts.add({ name: 'signers and reviewers', stop: () => closeAccessFiles(files) });
  const auditor = await createAuditing({
    options,
    registry: metrics.registry,
    certificates: metrics.peerCertificates.webhooks,
    dial: egress('controlplane'),
    log: log.named('audit'),
  });
  parts.add({ name: 'audit', stop: () => auditor?.close() });

  const threads = threadsOf(options);
  const store = await openStore(options, log, { egress, threads, thread });
  parts.add({ name: 'store', stop: () => store.stop() });
  const limits = eventLimitsOf(plugins, options);
  const countEvents = limits === null ? null : eventCounter(limits);
  const sinks = { audit: auditor?.sink ?? null, countEvents: countEvents ?? (() => []) };
  const others = threads === 1 ? null : new ServingThreads({ options, threads, metrics, loopback: given.loopback, ...sinks });
  return serveStore({ ...given, options, log, files, live, store, metrics, auditor, debug, countEvents, others, parts });
}

/** Pages about the process: on the port with profiling, or on a configured socket. */
async function debugPages(options: ApiServerOptions, verbosity: Verbosity, parts: Parts): Promise<DebugPages | null> {
  const pages = new DebugPages({ verbosity, contention: options.profiling && options['contention-profiling'], now: machineClock.now });
  parts.add({ name: 'debug pages', stop: () => pages.stop() });
  const socketPath = options['debug-socket-path'];
  const socket = socketPath === null ? null : await serveDebugSocket(socketPath, pages);
  parts.add({ name: 'debug socket', stop: () => socket?.close() });
  return options.profiling ? pages : null;
}

/** The program replaces 0 by the machine's number; an embedded server has no threads. */
function threadsOf(options: ApiServerOptions): number {
  const threads = Math.max(1, options['serving-threads']);
  if (threads > 1 && !isMainThread)
    throw new Error('--serving-threads above 1 is for servers with a process of their own: this one is a thread itself');
  return threads;
}

/** The event limits, where the plugin that counts events runs. */
function eventLimitsOf(plugins: PluginConfigurations, options: ApiServerOptions): readonly EventLimit[] | null {
  const enabled = enabledPlugins(options['enable-admission-plugins'], options['disable-admission-plugins']);
  return enabled.has('EventRateLimit') ? eventLimitsIn(plugins.get('EventRateLimit') ?? null) : null;
}

interface Prepared extends Given {
  readonly options: ApiServerOptions;
  readonly log: Logger;
  readonly files: AccessFiles;
  readonly live: LiveFiles;
  readonly store: ServerStore;
  readonly metrics: Metrics;
  readonly auditor: OpenAuditor | null;
  readonly debug: DebugPages | null;
  readonly countEvents: CountEvents | null;
  readonly others: ServingThreads | null;
  readonly parts: Parts;
}

async function serveStore(prepared: Prepared): Promise<RunningServer> {
  const { options, log, serving, loopback, store, metrics, tracing, others, parts } = prepared;
  const progress: Progress = others?.progress ?? { synced: false, storageAwaited: false, bootstrapped: false, stopping: false };
  const api = assembleApi({ ...prepared, commonForms: others?.forms ?? null });
  parts.add({ name: 'API', stop: () => api.close() });
  const threads = others?.share ?? null;
  const fairness = options['enable-priority-and-fairness']
    ? fairnessOf({ options, log, api, store, metrics, seats: threads?.seats ?? null })
    : null;
  const chain = frontOf({ ...prepared, fairness: fairness?.fairness ?? null, api, progress, tracer: tracing?.tracer ?? null, threads });
  const listener = await listenWith(others, loopback, { ...serving, handle: chain.handle });
  parts.add({ name: 'other threads', stop: () => others?.stop(listener) });
  parts.add({
    name: 'listener',
    stop: async () => {
      await Promise.all([drain(options, others?.sharing(listener) ?? listener, chain, log), others?.drain()]);
      // Another server that stops meanwhile may have returned it.
      await store.handOver(log);
    },
  });
  parts.add({
    name: 'fairness',
    start: () => fairness?.objects.start(),
    stop: () => {
      fairness?.objects.stop();
      fairness?.fairness.stop();
    },
  });
  exposeHandshakes(metrics, listener);
  if (others !== null) {
    exposeConnections(metrics, 0, () => listener.connections);
    exposeForms(metrics, 0, others.forms);
    await others.start(listener.socket, store.tickets);
  }
  addUpkeep(prepared, api, listener.port);
  const url = `https://${listener.host.includes(':') ? `[${listener.host}]` : listener.host}:${listener.port}`;
  log.info('serving', { address: url, member: options['raft-member-id'] });

  return { url, takeConnection: others === null ? listener.take : null, ...lifeOf(prepared, api, progress) };
}

/** Adds the server's work for the cluster besides requests. */
function addUpkeep({ options, log, store, parts }: Prepared, api: Api, port: number): void {
  const compaction = store.history(api.storage, log.named('compaction'));
  compaction.start(options['etcd-compaction-interval']);
  const lives = { ttlMs: options['event-ttl'], sharedMs: options['lease-reuse-duration-seconds'] * 1000 };
  const events = lives.ttlMs === 0 || store.expires ? null : eventExpiry({ api, store, log, ...lives });
  parts.add({ name: 'expiry of events', start: () => events?.start(), stop: () => events?.stop() });
  parts.add({ name: 'compaction', start: () => compaction.begin(), stop: () => compaction.stop() });
  const elections = electionsOf(options, { api, store, log });
  parts.add({ name: 'elections', start: () => elections?.start(), stop: () => elections?.stop() });
  const presence = presenceOf({ options, api, store, log, port });
  if (presence === null) return;
  // Clients of the service must first stop arriving, which cannot be announced without a majority.
  const leave = (): Promise<unknown> => Promise.race([presence.stop(), delay(closeTimeoutMs, undefined, { ref: false })]);
  parts.add({ name: 'presence', start: () => presence.start(), stop: leave });
}

/** Starts becoming ready, and says how the server ends. */
function lifeOf(
  { options, log, store, others, parts }: Prepared,
  api: Api,
  progress: Progress,
): Pick<RunningServer, 'ready' | 'failed' | 'stop'> {
  const stopping = new AbortController();
  // Many listeners are no leak: bootstrap objects wait separately while storage accepts no writes.
  setMaxListeners(0, stopping.signal);
  const ready = becomeReady({ options, log, api, progress, others, stopping: stopping.signal }).then(() => parts.start());
  const failed = new Promise<Error>((resolve) => {
    store.onFailure(resolve);
    void others?.failed.then(resolve);
    ready.catch((error: unknown) => {
      if (!stopping.signal.aborted) resolve(error as Error);
    });
  });
  let stopped: Promise<void> | null = null;
  const stop = async (): Promise<void> => {
    progress.stopping = true;
    // Comes first: until another replica leads, no writes succeed.
    const handedOver = store.handOver(log);
    stopping.abort(new Error('the server is stopping'));
    await handedOver;
    await parts.stop();
    log.info('stopped');
  };
  return { ready, failed, stop: () => (stopped ??= stop()) };
}

/** Returns the address for other API servers, if it differs from that for clients. Peers use a loopback address as it is. */
function peerAddress(options: ApiServerOptions, { ip, port }: ServerAddress): ServerAddress | null {
  const found = { ip: options['peer-advertise-ip'] ?? advertisedAddress(options), port: Number(options['peer-advertise-port'] ?? port) };
  return isIP(found.ip) === 0 || (found.ip === ip && found.port === port) ? null : found;
}

interface ElectionWork {
  start(): void;
  stop(): Promise<unknown>;
}

/** Null without coordinated elections. The replicas' leader runs them; servers over an etcd agree on one through a Lease. */
function electionsOf(options: ApiServerOptions, parts: LeaderWorkParts): ElectionWork | null {
  if (!featuresOf(options).enabled('CoordinatedLeaderElection')) return null;
  const work = leaderWork(parts, 'election', 'cannot be held now, and is tried again');
  if (parts.store.replica !== null) return new Elections(work);
  const coordinator = new Coordinator({
    registry: parts.api.registry,
    catalogue: work.catalogue,
    identity: `${hostname()}_${randomUUID()}`,
    leaseDurationMs: options['coordinated-leadership-lease-duration'],
    renewDeadlineMs: options['coordinated-leadership-renew-deadline'],
    retryPeriodMs: options['coordinated-leadership-retry-period'],
    clock: machineClock,
    began: () => elections.look(),
    report: work.report,
  });
  const elections = new Elections({ ...work, leads: () => Promise.resolve(coordinator.coordinates) });
  return {
    start() {
      elections.start();
      coordinator.start();
    },
    stop: () => Promise.all([elections.stop(), coordinator.stop()]),
  };
}

/** Null where the machine has no external address. */
function presenceOf({
  options,
  api,
  store,
  log,
  port,
}: {
  readonly options: ApiServerOptions;
  readonly api: Api;
  readonly store: ServerStore;
  readonly log: Logger;
  readonly port: number;
}): Presence | null {
  if (!featuresOf(options).enabled('APIServerIdentity')) {
    log.warn('without the feature APIServerIdentity nobody learns of this server: the kubernetes service gets no endpoint of it');
    return null;
  }
  const ip = announcedAddress(options, log);
  return ip === null
    ? null
    : new Presence({
        storage: api.storage,
        registry: api.ownRegistry,
        catalogue: api.catalogue,
        reconciles: options['endpoint-reconciler-type'] !== 'none',
        count: options['endpoint-reconciler-type'] === 'master-count' ? options['apiserver-count'] : null,
        masters: options['endpoint-reconciler-type'] === 'lease' && store.asReference ? new MasterLeases(api.storage, ip) : null,
        identity: {
          hostname: hostname(),
          memberId: options['raft-member-id'],
          processUid: randomUUID(),
          address: { ip, port },
          peerAddress: peerAddress(options, { ip, port }),
        },
        report: (what, error) => {
          log.named('presence').warn('cannot be written now, and is tried again', { what, error });
        },
      });
}

function announcedAddress(options: ApiServerOptions, log: Logger): string | null {
  const ip = endpointAddress(options);
  const [range = ''] = (options['service-cluster-ip-range'] ?? defaultServiceRange).split(',');
  if (ip === null)
    log.warn(
      'this machine has no address to give to clients: the kubernetes service gets no endpoint of this server; see --advertise-address',
    );
  else if (options['endpoint-reconciler-type'] !== 'none' && isIP(ip) !== isIP(range.replace(/\/.*/, '').trim()))
    log.warn(
      'the kubernetes service and this server have addresses of different families, so who calls the service does not reach it; see --advertise-address',
      { range, address: ip },
    );
  return ip;
}

function eventExpiry({
  api,
  store,
  log,
  ttlMs,
  sharedMs,
}: {
  readonly api: Api;
  readonly store: ServerStore;
  readonly log: Logger;
  readonly ttlMs: number;
  readonly sharedMs: number;
}): Expiry {
  return new Expiry({
    storage: api.storage,
    resource: { group: '', resource: 'events' },
    ttlMs,
    sharedMs,
    clock: machineClock,
    leads: () => store.leads(),
    report: (error) => {
      log.named('events').warn('old events cannot be removed now; they are tried again', { error });
    },
  });
}

async function listenWith(others: ServingThreads | null, loopback: Loopback, options: ListenerOptions): Promise<Listener> {
  const listener = await listenOnce(others, options);
  loopback.port = listener.port;
  return listener;
}

/** Threads share the port's limits. */
function listenOnce(others: ServingThreads | null, options: ListenerOptions): Promise<Listener> {
  if (others === null) return listen(options);
  const { threads } = others;
  return listen({
    ...options,
    keepsSocket: true,
    ticketKeys: others.ticketKeys,
    memory: new PortMemory(threads),
    connectionsMax: Math.ceil((options.connectionsMax ?? connectionsMax()) / threads),
  });
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const end = (): void => {
      reject(signal.reason as Error);
    };
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });
}

/** Waits for the cache, then creates the objects of every cluster. Waits for a majority, since other servers may be starting. */
async function becomeReady({
  options,
  log,
  api,
  progress,
  others,
  stopping,
}: Pick<FrontOptions, 'options' | 'log' | 'api' | 'progress'> &
  Pick<Prepared, 'others'> & { readonly stopping: AbortSignal }): Promise<void> {
  const timeoutMs = options['storage-initialization-timeout'];
  const timer = setTimeout(() => {
    progress.storageAwaited = true;
    log.warn('storage is not ready yet; a majority of members must be up', { waitedMs: timeoutMs });
  }, timeoutMs);
  timer.unref();
  await api.storage.ready();
  const { lockedKey } = api.storage;
  if (lockedKey !== null) {
    // A process that ended would be restarted again and again.
    log.error('what is stored is encrypted, so the server stays up and is not ready; is --encryption-provider-config missing?', {
      key: lockedKey,
    });
    await aborted(stopping);
  }
  progress.synced = true;
  progress.storageAwaited = true;
  await api.bootstrap(stopping);
  await others?.synced();
  clearTimeout(timer);
  // Creations end without an error when the server stops.
  stopping.throwIfAborted();
  progress.bootstrapped = true;
  log.info('ready');
}
