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
  /** Which failures are worth another try; those that may pass unless given. */
  readonly again?: (error: WebhookError) => boolean;
}

/** What the reference does for all services that it asks. */
export const usualRetrying = (initialMs: number): Retrying => ({ initialMs, factor: 1.5, jitter: 0.2, tries: 5 });

/** While a client waits for a decision: a service that is not there is not asked again, one that has a passing trouble is. */
export const reviewRetrying = (initialMs: number): Retrying => ({
  ...usualRetrying(initialMs),
  again: ({ code, cause }) =>
    code === 0 ? (cause as NodeJS.ErrnoException | undefined)?.code === 'ECONNRESET' : code === 429 || code === 500 || code === 504,
});

/** Repeats `call` while it fails in a way that may pass. Rejects with the last error, or as soon as `signal` aborts. */
export async function retry<T>(
  call: () => Promise<T>,
  { initialMs, factor, jitter, tries, again = ({ passing }) => passing }: Retrying,
  signal?: AbortSignal,
): Promise<T> {
  let waitMs = initialMs;
  for (let tried = 1; ; tried++) {
    try {
      return await call();
    } catch (error) {
      if (tried >= tries || signal?.aborted === true || !(error instanceof WebhookError) || !again(error)) throw error;
      await delay(Math.max(waitMs * (1 + Math.random() * jitter), error.retryAfterMs ?? 0), undefined, { signal });
      waitMs *= factor;
    }
  }
}
