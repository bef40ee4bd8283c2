import { OwnSeats, type SeatPool } from './seatPool.js';

/**
 * The queues of one priority level. Time is an argument, results are requests to begin. The virtual schedule serves all busy queues at once with
 * equal shares of the seats. `R` is the seat-seconds that each has had (it grows by the seats in use divided by the busy queues).
 * A request begins there when the earlier ones of its queue have ended; the one that would end first runs next. Durations are
 * estimated from recent requests of the level, and corrected meanwhile.
 */

export interface Ticket<T> {
  readonly of: T;
  seats: number;
  /** The index of its queue; -1 in a level without queues. */
  readonly queue: number;
  readonly arrivedAt: number;
  /** The start time; null while it waits. */
  begunAt: number | null;
  /** The guessed duration at its start, in seconds. */
  guess: number;
}

export interface LevelTerms {
  /** Infinity for no limit. */
  readonly seats: number;
  /** Zero refuses every request without a seat. */
  readonly queues: number;
  /** The limit of waiting requests per queue. */
  readonly queueLengthMax: number;
}

export type Arrival<T> =
  | { readonly outcome: 'begin'; readonly ticket: Ticket<T> }
  | { readonly outcome: 'wait'; readonly ticket: Ticket<T> }
  | { readonly outcome: 'full' }
  | { readonly outcome: 'busy' };

interface Queue<T> {
  readonly waiting: Ticket<T>[];
  underWay: number;
  waitingSeats: number;
  seatsInUse: number;
  /** The virtual start of the queue's next request, if running ones take the estimated time. */
  nextR: number;
  /** The guessed seat-seconds of running requests. */
  guessed: number;
  /** Sum of seats times start times of running requests, which yields their past seat-seconds. */
  begun: number;
}

interface Bounds {
  readonly min: number;
  readonly max: number;
}

/** The virtual starts of each queue's first waiting request, and the same minus the remaining work of running ones. Null where none waits. */
export function nextBegins(level: Pick<Level<unknown>, 'queues'>): { readonly next: Bounds; readonly discounted: Bounds } | null {
  const queues = level.queues.filter(({ waiting }) => waiting.length > 0);
  if (queues.length === 0) return null;
  const bounds = (values: readonly number[]): Bounds => ({ min: Math.min(...values), max: Math.max(...values) });
  return {
    next: bounds(queues.map(({ nextR }) => nextR)),
    discounted: bounds(queues.map(({ nextR, guessed }) => nextR - guessed)),
  };
}

/** The guess in seconds before any request has ended. */
export const firstGuess = 3 / 1024;
/** Number of requests after which the estimate has moved by two thirds of a difference. */
const guessMemory = 64;
/** Estimates are multiples of 1/4096 s: sums are exact, and no queue gains by rounding. */
const guessSteps = 4096;

/** Estimates the next request's duration from recent ones, in seconds. */
export class Guess {
  #mean = firstGuess;
  seconds = firstGuess;

  learn(tookSeconds: number): void {
    this.#mean += (tookSeconds - this.#mean) / guessMemory;
    this.seconds = rounded(this.#mean);
  }
}

function rounded(seconds: number): number {
  return Math.max(1, Math.round(seconds * guessSteps)) / guessSteps;
}

export class Level<T> {
  readonly #pool: SeatPool;
  readonly #queues: Queue<T>[];
  /** The imagined time: seat-seconds that each busy queue has had. */
  #r = 0;
  #at: number;
  #seats: number;
  #seatsInUse = 0;
  #waitingSeats = 0;
  #waiting = 0;
  #underWay = 0;
  #busyQueues = 0;
  /** The last start's virtual time, and that request's virtual start. */
  #begunR = 0;
  #begunS = 0;
  readonly #guess = new Guess();
  /** Start of the search for the next queue, which rotates among equals. */
  #next = 0;

  constructor(
    readonly terms: LevelTerms,
    now: number,

    pool: SeatPool = new OwnSeats(),
  ) {
    this.#pool = pool;
    this.#at = now;
    this.#seats = terms.seats;
    this.#queues = Array.from({ length: terms.queues }, () => ({
      waiting: [],
      underWay: 0,
      waitingSeats: 0,
      seatsInUse: 0,
      nextR: 0,
      guessed: 0,
      begun: 0,
    }));
  }

  get seatsInUse(): number {
    return this.#seatsInUse;
  }
  get waiting(): number {
    return this.#waiting;
  }
  get waitingSeats(): number {
    return this.#waitingSeats;
  }
  get underWay(): number {
    return this.#underWay;
  }
  get seats(): number {
    return this.#seats;
  }
  get r(): number {
    return this.#r;
  }
  get begunR(): number {
    return this.#begunR;
  }
  get begunS(): number {
    return this.#begunS;
  }
  get busyQueues(): number {
    return this.#busyQueues;
  }

  get queues(): readonly Readonly<Queue<T>>[] {
    return this.#queues;
  }

  /** A request arrives; `hand` are its possible queues. `now`: seconds of a monotonic clock. */
  arrive(of: T, wanted: number, hand: readonly number[], now: number): Arrival<T> {
    this.#advance(now);
    const seats = Math.max(1, wanted);
    if (this.#queues.length === 0) {
      if (!this.#pool.take(seats, this.#seats)) return { outcome: 'busy' };
      const ticket = { of, seats, queue: -1, arrivedAt: now, begunAt: now, guess: 0 };
      this.#seatsInUse += seats;
      this.#underWay++;
      return { outcome: 'begin', ticket };
    }
    const index = this.#shortest(hand);
    const queue = this.#queues[index]!;
    const ticket: Ticket<T> = { of, seats, queue: index, arrivedAt: now, begunAt: null, guess: 0 };
    // A request that finds a seat and no queue runs at once.
    this.#pool.waits(1);
    if (this.#waiting === 0 && this.#pool.take(seats, this.#seats)) {
      this.#pool.waits(-1);
      this.#wake(queue, now);
      this.#start(ticket, queue, now);
      return { outcome: 'begin', ticket };
    }
    if (queue.waiting.length >= this.terms.queueLengthMax) {
      this.#pool.waits(-1);
      return { outcome: 'full' };
    }
    this.#wake(queue, now);
    queue.waiting.push(ticket);
    queue.waitingSeats += seats;
    this.#waiting++;
    this.#waitingSeats += seats;
    return { outcome: 'wait', ticket };
  }

  /** A request ends. Returns those that begin now. */
  finish(ticket: Ticket<T>, now: number): readonly Ticket<T>[] {
    this.#advance(now);
    this.#seatsInUse -= ticket.seats;
    this.#pool.change(-ticket.seats);
    this.#underWay--;
    const queue = this.#queues[ticket.queue];
    if (queue !== undefined) {
      queue.underWay--;
      this.#settle(ticket, queue, now);
      this.#rest(queue);
    }
    return this.#begin(now);
  }

  /** Changes a running request's seats. Returns requests that begin now. */
  change(ticket: Ticket<T>, seats: number, now: number): readonly Ticket<T>[] {
    this.#advance(now);
    const queue = this.#queues[ticket.queue];
    this.#seatsInUse += seats - ticket.seats;
    this.#pool.change(seats - ticket.seats);
    if (queue !== undefined) this.#settle(ticket, queue, now);
    ticket.seats = seats;
    if (queue !== undefined) this.#charge(ticket, queue, now);
    return this.#begin(now);
  }

  /** Removes a waiting request; false when it does not wait. */
  abandon(ticket: Ticket<T>, now: number): boolean {
    const queue = this.#queues[ticket.queue];
    const place = queue?.waiting.indexOf(ticket) ?? -1;
    if (queue === undefined || place < 0) return false;
    this.#advance(now);
    queue.waiting.splice(place, 1);
    queue.waitingSeats -= ticket.seats;
    this.#waiting--;
    this.#waitingSeats -= ticket.seats;
    this.#pool.waits(-1);
    this.#rest(queue);
    return true;
  }

  /** Changes the seats; running requests continue. Returns those that begin now. */
  resize(seats: number, now: number): readonly Ticket<T>[] {
    this.#advance(now);
    this.#seats = seats;
    return this.#begin(now);
  }

  /** Seats may have been returned elsewhere. Returns requests that begin now. */
  look(now: number): readonly Ticket<T>[] {
    this.#advance(now);
    return this.#begin(now);
  }

  #advance(now: number): void {
    if (this.#busyQueues > 0)
      this.#r += ((now - this.#at) * Math.min(this.#seats, this.#seatsInUse + this.#waitingSeats)) / this.#busyQueues;
    this.#at = now;
  }

  #shortest(hand: readonly number[]): number {
    let best = hand[0] ?? 0;
    let least = Infinity;
    for (const index of hand) {
      const { waitingSeats, seatsInUse } = this.#queues[index]!;
      const load = waitingSeats + seatsInUse;
      if (load < least) [best, least] = [index, load];
    }
    return best;
  }

  /** An idle queue neither gains nor pays: it starts with the queue that is furthest behind, as in start-time fair queuing (Goyal, Vin and Cheng 1996). */
  #wake(queue: Queue<T>, now: number): void {
    if (queue.waiting.length > 0 || queue.underWay > 0) return;
    this.#busyQueues++;
    let least = this.#r;
    for (const other of this.#queues) if (other.waiting.length > 0) least = Math.min(least, claim(other, now));
    queue.nextR = Math.max(queue.nextR, least);
  }

  #rest(queue: Queue<T>): void {
    if (queue.waiting.length === 0 && queue.underWay === 0) this.#busyQueues--;
  }

  #start(ticket: Ticket<T>, queue: Queue<T>, now: number): void {
    this.#begunR = this.#r;
    this.#begunS = queue.nextR;
    queue.underWay++;
    this.#charge(ticket, queue, now);
    this.#seatsInUse += ticket.seats;
    this.#underWay++;
  }

  #charge(ticket: Ticket<T>, queue: Queue<T>, now: number): void {
    const { seats } = ticket;
    ticket.begunAt = now;
    ticket.guess = this.#guess.seconds;
    queue.seatsInUse += seats;
    queue.guessed += seats * ticket.guess;
    queue.begun += seats * now;
    queue.nextR += seats * ticket.guess;
  }

  /** Replaces the estimate by the actual duration, with the seats so far. */
  #settle({ seats, guess, begunAt }: Ticket<T>, queue: Queue<T>, now: number): void {
    const began = begunAt ?? now;
    const took = now - began;
    queue.nextR += seats * (took - guess);
    queue.seatsInUse -= seats;
    // Rounding errors must not add up.
    queue.guessed = queue.seatsInUse === 0 ? 0 : queue.guessed - seats * guess;
    queue.begun = queue.seatsInUse === 0 ? 0 : queue.begun - seats * began;
    this.#guess.learn(took);
  }

  #begin(now: number): readonly Ticket<T>[] {
    if (this.#waiting === 0) return none;
    const begun: Ticket<T>[] = [];
    while (this.#waiting > 0) {
      const index = this.#earliest(now);
      const queue = this.#queues[index]!;
      const ticket = queue.waiting[0]!;
      if (!this.#pool.take(ticket.seats, this.#seats)) break;
      this.#pool.waits(-1);
      queue.waiting.shift();
      queue.waitingSeats -= ticket.seats;
      this.#waiting--;
      this.#waitingSeats -= ticket.seats;
      this.#start(ticket, queue, now);
      this.#next = (index + 1) % this.#queues.length;
      begun.push(ticket);
    }
    return begun;
  }

  /** Returns the queue whose first request would virtually end first. */
  #earliest(now: number): number {
    let best = -1;
    let least = Infinity;
    const { length } = this.#queues;
    for (let step = 0; step < length; step++) {
      const index = (this.#next + step) % length;
      const queue = this.#queues[index]!;
      const first = queue.waiting[0];
      if (first === undefined) continue;
      const end = claim(queue, now) + first.seats * this.#guess.seconds;
      if (end < least) [best, least] = [index, end];
    }
    return best;
  }
}

/** Returns the virtual start of a queue's next request, not before running ones' seat-seconds allow. */
function claim({ nextR, seatsInUse, guessed, begun }: Queue<unknown>, now: number): number {
  return nextR + Math.max(0, seatsInUse * now - begun - guessed);
}

const none: readonly never[] = [];
