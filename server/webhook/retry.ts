import { setTimeout as delay } from 'node:timers/promises';
import { WebhookError } from './client.js';

/** How often and how patiently a call is repeated. */
export interface Retrying {
  /** Wait before the second try. */
  readonly initialMs: number;
  readonly factor: number;
  /** Share by which each wait may be longer than planned, so that servers do not ask in step. */
  readonly jitter: number;
  /** Tries in all. */
  readonly tries: number;
}

/** What the reference does for all services that it asks. */
export const usualRetrying = (initialMs: number): Retrying => ({ initialMs, factor: 1.5, jitter: 0.2, tries: 5 });

/** Repeats `call` while it fails in a way that may pass. Rejects with the last error, or as soon as `signal` aborts. */
export async function retry<T>(call: () => Promise<T>, { initialMs, factor, jitter, tries }: Retrying, signal?: AbortSignal): Promise<T> {
  let waitMs = initialMs;
  for (let tried = 1; ; tried++) {
    try {
      return await call();
    } catch (error) {
      if (tried >= tries || signal?.aborted === true || !(error instanceof WebhookError) || !error.passing) throw error;
      await delay(Math.max(waitMs * (1 + Math.random() * jitter), error.retryAfterMs ?? 0), undefined, { signal });
      waitMs *= factor;
    }
  }
}
