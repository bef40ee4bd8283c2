import { inGroup } from '../catalogue/flags/flag.js';

const modes = ['batch', 'blocking', 'blocking-strict'];

/** The audit log. Nothing of it is written yet. */
export const auditFlags = inGroup('Audit', {
  'audit-policy-file': { kind: 'string', default: null, effect: 'none', value: 'file', help: 'What is written to the audit log.' },
  'audit-log-path': { kind: 'string', default: null, effect: 'none', value: 'file', help: 'Log file; "-" is standard output.' },
  'audit-log-format': { kind: 'string', default: 'json', oneOf: ['json', 'legacy'], effect: 'none', help: 'Form of its lines.' },
  'audit-log-mode': { kind: 'string', default: 'blocking', oneOf: modes, effect: 'none', help: 'Whether requests wait for their entry.' },
  'audit-log-version': { kind: 'string', default: 'audit.k8s.io/v1', oneOf: ['audit.k8s.io/v1'], effect: 'none', help: 'API version of the entries.' },
  'audit-log-compress': { kind: 'bool', default: false, effect: 'none', help: 'Compress old files with gzip.' },
  'audit-log-maxage': { kind: 'int', default: 0, min: 0, effect: 'none', help: 'Days for which old files are kept; 0 for ever.' },
  'audit-log-maxbackup': { kind: 'int', default: 0, min: 0, effect: 'none', help: 'Old files kept; 0 for all.' },
  'audit-log-maxsize': { kind: 'int', default: 0, min: 0, effect: 'none', help: 'Megabytes after which a new file is begun.' },
  'audit-log-batch-buffer-size': { kind: 'int', default: 10_000, min: 1, effect: 'none', help: 'Entries that may wait to be written (mode batch).' },
  'audit-log-batch-max-size': { kind: 'int', default: 1, min: 1, effect: 'none', help: 'Entries in one batch.' },
  'audit-log-batch-max-wait': { kind: 'duration', default: 0, effect: 'none', help: 'Longest wait for a batch to fill.' },
  'audit-log-batch-throttle-enable': { kind: 'bool', default: false, effect: 'none', help: 'Limit batches per second.' },
  'audit-log-batch-throttle-qps': { kind: 'float', default: 0, min: 0, effect: 'none', help: 'Batches per second on average.' },
  'audit-log-batch-throttle-burst': { kind: 'int', default: 0, min: 0, effect: 'none', help: 'Batches at once after a quiet time.' },
  'audit-log-truncate-enabled': { kind: 'bool', default: false, effect: 'none', help: 'Cut entries and batches that are too large.' },
  'audit-log-truncate-max-batch-size': { kind: 'int', default: 10_485_760, min: 1, effect: 'none', help: 'Bytes after which a batch is split.' },
  'audit-log-truncate-max-event-size': { kind: 'int', default: 102_400, min: 1, effect: 'none', help: 'Bytes after which an entry loses its bodies, and is dropped if that does not suffice.' },
  'audit-webhook-config-file': { kind: 'string', default: null, effect: 'none', value: 'file', help: 'Client configuration of a service that receives the entries.' },
  'audit-webhook-mode': { kind: 'string', default: 'batch', oneOf: modes, effect: 'none', help: 'Whether requests wait for their entry.' },
  'audit-webhook-version': { kind: 'string', default: 'audit.k8s.io/v1', oneOf: ['audit.k8s.io/v1'], effect: 'none', help: 'API version of the entries.' },
  'audit-webhook-batch-buffer-size': { kind: 'int', default: 10_000, min: 1, effect: 'none', help: 'Entries that may wait to be sent.' },
  'audit-webhook-batch-max-size': { kind: 'int', default: 400, min: 1, effect: 'none', help: 'Entries in one batch.' },
  'audit-webhook-batch-max-wait': { kind: 'duration', default: 30_000, effect: 'none', help: 'Longest wait for a batch to fill.' },
  'audit-webhook-batch-throttle-enable': { kind: 'bool', default: true, effect: 'none', help: 'Limit batches per second.' },
  'audit-webhook-batch-throttle-qps': { kind: 'float', default: 10, min: 0, effect: 'none', help: 'Batches per second on average.' },
  'audit-webhook-batch-throttle-burst': { kind: 'int', default: 15, min: 0, effect: 'none', help: 'Batches at once after a quiet time.' },
  'audit-webhook-initial-backoff': { kind: 'duration', default: 10_000, effect: 'none', help: 'Wait before the first retry.' },
  'audit-webhook-truncate-enabled': { kind: 'bool', default: false, effect: 'none', help: 'Cut entries and batches that are too large.' },
  'audit-webhook-truncate-max-batch-size': { kind: 'int', default: 10_485_760, min: 1, effect: 'none', help: 'Bytes after which a batch is split.' },
  'audit-webhook-truncate-max-event-size': { kind: 'int', default: 102_400, min: 1, effect: 'none', help: 'Bytes after which an entry is cut.' },
});
