import { parentPort, workerData } from 'node:worker_threads';
import { closeAccessFiles, readAccessFiles, type AccessFiles } from '../assembly/accessFiles.js';
import { assembleApi } from '../assembly/api.js';
import { readGiven, type Given } from '../assembly/given.js';
import { createAuditing } from '../assembly/auditing.js';
import type { OpenAuditor } from '../audit/auditor.js';
import type { Sink } from '../audit/contract.js';
import { SharedSeats } from '../fairness/seatPool.js';
import { LiveFiles } from '../../program/files/liveFile.js';
import { drain, fairnessOf, frontOf, type ThreadShare } from '../assembly/front.js';
import { connectionsMax, PortMemory } from '../../program/port/connections/index.js';
import { listen, type Listener, type ListenerOptions } from '../../program/port/listener.js';
import { createLogger, type Logger } from '../../program/log/logger.js';
import { createMetrics, type Metrics } from '../http/metrics.js';
import { DebugPages } from '../../program/profiles/pages.js';
import { loggerOptions } from '../../program/log/options.js';
import { metricChoice } from '../../program/metrics/options.js';
import type { ApiServerOptions } from '../options/flags.js';
import { widenBufferPool } from '../process/bufferPool.js';
import { machineClock } from '../presence/machineClock.js';
import { joinEmbedded } from '../store/embedded.js';
import type { ThreadStart, ToFirst, ToThread } from './contract.js';
import { Line } from './line.js';
import { SharedProgress } from './progress.js';
import { SharedForms } from './sharedForms.js';
import { exported, resetExported, exposeConnections, exposeForms, exposeHandshakes, inflightIn } from './servingThreads.js';

type FirstThread = Line<ToFirst, ToThread>;

/** Tasks from the first thread. Each has no effect until this thread has started that far. */
interface Duties {
  drain: () => Promise<void>;
  stop: () => Promise<void>;
  release: () => void;
}

/**
 * The entry of an additional serving thread: accepts connections from the shared socket and handles their requests. The first thread does the process's other
 * work.
 */
async function serve(start: ThreadStart): Promise<void> {
  const { options, thread, shared } = start;
  widenBufferPool();
  const metrics = createMetrics(metricChoice(options), false);
  const duties: Duties = { drain: () => Promise.resolve(), stop: () => Promise.resolve(), release: () => undefined };
  const line = firstThread(metrics, duties);
  const base = prepare(start, line, metrics);
  const { log, given } = base;
  const files = await readAccessFiles({ options, live: base.live, metrics, dial: given.egress('controlplane'), log: log.named('access') });
  const auditor = await auditing(options, metrics, line, log);
  const progress = new SharedProgress(shared.progress);
  const { api, chain, store, forms, endFairness } = stack(start, { ...base, files, auditor, line, metrics, progress });
  const listener = await listenOnShared(start, { ...given.serving, handle: chain.handle });
  duties.release = listener.release;
  exposeConnections(metrics, thread, () => listener.connections);
  exposeHandshakes(metrics, listener);
  exposeForms(metrics, thread, forms);
  await line.ask('listens', null);
  duties.drain = async () => {
    base.live.stop();
    await drain(options, listener, chain, log);
    endFairness();
  };
  duties.stop = async () => {
    await api.close();
    await store.stop();
    forms.close();
    await given.tracing?.exporter.stop();
    base.debug.stop();
    closeAccessFiles(files);
  };
  await api.storage.ready();
  await api.synced;
  progress.synced = true;
  await line.ask('synced', null);
}

const listenOnShared = (
  { threads, socket, ticketKeys }: ThreadStart,
  serving: Given['serving'] & Pick<ListenerOptions, 'handle'>,
): Promise<Listener> =>
  listen({
    ...serving,
    socket,
    keepsSocket: true,
    ticketKeys: Buffer.from(ticketKeys),
    memory: new PortMemory(threads),
    connectionsMax: Math.ceil(connectionsMax() / threads),
  });

const auditing = (options: ApiServerOptions, metrics: Metrics, line: FirstThread, log: Logger): Promise<OpenAuditor | null> =>
  createAuditing({
    options,
    registry: metrics.registry,
    certificates: metrics.peerCertificates.webhooks,
    log: log.named('audit'),
    elsewhere: auditedBy(line),
  });

function firstThread(metrics: Metrics, duties: Duties): FirstThread {
  if (parentPort === null) throw new Error('server/threads/servingThread.ts runs as a worker thread only');
  return new Line<ToFirst, ToThread>(parentPort, {
    counts: (of) => exported(metrics, of),
    resetMetrics: (of) => {
      resetExported(metrics, of);
      return null;
    },
    drain: async () => {
      await duties.drain();
      return null;
    },
    stop: async () => {
      await duties.stop();
      return null;
    },
    release: () => {
      duties.release();
      return null;
    },
  });
}

/** Reads the named files. The first thread writes the log. */
function prepare({ options, loopback }: ThreadStart, line: FirstThread, metrics: Metrics) {
  const { output: _, ...logging } = loggerOptions(options, { errors: process.stderr, others: process.stdout });
  const log = createLogger({
    ...logging,
    output: {
      write: (level, text) => {
        void line.ask('log', { level, line: text }).catch(() => undefined);
      },
      flush: () => undefined,
    },
  });
  const live = new LiveFiles();
  const debug = new DebugPages({
    verbosity: logging.verbosity,
    contention: options.profiling && options['contention-profiling'],
    now: machineClock.now,
  });
  return { log, live, debug, given: readGiven(options, { live, log, metrics, loopback }) };
}

interface StackParts extends ReturnType<typeof prepare> {
  readonly files: AccessFiles;
  readonly auditor: OpenAuditor | null;
  readonly line: FirstThread;
  readonly metrics: Metrics;
  readonly progress: SharedProgress;
}

/** Assembles API and filters, over the store and forms shared by all threads. */
function stack({ options, thread, threads, replica, shared, peers }: ThreadStart, parts: StackParts) {
  const { log, metrics, line, given } = parts;
  const store = joinEmbedded(replica);
  const forms = new SharedForms({ table: shared.forms, thread, threads, peers });
  const api = assembleApi({ ...given, ...parts, options, store, commonForms: forms, countEvents: (keys) => line.ask('countEvent', keys) });
  const seats = new SharedSeats(shared.seats, thread, threads);
  const fairness = options['enable-priority-and-fairness'] ? fairnessOf({ options, log, api, store, metrics, seats }) : null;
  const share: ThreadShare = {
    isFirst: false,
    seats,
    inflight: inflightIn(shared.inflight),
    exposition: (of) => line.ask('exposition', of),
    resetMetrics: async (of) => {
      await line.ask('resetMetrics', of);
    },
  };
  const chain = frontOf({
    ...parts,
    options,
    store,
    api,
    encryption: given.encryption,
    debug: options.profiling ? parts.debug : null,
    tracer: given.tracing?.tracer ?? null,
    fairness: fairness?.fairness ?? null,
    threads: share,
  });
  const endFairness = (): void => {
    fairness?.objects.stop();
    fairness?.fairness.stop();
  };
  return { api, chain, store, forms, endFairness };
}

const auditedBy = (line: Line<ToFirst, ToThread>): Sink => ({
  strict: true,
  process: (event) => line.ask('audit', event).catch(() => false),
  settle: () => line.ask('settleAudit', null).catch(() => false),
  close: () => Promise.resolve(),
});

await serve(workerData as ThreadStart);
