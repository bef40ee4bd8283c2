import type { Clock } from '../client/clock.js';

/** Names waiting for their turn, at a rate per second, in the order of arrival and without duplicates. */
export class Turns {
  readonly #clock: Clock;

  readonly #names = new Set<string>();
  #rate: number;
  #nextAt: number;

  constructor(clock: Clock, rate: number) {
    this.#clock = clock;

    this.#rate = rate;
    this.#nextAt = clock.elapsed();
  }

  get rate(): number {
    return this.#rate;
  }
  get size(): number {
    return this.#names.size;
  }

  /** Sets the rate from the next turn on; shortens a longer wait to a turn at the new rate. */
  setRate(rate: number): void {
    if (rate === this.#rate) return;
    this.#rate = rate;
    if (rate > 0) this.#nextAt = Math.min(this.#nextAt, this.#clock.elapsed() + 1000 / rate);
  }

  add(name: string): void {
    this.#names.add(name);
  }
  remove(name: string): void {
    this.#names.delete(name);
  }

  waitMs(): number | null {
    return this.#names.size === 0 || this.#rate <= 0 ? null : Math.max(0, this.#nextAt - this.#clock.elapsed());
  }

  take(): string | null {
    const [name] = this.#names;
    if (name === undefined || this.waitMs() !== 0) return null;
    this.#names.delete(name);
    this.#nextAt = this.#clock.elapsed() + 1000 / this.#rate;
    return name;
  }
}
