import type { DurationSeries } from '../../program/metrics/durations.js';

/** A changing ratio: each nanosecond counts as one observation. */
export class TimedRatio {
  readonly #series: DurationSeries;
  #since: number;
  #ratio = 0;

  /** `now`, here and below, is in seconds of a monotonic clock. */
  constructor(series: DurationSeries, since: number) {
    this.#series = series;
    this.#since = since;
  }

  set(ratio: number, now: number): void {
    if (now > this.#since) this.#series.observeTimes(this.#ratio, Math.round((now - this.#since) * nanosecondsPerSecond));
    this.#since = now;
    this.#ratio = ratio;
  }
}

const nanosecondsPerSecond = 1e9;

export type KindUtilization = Readonly<Record<'waiting' | 'executing', Readonly<Record<'readOnly' | 'mutating', TimedRatio>>>>;

export interface LevelState {
  readonly seatsInUse: number;
  readonly waitingSeats: number;
  readonly underWay: number;
  readonly waiting: number;
  /** Its seats now, and before lending. */
  readonly seats: number;
  readonly nominalSeats: number;
  /** The limit of waiting requests in all its queues. */
  readonly waitingMax: number;
}

type Part = 'demand' | 'seats' | 'executing' | 'waiting';

/** The use of a level's limits over time. */
export class LevelUtilization {
  readonly #ratios: Readonly<Record<Part, TimedRatio>>;

  constructor(ratios: Readonly<Record<Part, TimedRatio>>) {
    this.#ratios = ratios;
  }

  note({ seatsInUse, waitingSeats, underWay, waiting, seats, nominalSeats, waitingMax }: LevelState, now: number): void {
    const has = Number.isFinite(seats) ? seats : nominalSeats;
    this.#ratios.demand.set(part(seatsInUse + waitingSeats, nominalSeats), now);
    this.#ratios.seats.set(part(seatsInUse, has), now);
    this.#ratios.executing.set(part(underWay, has), now);
    this.#ratios.waiting.set(part(waiting, waitingMax), now);
  }
}

/** A level without nominal seats may be used, so its limit counts as one. */
const part = (used: number, limit: number): number => used / Math.max(1, limit);
