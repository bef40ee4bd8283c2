import { setTimeout as delay } from 'node:timers/promises';
import { WebhookError } from './client.js';

export interface Retrying {
  readonly initialMs: number;
  readonly factor: number;
  /** Random extension of each delay as a fraction, so that servers do not retry in step. */
  readonly jitter: number;
  readonly tries: number;
  /** Retriable errors; default: temporary ones. */
  readonly again?: (error: WebhookError) => boolean;
}

/** The reference's parameters for all services. */
export const usualRetrying = (initialMs: number): Retrying => ({ initialMs, factor: 1.5, jitter: 0.2, tries: 5 });

/** A client waits, so only temporary errors are retried, not unreachable services. */
export const reviewRetrying = (initialMs: number): Retrying => ({
  ...usualRetrying(initialMs),
  again: ({ code, cause }) =>
    code === 0 ? (cause as NodeJS.ErrnoException | undefined)?.code === 'ECONNRESET' : code === 429 || code === 500 || code === 504,
});

/** Repeats `call` after temporary errors. Rejects with the last one, or when `signal` aborts. */
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
