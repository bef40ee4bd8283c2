import type { Exchange } from '../exchange.js';

/**
 * One filter. It throws to refuse the request, and returns a promise where it has to wait; `answered` ends the chain. If the client left or the deadline passed
 * meanwhile, the next filter does not run.
 */
export type Filter = (exchange: Exchange) => void | 'answered' | Promise<void>;

export async function passThrough(filters: readonly Filter[], exchange: Exchange): Promise<void> {
  for (const filter of filters) {
    const outcome = filter(exchange);
    if (outcome === 'answered') return;
    if (outcome === undefined) continue;
    await outcome;
    if (exchange.over) return;
  }
}
