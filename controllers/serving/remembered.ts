import { BoundedMap } from '../../api/boundedMap.js';
import type { Clock } from '../client/clock.js';

const keptMax = 1_024;

/** Caches results for a time that depends on the result (0: not at all). Concurrent calls share one request. */
export class Remembered<V> {
  readonly #clock: Clock;
  readonly #keepMs: (answer: V) => number;
  readonly #kept = new BoundedMap<string, { readonly answer: Promise<V>; until: number }>(keptMax);

  constructor(clock: Clock, keepMs: (answer: V) => number) {
    this.#clock = clock;
    this.#keepMs = keepMs;
  }

  async of(key: string, ask: () => Promise<V>): Promise<V> {
    const known = this.#kept.get(key);
    if (known && this.#clock.elapsed() < known.until) return known.answer;
    const entry = { answer: ask(), until: Infinity };
    this.#kept.set(key, entry);
    try {
      entry.until = this.#clock.elapsed() + this.#keepMs(await entry.answer);
    } catch (error) {
      this.#kept.delete(key);
      throw error;
    }
    return entry.answer;
  }
}
