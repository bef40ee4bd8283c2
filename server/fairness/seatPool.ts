import { createHash } from 'node:crypto';

/** The taken seats of one level, and its waiting requests. */
export interface SeatPool {
  /** Takes seats if they fit in `limit`. A larger request may run alone. */
  take(seats: number, limit: number): boolean;
  change(by: number): void;
  waits(by: number): void;
}

export class OwnSeats implements SeatPool {
  #taken = 0;

  take(seats: number, limit: number): boolean {
    if (this.#taken > 0 && this.#taken + seats > limit) return false;
    this.#taken += seats;
    return true;
  }

  change(by: number): void {
    this.#taken += by;
  }

  waits(): void {}
}

/** Limit of levels, each of which keeps its place for the process's life. */
const levelsMax = 512;

/** TypeScript's declarations for this language version lack it. */
interface WaitAsync {
  waitAsync(view: Int32Array, index: number, value: number): { readonly async: boolean; readonly value: Promise<string> | string };
}

/**
 * Seats shared by the threads of a process: a level never exceeds its seats in total.
 *
 *     names    for each place, 64 bits of a hash of its level's name; 0 while it is free. The first thread to need a level takes a place for it
 *     taken    seats in use
 *     waiting  requests that wait for seats, on all threads
 *     freed    counts returns of seats while requests waited; waiting threads sleep until it changes
 *     demands  for each thread, its recent demand: lending uses the sum
 */
export class SharedSeats {
  readonly #thread: number;
  readonly #names: BigInt64Array;
  readonly #taken: Int32Array;
  readonly #waiting: Int32Array;
  readonly #freed: Int32Array;
  readonly #demands: Float64Array;

  readonly #threads: number;

  /** `memory` has the size `bytesFor(threads)`; `thread` counts from 0. */
  constructor(memory: SharedArrayBuffer, thread: number, threads: number) {
    this.#thread = thread;
    this.#threads = threads;

    this.#names = new BigInt64Array(memory, 0, levelsMax);
    this.#demands = new Float64Array(memory, 8 * levelsMax, levelsMax * threads);
    const counters = 8 * levelsMax * (1 + threads);
    [this.#taken, this.#waiting, this.#freed] = [0, 1, 2].map(
      (index) => new Int32Array(memory, counters + 4 * levelsMax * index, levelsMax),
    ) as [Int32Array, Int32Array, Int32Array];
  }

  static bytesFor(threads: number): number {
    return levelsMax * (8 + 8 * threads + 3 * 4);
  }

  /** Null with more levels than places: each thread then counts by itself. */
  of(level: string): SharedPool | null {
    const name = createHash('sha256').update(level).digest().readBigInt64LE() || 1n;
    const first = Number(BigInt.asUintN(32, name)) % levelsMax;
    for (let step = 0; step < levelsMax; step++) {
      const place = (first + step) % levelsMax;
      const before = Atomics.compareExchange(this.#names, place, 0n, name);
      if (before === 0n || before === name) return new SharedPool(this.#taken, { waiting: this.#waiting, freed: this.#freed }, place);
    }
    return null;
  }

  /** Stores this thread's demand for a level; returns the total. */
  demand({ place }: SharedPool, own: number): number {
    this.#demands[place * this.#threads + this.#thread] = own;
    let sum = 0;
    for (let thread = 0; thread < this.#threads; thread++) sum += this.#demands[place * this.#threads + thread] ?? 0;
    return sum;
  }
}

export class SharedPool implements SeatPool {
  readonly #taken: Int32Array;
  #armed = false;

  readonly #waiting: Int32Array;
  readonly #freed: Int32Array;

  constructor(
    taken: Int32Array,
    { waiting, freed }: { readonly waiting: Int32Array; readonly freed: Int32Array },
    readonly place: number,
  ) {
    this.#taken = taken;
    this.#waiting = waiting;
    this.#freed = freed;
  }

  take(seats: number, limit: number): boolean {
    // Even briefly exceeding the limit could make another thread refuse a request.
    for (;;) {
      const before = Atomics.load(this.#taken, this.place);
      if (before > 0 && before + seats > limit) return false;
      if (Atomics.compareExchange(this.#taken, this.place, before, before + seats) === before) return true;
    }
  }

  change(by: number): void {
    Atomics.add(this.#taken, this.place, by);
    if (by < 0 && Atomics.load(this.#waiting, this.place) > 0) this.#wake();
  }

  /** A waiting thread registers before it checks for seats, so that any later return notifies it. */
  waits(by: number): void {
    Atomics.add(this.#waiting, this.place, by);
  }

  /** Calls `look` now and whenever seats may have been returned, until it reports no waiting request on this thread. */
  whileWaiting(look: () => boolean): void {
    if (this.#armed) return;
    this.#armed = true;
    // Read before the check: a later return changes it and prevents the sleep.
    const seen = Atomics.load(this.#freed, this.place);
    if (!look()) {
      this.#armed = false;
      return;
    }
    const { value } = (Atomics as unknown as WaitAsync).waitAsync(this.#freed, this.place, seen);
    void Promise.resolve(value).then(() => {
      this.#armed = false;
      this.whileWaiting(look);
    });
  }

  #wake(): void {
    Atomics.add(this.#freed, this.place, 1);
    Atomics.notify(this.#freed, this.place);
  }
}
