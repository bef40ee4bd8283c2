import type { DurationSeries } from '../../program/metrics/durations.js';

/** A ratio that changes: each nanosecond counts as one observation of what it was then, so that the histogram tells for how long it was how much. */
export class TimedRatio {
  #ratio = 0;

  /** `now`, here and below: seconds of a clock that nobody sets. */
  constructor(
    private readonly series: DurationSeries,
    private since: number,
  ) {}

  set(ratio: number, now: number): void {
    if (now > this.since) this.series.observeTimes(this.#ratio, Math.round((now - this.since) * nanosecondsPerSecond));
    this.since = now;
    this.#ratio = ratio;
  }
}

const nanosecondsPerSecond = 1e9;

/** Of requests that read and that change: how many are worked on and how many wait, as a part of all seats. */
export type KindUtilization = Readonly<Record<'waiting' | 'executing', Readonly<Record<'readOnly' | 'mutating', TimedRatio>>>>;

/** A level at one time. */
export interface LevelState {
  readonly seatsInUse: number;
  readonly waitingSeats: number;
  readonly underWay: number;
  readonly waiting: number;
  /** Seats that it has now, and before any are lent. */
  readonly seats: number;
  readonly nominalSeats: number;
  /** Requests that may wait in all its queues. */
  readonly waitingMax: number;
}

type Part = 'demand' | 'seats' | 'executing' | 'waiting';

/** How much of what a level has is used, as time goes. */
export class LevelUtilization {
  constructor(private readonly ratios: Readonly<Record<Part, TimedRatio>>) {}

  note({ seatsInUse, waitingSeats, underWay, waiting, seats, nominalSeats, waitingMax }: LevelState, now: number): void {
    const has = Number.isFinite(seats) ? seats : nominalSeats;
    this.ratios.demand.set(part(seatsInUse + waitingSeats, nominalSeats), now);
    this.ratios.seats.set(part(seatsInUse, has), now);
    this.ratios.executing.set(part(underWay, has), now);
    this.ratios.waiting.set(part(waiting, waitingMax), now);
  }
}

/** A level that nominally has nothing may be used nevertheless: its limits are taken for one. */
const part = (used: number, limit: number): number => used / Math.max(1, limit);
