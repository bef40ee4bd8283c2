import type { HookKind } from './hook.js';

/** How a call ended, for metrics. */
export interface ObservedCall {
  readonly hook: string;
  readonly kind: HookKind;
  readonly operation: string;
  readonly seconds: number;
  /** Status code of the outcome: 200 for a request that may pass, 0 for what is no status. */
  readonly code: number;
  /** The request was refused because of it. */
  readonly rejected: 'no' | 'byWebhook' | 'byFailure' | 'byServer';
}

/** Where calls of webhooks are counted. */
export interface HookMetrics {
  called(call: ObservedCall): void;
  /** A failed call let a request pass. */
  failedOpen(hook: string, kind: HookKind): void;
  /** Conditions kept a webhook from being called. */
  excluded(hook: string, kind: HookKind, operation: string): void;
}
