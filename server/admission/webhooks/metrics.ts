import { Counter, Histogram, type Registry } from 'prom-client';
import type { HookKind } from './hook.js';

export interface ObservedCall {
  readonly hook: string;
  readonly kind: HookKind;
  readonly operation: string;
  readonly seconds: number;
  /** The outcome's status code: 200 for a passing request, 0 without a status. */
  readonly code: number;
  readonly rejected: 'no' | 'byWebhook' | 'byFailure' | 'byServer';
}

export interface HookMetrics {
  called(call: ObservedCall): void;
  failedOpen(hook: string, kind: HookKind): void;
  /** Match conditions excluded a webhook. */
  excluded(hook: string, kind: HookKind, operation: string): void;
}

/** Higher codes share a label, since webhooks can invent any. */
const codeMax = 600;
const typeOf = (kind: HookKind): string => (kind === 'mutating' ? 'admit' : 'validating');
const errorTypes = { byWebhook: 'no_error', byFailure: 'calling_webhook_error', byServer: 'apiserver_internal_error' } as const;

const prefix = 'apiserver_admission_webhook';

/** The names are the reference's. */
export function createHookMetrics(registry: Registry): HookMetrics {
  const called = callMetrics(registry);
  const failOpen = new Counter({
    name: `${prefix}_fail_open_count`,
    help: 'Failed calls of admission webhooks that let a request pass.',
    labelNames: ['name', 'type'],
    registers: [registry],
  });
  const exclusions = new Counter({
    name: 'apiserver_admission_match_condition_exclusions_total',
    help: 'Requests that match conditions kept from a webhook.',
    labelNames: ['name', 'kind', 'type', 'operation'],
    registers: [registry],
  });
  return {
    called,
    failedOpen: (name, kind) => {
      failOpen.inc({ name, type: typeOf(kind) });
    },
    excluded: (name, kind, operation) => {
      exclusions.inc({ name, kind: 'webhook', type: kind === 'mutating' ? 'admit' : 'validate', operation });
    },
  };
}

function callMetrics(registry: Registry): HookMetrics['called'] {
  const registers = [registry];
  const duration = new Histogram({
    name: `${prefix}_admission_duration_seconds`,
    help: 'Time that calls of admission webhooks took, in seconds.',
    labelNames: ['name', 'type', 'operation', 'rejected'],
    buckets: [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 25],
    registers,
  });
  const total = new Counter({
    name: `${prefix}_request_total`,
    help: 'Calls of admission webhooks, by the code of their outcome.',
    labelNames: ['name', 'type', 'operation', 'code', 'rejected'],
    registers,
  });
  const rejections = new Counter({
    name: `${prefix}_rejection_count`,
    help: 'Requests refused because of an admission webhook, by whose fault it was.',
    labelNames: ['name', 'type', 'operation', 'error_type', 'rejection_code'],
    registers,
  });
  return ({ hook: name, kind, operation, seconds, code, rejected }) => {
    const type = typeOf(kind);
    const refused = String(rejected !== 'no');
    const shownCode = Math.min(code, codeMax);
    duration.observe({ name, type, operation, rejected: refused }, seconds);
    total.inc({ name, type, operation, code: String(shownCode), rejected: refused });
    if (rejected === 'no') return;
    const rejectionCode = String(rejected === 'byServer' ? 0 : shownCode);
    rejections.inc({ name, type, operation, error_type: errorTypes[rejected], rejection_code: rejectionCode });
  };
}
