import { setTimeout as delay } from 'node:timers/promises';
import type { Chain } from './chain.js';
import type { Exchange } from './exchange.js';
import type { DrainedListener } from '../../program/port/listener.js';
import type { Logger } from '../../program/log/logger.js';

export interface ShutdownOptions {
  /** `/readyz` fails while all is still served, so that balancers can react. */
  readonly delayMs: number;
  readonly sendRetryAfter: boolean;
  /** Ends watches one by one, so that clients do not all reconnect at once. */
  readonly watchGraceMs: number;
  /** The time for other requests to end. */
  readonly requestsMs: number;
  readonly log: Logger;
}

/** The time for a new connection to ask for something. */
const firstRequestMs = 1_000;
/** Within this time, busy clients learn that their connection will close. */
const lingerMs = 200;
const pollMs = 10;

/** Order: delay, refusal of new requests, end of watches, end of others, connections. */
export async function drainAndClose(
  listener: DrainedListener,
  chain: Chain,
  { delayMs, sendRetryAfter, watchGraceMs, requestsMs, log }: ShutdownOptions,
): Promise<void> {
  if (delayMs > 0) {
    listener.announceEnd();
    await delay(delayMs);
  }
  if (sendRetryAfter) chain.drain('retryAfter');
  else listener.drain(lingerMs);
  const watches = (): readonly Exchange[] => [...chain.active].filter(({ longRunning }) => longRunning);
  const requests = (): number => chain.active.size - watches().length;
  await Promise.all([delay(sendRetryAfter ? 0 : lingerMs), endWatches(watches, watchGraceMs)]);
  // Watches still arrive on connections without notice.
  const withoutWatches = (left: () => number) => (): boolean => {
    for (const late of watches()) end(late);
    return left() === 0;
  };
  await until(
    withoutWatches(() => requests() + listener.unusedConnections),
    firstRequestMs,
  );
  await until(withoutWatches(requests), requestsMs);
  listener.drain();
  await until(
    withoutWatches(() => chain.active.size + listener.connections),
    closingMs,
  );
  if (chain.active.size > 0) log.warn('cutting off requests that did not end', { requests: requests(), watches: watches().length });
  await listener.close();
}

/** Ends them evenly over `graceMs`. */
async function endWatches(watches: () => readonly Exchange[], graceMs: number): Promise<void> {
  const begun = performance.now();
  const all = watches();
  for (let ended = 0; ended < all.length && all.some(({ closed }) => !closed);) {
    const passed = graceMs > 0 ? Math.min(1, (performance.now() - begun) / graceMs) : 1;
    for (; ended < Math.floor(all.length * passed); ended++) end(all[ended]!);
    if (ended < all.length) await delay(pollMs);
  }
}

function end(exchange: Exchange): void {
  exchange.abort(new Error('the server is stopping'));
}

/** Ended watches send their last bytes, and clients leave. */
const closingMs = 1_000;

/** Counts its polls instead of the clock, so that a process without a processor does not lose its time. */
async function until(condition: () => boolean, timeoutMs: number): Promise<void> {
  for (let waitedMs = 0; !condition() && waitedMs < timeoutMs; waitedMs += pollMs) await delay(pollMs);
}
