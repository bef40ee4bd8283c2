import type { Exchange } from '../exchange.js';

/**
 * One step on the way of a request. It throws what refuses the request, and returns a promise where it has to wait; `answered` ends the way. Whatever was
 * waited for, the client may have left meanwhile, or the time may be over: then the next one is not begun.
 */
export type Filter = (exchange: Exchange) => void | 'answered' | Promise<void>;

/** All of them in order. */
export async function passThrough(filters: readonly Filter[], exchange: Exchange): Promise<void> {
  for (const filter of filters) {
    const outcome = filter(exchange);
    if (outcome === 'answered') return;
    if (outcome === undefined) continue;
    await outcome;
    if (exchange.over) return;
  }
}
