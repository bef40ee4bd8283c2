import { inGroup } from '../catalogue/flags/flag.js';

const modes = ['batch', 'blocking', 'blocking-strict'];

/** The audit log. */
export const auditFlags = inGroup('Audit', {
  'audit-policy-file': { kind: 'string', default: null, value: 'file', help: 'File of kind Policy: what is written to the audit log. Nothing without it.' },
  'audit-log-path': { kind: 'string', default: null, value: 'file', help: 'Log file; "-" is standard output.' },
  'audit-log-format': { kind: 'string', default: 'json', oneOf: ['json', 'legacy'], help: 'Form of its lines.' },
  'audit-log-mode': { kind: 'string', default: 'blocking', oneOf: modes, help: 'Whether requests wait for their entry.' },
  'audit-log-version': { kind: 'string', default: 'audit.k8s.io/v1', oneOf: ['audit.k8s.io/v1'], help: 'API version of the entries.' },
  'audit-log-compress': { kind: 'bool', default: false, help: 'Compress old files with gzip.' },
  'audit-log-maxage': { kind: 'int', default: 0, min: 0, help: 'Days for which old files are kept; 0 for ever.' },
  'audit-log-maxbackup': { kind: 'int', default: 0, min: 0, help: 'Old files kept; 0 for all.' },
  'audit-log-maxsize': { kind: 'int', default: 0, min: 0, help: 'Megabytes after which a new file is begun.' },
  'audit-log-batch-buffer-size': { kind: 'int', default: 10_000, min: 1, help: 'Entries that may wait to be written (mode batch).' },
  'audit-log-batch-max-size': { kind: 'int', default: 1, min: 1, help: 'Entries in one batch.' },
  'audit-log-batch-max-wait': { kind: 'duration', default: 0, help: 'Longest wait for a batch to fill.' },
  'audit-log-batch-throttle-enable': { kind: 'bool', default: false, help: 'Limit batches per second.' },
  'audit-log-batch-throttle-qps': { kind: 'float', default: 0, min: 0, help: 'Batches per second on average.' },
  'audit-log-batch-throttle-burst': { kind: 'int', default: 0, min: 0, help: 'Batches at once after a quiet time.' },
  'audit-log-truncate-enabled': { kind: 'bool', default: false, help: 'Cut entries and batches that are too large.' },
  'audit-log-truncate-max-batch-size': { kind: 'int', default: 10_485_760, min: 1, help: 'Bytes after which a batch is split.' },
  'audit-log-truncate-max-event-size': { kind: 'int', default: 102_400, min: 1, help: 'Bytes after which an entry loses its bodies, and is dropped if that does not suffice.' },
  'audit-webhook-config-file': { kind: 'string', default: null, value: 'file', help: 'Client configuration of a service that receives the entries.' },
  'audit-webhook-mode': { kind: 'string', default: 'batch', oneOf: modes, help: 'Whether requests wait for their entry.' },
  'audit-webhook-version': { kind: 'string', default: 'audit.k8s.io/v1', oneOf: ['audit.k8s.io/v1'], help: 'API version of the entries.' },
  'audit-webhook-batch-buffer-size': { kind: 'int', default: 10_000, min: 1, help: 'Entries that may wait to be sent.' },
  'audit-webhook-batch-max-size': { kind: 'int', default: 400, min: 1, help: 'Entries in one batch.' },
  'audit-webhook-batch-max-wait': { kind: 'duration', default: 30_000, help: 'Longest wait for a batch to fill.' },
  'audit-webhook-batch-throttle-enable': { kind: 'bool', default: true, help: 'Limit batches per second.' },
  'audit-webhook-batch-throttle-qps': { kind: 'float', default: 10, min: 0, help: 'Batches per second on average.' },
  'audit-webhook-batch-throttle-burst': { kind: 'int', default: 15, min: 0, help: 'Batches at once after a quiet time.' },
  'audit-webhook-initial-backoff': { kind: 'duration', default: 10_000, help: 'Wait before the first retry.' },
  'audit-webhook-truncate-enabled': { kind: 'bool', default: false, help: 'Cut entries and batches that are too large.' },
  'audit-webhook-truncate-max-batch-size': { kind: 'int', default: 10_485_760, min: 1, help: 'Bytes after which a batch is split.' },
  'audit-webhook-truncate-max-event-size': { kind: 'int', default: 102_400, min: 1, help: 'Bytes after which an entry is cut.' },
});
