import { Counter, type Registry } from 'prom-client';
import type { Logger } from '../../program/log/logger.js';
import type { ApiServerOptions } from '../options/flags.js';
import type { Dial } from '../webhook/dialed.js';
import type { CertificateCounts } from '../webhook/peerCertificates.js';
import { webhookClient, type ClientWays } from '../webhook/client.js';
import { createAuditor, type AuditMetrics, type OpenAuditor } from '../audit/auditor.js';
import { BatchSink } from '../audit/batchSink.js';
import { BlockingSink } from '../audit/blockingSink.js';
import type { ReportLoss, Sink, Writer } from '../audit/contract.js';
import { readPolicyFile } from '../audit/policyFile.js';
import { extentBy } from '../audit/rules.js';
import { truncating } from '../audit/truncate.js';
import { fileWriter, formats, streamWriter, webhookWriter } from '../audit/writers.js';

export interface AuditingOptions {
  readonly options: ApiServerOptions;
  readonly registry: Registry;
  readonly certificates: CertificateCounts;
  readonly log: Logger;
  readonly dial?: Dial | null;
  /** Replaces the backends: the sink of this process. */
  readonly elsewhere?: Sink;
}

const megabyte = 1024 * 1024;
const defaultMegabytes = 100;

/** Returns the configured auditor, or null. Rejects for an unusable file or service. */
export async function createAuditing({
  options,
  registry,
  certificates,
  log,
  dial = null,
  elsewhere,
}: AuditingOptions): Promise<OpenAuditor | null> {
  const { 'audit-policy-file': policyFile, 'audit-log-path': logPath, 'audit-webhook-config-file': webhookFile } = options;
  const policy =
    policyFile === null
      ? null
      : readPolicyFile(policyFile, (members) => {
          log.warn('the audit policy has members that have no effect', { file: policyFile, members });
        });
  const counts = auditMetrics(registry);
  if (logPath === null && webhookFile === null) return null;
  if (policy === null) {
    log.warn('no audit event is written, because there is no policy; give --audit-policy-file');
    return null;
  }
  if (elsewhere !== undefined) return createAuditor({ extentOf: extentBy(policy), sinks: [elsewhere], metrics: counts });
  const loss = lossReporter(counts, log);
  const sinks: Sink[] = [];
  if (logPath !== null) sinks.push(sinkFor('log', await logWriter(logPath, options, log), options, loss('log')));
  if (webhookFile !== null) {
    sinks.push(sinkFor('webhook', serviceWriter(webhookFile, options, { dial, certificates }), options, loss('webhook')));
  }
  return createAuditor({ extentOf: extentBy(policy), sinks, metrics: counts });
}

export function serviceWriter(file: string, options: ApiServerOptions, ways: ClientWays = {}): Writer {
  return webhookWriter(webhookClient(file, '--audit-webhook-config-file', ways), options['audit-webhook-initial-backoff']);
}

export function logWriter(file: string, options: ApiServerOptions, log: Logger): Promise<Writer> | Writer {
  const line = formats[options['audit-log-format']]!;
  if (file === '-') return streamWriter(process.stdout, line);
  return fileWriter(file, line, {
    maxBytes: (options['audit-log-maxsize'] || defaultMegabytes) * megabyte,
    maxAgeDays: options['audit-log-maxage'],
    maxBackups: options['audit-log-maxbackup'],
    compress: options['audit-log-compress'],
    report: (error) => {
      log.warn('old audit logs could not be tidied', { error });
    },
  }).catch((cause: unknown) => {
    throw new Error(`--audit-log-path: cannot write ${file}: ${(cause as Error).message}`, { cause });
  });
}

type Backend = 'log' | 'webhook';

export function sinkFor(backend: Backend, writer: Writer, options: ApiServerOptions, lost: ReportLoss): Sink {
  const limits = {
    maxEventBytes: options[`audit-${backend}-truncate-max-event-size`],
    maxBatchBytes: options[`audit-${backend}-truncate-max-batch-size`],
  };
  const bounded = options[`audit-${backend}-truncate-enabled`] ? truncating(writer, limits, lost) : writer;
  const mode = options[`audit-${backend}-mode`];
  if (mode !== 'batch') return new BlockingSink(bounded, { strict: mode === 'blocking-strict', lost });
  const throttled = options[`audit-${backend}-batch-throttle-enable`];
  return new BatchSink(bounded, {
    bufferSize: options[`audit-${backend}-batch-buffer-size`],
    maxSize: options[`audit-${backend}-batch-max-size`],
    maxWaitMs: options[`audit-${backend}-batch-max-wait`],
    lost,
    throttle: throttled
      ? { perSecond: options[`audit-${backend}-batch-throttle-qps`], burst: options[`audit-${backend}-batch-throttle-burst`] }
      : null,
  });
}

interface Counts extends AuditMetrics {
  lost(backend: Backend, events: number): void;
}

function auditMetrics(registry: Registry): Counts {
  const events = new Counter({
    name: 'apiserver_audit_event_total',
    help: 'Audit events made and sent to the audit backends.',
    registers: [registry],
  });
  const byLevel = new Counter({
    name: 'apiserver_audit_level_total',
    help: 'Audit events by the level of their policy rule.',
    labelNames: ['level'],
    registers: [registry],
  });
  const rejected = new Counter({
    name: 'apiserver_audit_requests_rejected_total',
    help: 'Requests refused because their audit event could not be written.',
    registers: [registry],
  });
  const errors = new Counter({
    name: 'apiserver_audit_error_total',
    help: 'Audit events that were lost, by backend.',
    labelNames: ['plugin'],
    registers: [registry],
  });
  return {
    event: (level) => {
      events.inc();
      byLevel.inc({ level });
    },
    rejected: () => {
      rejected.inc();
    },
    lost: (plugin, count) => {
      errors.inc({ plugin }, count);
    },
  };
}

const reportEveryMs = 10_000;

function lossReporter(counts: Counts, log: Logger): (backend: Backend) => ReportLoss {
  return (backend) => {
    let lastAt = Number.NEGATIVE_INFINITY;
    let unreported = 0;
    return (events, error) => {
      counts.lost(backend, events);
      unreported += events;
      if (performance.now() - lastAt < reportEveryMs) return;
      log.error('audit events were lost', { backend, events: unreported, error });
      [lastAt, unreported] = [performance.now(), 0];
    };
  };
}
