export interface Borrower {
  readonly nominal: number;
  /** The minimum and maximum of its seats. */
  readonly lower: number;
  readonly upper: number;
  readonly demand: number;
}

const rounds = 60;

/**
 * Shares `total` seats: each level gets its demand times a common fraction, within its limits. Levels below their nominal seats lend to others. Pure; shares
 * are not rounded.
 */
export function share(levels: readonly Borrower[], total: number): { readonly fraction: number; readonly seats: readonly number[] } {
  const targets = levels.map(({ nominal, lower, demand }) => (demand > 0 ? Math.max(demand, Math.min(lower, nominal)) : lower));
  const at = (fraction: number): number[] =>
    levels.map(({ lower, upper }, index) => Math.min(upper, Math.max(lower, fraction * (targets[index] ?? 0))));
  const sum = (values: readonly number[]): number => values.reduce((whole, value) => whole + value, 0);
  let [low, high] = [0, 1];
  while (sum(at(high)) < total && high < total * 2) high *= 2;
  for (let round = 0; round < rounds; round++) {
    const middle = (low + high) / 2;
    if (sum(at(middle)) > total) high = middle;
    else low = middle;
  }
  return { fraction: low, seats: at(low) };
}

/** The demand for seats over time, which predicts the next. */
export class Demand {
  #wanted = 0;
  #since: number;
  #begun: number;
  #area = 0;
  #squares = 0;
  #highest = 0;
  #smoothed = 0;
  average = 0;
  deviation = 0;
  highWatermark = 0;

  constructor(now: number) {
    this.#since = this.#begun = now;
  }

  get smoothed(): number {
    return this.#smoothed;
  }

  set(wanted: number, now: number): void {
    const passed = now - this.#since;
    this.#area += this.#wanted * passed;
    this.#squares += this.#wanted * this.#wanted * passed;
    this.#since = now;
    this.#wanted = wanted;
    if (wanted > this.#highest) this.#highest = wanted;
  }

  /** Ends a period. A rise counts at once, up to the maximum or one deviation above the average; a fall counts slowly. */
  close(now: number): number {
    this.set(this.#wanted, now);
    const period = now - this.#begun;
    this.average = period > 0 ? this.#area / period : this.#wanted;
    this.deviation = period > 0 ? Math.sqrt(Math.max(0, this.#squares / period - this.average ** 2)) : 0;
    this.highWatermark = this.#highest;
    const envelope = Math.min(this.#highest, this.average + this.deviation);
    this.#smoothed = Math.max(envelope, smoothing * this.#smoothed + (1 - smoothing) * envelope);
    this.#begun = now;
    this.#area = this.#squares = 0;
    this.#highest = this.#wanted;
    return this.#smoothed;
  }
}

/** Halves the weight of past demand in some five minutes, with periods of ten seconds. */
const smoothing = 0.977;
