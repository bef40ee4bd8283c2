import { inGroup, type FlagFacts } from '../../program/flags/flag.js';

const modes = ['batch', 'blocking', 'blocking-strict'];

interface Gathering {
  /** The verb for a written entry. */
  readonly done: string;
  readonly batchEntries: number;
  readonly waitMs: number;
  readonly throttled: boolean;
  readonly perSecond: number;
  readonly burst: number;
}

/** Options for batches and sizes, the same for log and webhook. */
const gathering = <const B extends 'log' | 'webhook'>(backend: B, { done, batchEntries, waitMs, throttled, perSecond, burst }: Gathering) =>
  prefixed(`audit-${backend}`, {
    'batch-buffer-size': { kind: 'int', default: 10_000, min: 1, help: `Entries that may wait to be ${done} (mode batch).` },
    'batch-max-size': { kind: 'int', default: batchEntries, min: 1, help: 'Entries in one batch.' },
    'batch-max-wait': { kind: 'duration', default: waitMs, help: 'Longest wait for a batch to fill.' },
    'batch-throttle-enable': { kind: 'bool', default: throttled, help: 'Limit batches per second.' },
    'batch-throttle-qps': { kind: 'float', default: perSecond, min: 0, help: 'Batches per second on average.' },
    'batch-throttle-burst': { kind: 'int', default: burst, min: 0, help: 'Batches at once after a quiet time.' },
    'truncate-enabled': { kind: 'bool', default: false, help: 'Cut entries and batches that are too large.' },
    'truncate-max-batch-size': { kind: 'int', default: 10_485_760, min: 1, help: 'Bytes after which a batch is split.' },
    'truncate-max-event-size': {
      kind: 'int',
      default: 102_400,
      min: 1,
      help: 'Bytes after which an entry loses its bodies, and is dropped if that does not suffice.',
    },
  });

function prefixed<const P extends string, const T extends Readonly<Record<string, FlagFacts>>>(
  prefix: P,
  table: T,
): { readonly [N in keyof T & string as `${P}-${N}`]: T[N] } {
  return Object.fromEntries(Object.entries(table).map(([name, facts]) => [`${prefix}-${name}`, facts])) as {
    [N in keyof T & string as `${P}-${N}`]: T[N];
  };
}

export const auditFlags = inGroup('Audit', {
  'audit-policy-file': {
    kind: 'string',
    default: null,
    value: 'file',
    help: 'File of kind Policy: what is written to the audit log. Nothing without it.',
  },
  'audit-log-path': { kind: 'string', default: null, value: 'file', notRead: true, help: 'Log file; "-" is standard output.' },
  'audit-log-format': { kind: 'string', default: 'json', oneOf: ['json', 'legacy'], help: 'Form of its lines.' },
  'audit-log-mode': { kind: 'string', default: 'blocking', oneOf: modes, help: 'Whether requests wait for their entry.' },
  'audit-log-version': { kind: 'string', default: 'audit.k8s.io/v1', oneOf: ['audit.k8s.io/v1'], help: 'API version of the entries.' },
  'audit-log-compress': { kind: 'bool', default: false, help: 'Compress old files with gzip.' },
  'audit-log-maxage': { kind: 'int', default: 0, min: 0, help: 'Days for which old files are kept; 0 for ever.' },
  'audit-log-maxbackup': { kind: 'int', default: 0, min: 0, help: 'Old files kept; 0 for all.' },
  'audit-log-maxsize': { kind: 'int', default: 0, min: 0, help: 'Megabytes after which a new file is begun.' },
  ...gathering('log', { done: 'written', batchEntries: 1, waitMs: 0, throttled: false, perSecond: 0, burst: 0 }),
  'audit-webhook-config-file': {
    kind: 'string',
    default: null,
    value: 'file',
    help: 'Client configuration of a service that receives the entries.',
  },
  'audit-webhook-mode': { kind: 'string', default: 'batch', oneOf: modes, help: 'Whether requests wait for their entry.' },
  'audit-webhook-version': { kind: 'string', default: 'audit.k8s.io/v1', oneOf: ['audit.k8s.io/v1'], help: 'API version of the entries.' },
  'audit-webhook-initial-backoff': { kind: 'duration', default: 10_000, help: 'Wait before the first retry.' },
  ...gathering('webhook', { done: 'sent', batchEntries: 400, waitMs: 30_000, throttled: true, perSecond: 10, burst: 15 }),
});
