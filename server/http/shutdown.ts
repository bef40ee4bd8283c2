import { setTimeout as delay } from 'node:timers/promises';
import type { Chain } from './chain.js';
import type { Exchange } from './exchange.js';
import type { Listener } from '../../program/port/listener.js';
import type { Logger } from '../../program/log/logger.js';

export interface ShutdownOptions {
  /** Time in which everything is still served while `/readyz` fails already, so that balancers can look elsewhere. */
  readonly delayMs: number;
  /** Answer new requests with 429 on connections that stay open, instead of closing them at once. */
  readonly sendRetryAfter: boolean;
  /** Once nothing new is taken, watches are ended one after the other over this time, so that their clients do not all come to another server at once. */
  readonly watchGraceMs: number;
  /** How long the other requests may take to end. */
  readonly requestsMs: number;
  readonly log: Logger;
}

/** Clients that are busy hear within this time, with an answer, that their connection will close; of an idle one nobody hears in time. */
const lingerMs = 200;
/** How often the end of requests is looked for. */
const pollMs = 10;

/** Stops serving without losing an answer: delay, no new requests, watches end, the rest is waited for, connections close. */
export async function drainAndClose(
  listener: Pick<Listener, 'drain' | 'close'>,
  chain: Chain,
  { delayMs, sendRetryAfter, watchGraceMs, requestsMs, log }: ShutdownOptions,
): Promise<void> {
  if (delayMs > 0) await delay(delayMs);
  if (sendRetryAfter) chain.drain('retryAfter');
  else listener.drain(lingerMs);
  const watches = (): readonly Exchange[] => [...chain.active].filter(({ longRunning }) => longRunning);
  const requests = (): number => chain.active.size - watches().length;
  await Promise.all([delay(sendRetryAfter ? 0 : lingerMs), until(() => requests() === 0, requestsMs), endWatches(watches, watchGraceMs)]);
  await until(() => requests() === 0, requestsMs);
  listener.drain();
  await until(() => chain.active.size === 0, closingMs);
  if (chain.active.size > 0) log.warn('cutting off requests that did not end', { requests: requests(), watches: watches().length });
  await listener.close();
}

/** Ends them evenly over `graceMs`, or all at once without it; not longer than there are any. */
async function endWatches(watches: () => readonly Exchange[], graceMs: number): Promise<void> {
  const end = (exchange: Exchange): void => {
    exchange.abort(new Error('the server is stopping'));
  };
  const begun = performance.now();
  const all = watches();
  for (let ended = 0; ended < all.length && all.some(({ closed }) => !closed);) {
    const passed = graceMs > 0 ? Math.min(1, (performance.now() - begun) / graceMs) : 1;
    for (; ended < Math.floor(all.length * passed); ended++) end(all[ended]!);
    if (ended < all.length) await delay(pollMs);
  }
  // Those that came over connections whose clients had not heard yet that they are to leave.
  for (const late of watches()) end(late);
}

/** Time for ended watches to send their last bytes. */
const closingMs = 1_000;

async function until(condition: () => boolean, timeoutMs: number): Promise<void> {
  const end = performance.now() + timeoutMs;
  while (!condition() && performance.now() < end) await delay(pollMs);
}
