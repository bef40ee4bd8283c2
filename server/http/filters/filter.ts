import type { Exchange } from '../exchange.js';

/** Throws to refuse; `answered` ends the chain. The next filter does not run after the client left or the deadline passed. */
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
