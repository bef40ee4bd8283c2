import { setTimeout as delay } from 'node:timers/promises';
import type { Chain } from './http/chain.js';
import type { Listener } from './http/listener.js';
import type { Logger } from './observability/logger.js';

export interface ShutdownOptions {
  /** Time in which everything is still served while `/readyz` fails already, so that balancers can look elsewhere. */
  readonly delayMs: number;
  /** Answer new requests with 429 on connections that stay open, instead of closing them at once. */
  readonly sendRetryAfter: boolean;
  /** How long watches may go on once nothing new is taken. */
  readonly watchGraceMs: number;
  /** How long the other requests may take to end. */
  readonly requestsMs: number;
  readonly log: Logger;
}

/** How often the end of requests is looked for. */
const pollMs = 10;

/** Stops serving without losing an answer: delay, no new requests, watches end, the rest is waited for, connections close. */
export async function drainAndClose(listener: Listener, chain: Chain, { delayMs, sendRetryAfter, watchGraceMs, requestsMs, log }: ShutdownOptions): Promise<void> {
  if (delayMs > 0) await delay(delayMs);
  if (sendRetryAfter) chain.drain('retryAfter');
  else listener.drain();
  const watches = (): number => [...chain.active].filter(({ longRunning }) => longRunning).length;
  const requests = (): number => chain.active.size - watches();
  await Promise.all([
    until(() => requests() === 0, requestsMs),
    until(() => watches() === 0, watchGraceMs).then(() => {
      for (const exchange of chain.active) if (exchange.longRunning) exchange.abort(new Error('the server is stopping'));
    }),
  ]);
  listener.drain();
  await until(() => chain.active.size === 0, closingMs);
  if (chain.active.size > 0) log.warn('cutting off requests that did not end', { requests: requests(), watches: watches() });
  await listener.close();
}

/** Time for ended watches to send their last bytes. */
const closingMs = 1_000;

async function until(condition: () => boolean, timeoutMs: number): Promise<void> {
  const end = performance.now() + timeoutMs;
  while (!condition() && performance.now() < end) await delay(pollMs);
}
