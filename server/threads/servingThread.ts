import { parentPort, workerData } from 'node:worker_threads';
import { closeAccessFiles, readAccessFiles } from '../assembly/accessFiles.js';
import { assembleApi } from '../assembly/api.js';
import { readGiven } from '../assembly/given.js';
import { createAuditing } from '../audit/backends.js';
import type { Sink } from '../audit/contract.js';
import { SharedSeats } from '../fairness/seatPool.js';
import { LiveFiles } from '../../program/files/liveFile.js';
import { drain, fairnessOf, frontOf, type ThreadShare } from '../assembly/front.js';
import { bodyBudget, connectionsMax, unsentBytes } from '../../program/port/connections/index.js';
import { listen } from '../../program/port/listener.js';
import { createLogger } from '../../program/log/logger.js';
import { createMetrics } from '../http/metrics.js';
import { DebugPages } from '../../program/profiles/pages.js';
import type { Exported, Exposition } from '../../program/metrics/sums.js';
import { loggerOptions } from '../../program/log/options.js';
import { metricChoice } from '../../program/metrics/options.js';
import { widenBufferPool } from '../process/bufferPool.js';
import { machineClock } from '../presence/machineClock.js';
import { joinEmbedded } from '../store/embedded.js';
import type { ThreadStart, ToFirst, ToThread } from './contract.js';
import { Line } from './line.js';
import { SharedProgress } from './progress.js';
import { SharedForms } from './sharedForms.js';
import { exported, exposeConnections, exposeForms, exposeHandshakes, inflightIn } from './servingThreads.js';

/**
 * The entry of an additional serving thread: it accepts connections from the shared socket and handles their requests like the first. The first thread does the
 * process's other work (bootstrap, compaction, presence, statuses of definitions and policies, audit log).
 */
async function serve({ options, thread, threads, socket, ticketKeys, replica: ticket, shared, peers }: ThreadStart): Promise<void> {
  if (parentPort === null) throw new Error('server/threads/servingThread.ts runs as a worker thread only');
  widenBufferPool();
  let end = (): Promise<void> => Promise.resolve();
  let finish = (): Promise<void> => Promise.resolve();
  let release = (): void => undefined;
  const line = new Line<ToFirst, ToThread>(parentPort, {
    counts: (of) => counts(of),
    drain: async () => {
      await end();
      return null;
    },
    stop: async () => {
      await finish();
      return null;
    },
    release: () => {
      release();
      return null;
    },
  });
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
  const metrics = createMetrics(metricChoice(options), { ofProcess: false });
  const given = readGiven(options, { live, log, metrics });
  const { serving, encryption, egress, tracing } = given;
  const counts = (of: Exposition): Promise<readonly Exported[]> => exported(metrics, of);
  const debug = new DebugPages({
    verbosity: logging.verbosity,
    contention: options.profiling && options['contention-profiling'],
    now: machineClock.now,
  });
  const files = await readAccessFiles({ options, live, metrics, dial: egress('controlplane'), log: log.named('access') });
  const auditor = await createAuditing({
    options,
    registry: metrics.registry,
    certificates: metrics.peerCertificates.webhooks,
    log: log.named('audit'),
    elsewhere: auditedBy(line),
  });
  bodyBudget.shareAmong(threads);
  unsentBytes.shareAmong(threads);

  const store = joinEmbedded(ticket);
  const forms = new SharedForms({ table: shared.forms, thread, threads, peers });
  const api = assembleApi({
    ...given,
    options,
    files,
    live,
    store,
    commonForms: forms,
    countEvents: (keys) => line.ask('countEvent', keys),
    metrics,
    log,
  });
  const seats = new SharedSeats(shared.seats, thread, { threads });
  const share: ThreadShare = {
    isFirst: false,
    seats,
    inflight: inflightIn(shared.inflight),
    exposition: (of) => line.ask('exposition', of),
  };
  const fairness = options['enable-priority-and-fairness'] ? fairnessOf({ options, log, api, store, metrics, seats }) : null;
  const progress = new SharedProgress(shared.progress);
  const chain = frontOf({
    options,
    log,
    store,
    encryption,
    metrics,
    auditor,
    api,
    progress,
    debug: options.profiling ? debug : null,
    tracer: tracing?.tracer ?? null,
    fairness: fairness?.fairness ?? null,
    threads: share,
  });
  const listener = await listen({
    ...serving,
    socket,
    keepsSocket: true,
    ticketKeys: Buffer.from(ticketKeys),
    connectionsMax: Math.ceil(connectionsMax() / threads),
    handle: chain.handle,
  });
  release = listener.release;
  exposeConnections(metrics, thread, () => listener.connections);
  exposeHandshakes(metrics, listener);
  exposeForms(metrics, thread, forms);
  await line.ask('listens', null);
  end = async () => {
    live.stop();
    await drain(options, listener, chain, log);
    fairness?.objects.stop();
    fairness?.fairness.stop();
  };
  finish = async () => {
    await api.close();
    await store.stop();
    forms.close();
    await tracing?.exporter.stop();
    debug.stop();
    closeAccessFiles(files);
  };
  await api.storage.ready();
  await api.synced;
  progress.synced = true;
  await line.ask('synced', null);
}

const auditedBy = (line: Line<ToFirst, ToThread>): Sink => ({
  strict: true,
  process: (event) => line.ask('audit', event).catch(() => false),
  settle: () => line.ask('settleAudit', null).catch(() => false),
  close: () => Promise.resolve(),
});

await serve(workerData as ThreadStart);
