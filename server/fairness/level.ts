import { OwnSeats, type SeatPool } from './seatPool.js';

/**
 * The queues of one priority level: which request may be worked on now, and which has to wait. Pure: it is told the time, and answers with what is to begin.
 *
 * Fair queuing by seats and seconds. Were every queue served at the same time, each with an equal share of the seats, then `R` is how many seat-seconds each busy
 * queue would have had so far (its speed is the seats in use divided by the busy queues). A request begins in that imagined world when the requests of its queue
 * before it have ended, or at once; the request that would end first there is the one that is worked on next. How long a request takes is guessed when it begins, from
 * how long others of its level took lately, and put right while it takes longer and when it ends. Were the guess too small, a queue would have all of its requests
 * begun before it is charged for the first of them, and everybody else would wait for all of them.
 */

/** A request on its way through a level. */
export interface Ticket<T> {
  readonly of: T;
  /** Taken while it is worked on. */
  seats: number;
  /** Index of its queue; -1 in a level without queues. */
  readonly queue: number;
  readonly arrivedAt: number;
  /** When it began; null while it waits. */
  begunAt: number | null;
  /** How long it was taken to need, when it began; seconds. */
  guess: number;
}

export interface LevelTerms {
  /** Seats that may be taken at once; Infinity where nothing is limited. */
  readonly seats: number;
  /** Of queues; 0 for none: then what finds no seat is refused. */
  readonly queues: number;
  /** Requests that may wait in one queue. */
  readonly queueLengthMax: number;
}

export type Arrival<T> =
  | { readonly outcome: 'begin'; readonly ticket: Ticket<T> }
  | { readonly outcome: 'wait'; readonly ticket: Ticket<T> }
  | { readonly outcome: 'full' }
  | { readonly outcome: 'busy' };

interface Queue<T> {
  readonly waiting: Ticket<T>[];
  /** Requests of the queue that are worked on. */
  underWay: number;
  waitingSeats: number;
  seatsInUse: number;
  /** In the imagined world, when the next request of the queue begins, if those under way take as long as was guessed. */
  nextR: number;
  /** Seat-seconds that those under way were taken to need. */
  guessed: number;
  /** Of those under way, the sum of seats times the moments of their beginnings: tells how many seat-seconds they have had. */
  begun: number;
}

/** The least and the most over queues in which somebody waits. */
interface Bounds {
  readonly min: number;
  readonly max: number;
}

/**
 * When, in the imagined world, the first of those who wait in each queue begin: as it is, and less what is taken to be left of the work under way. Null where
 * nobody waits.
 */
export function nextBegins(level: Pick<Level<unknown>, 'queues'>): { readonly next: Bounds; readonly discounted: Bounds } | null {
  const queues = level.queues.filter(({ waiting }) => waiting.length > 0);
  if (queues.length === 0) return null;
  const bounds = (values: readonly number[]): Bounds => ({ min: Math.min(...values), max: Math.max(...values) });
  return {
    next: bounds(queues.map(({ nextR }) => nextR)),
    discounted: bounds(queues.map(({ nextR, guessed }) => nextR - guessed)),
  };
}

/** What a request is taken to need, in seconds, before any has ended. */
export const firstGuess = 3 / 1024;
/** So many requests that took something else change the guess by about two thirds of the difference. */
const guessMemory = 64;
/** Guesses are whole 4096ths of a second: sums of them are exact, and nobody is a rounding error ahead. */
const guessSteps = 4096;

/** What the next request is taken to need: follows what requests took lately. Seconds. */
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
  readonly #queues: Queue<T>[];
  /** In the imagined world, what time it is: seat-seconds that each busy queue has had. */
  #r = 0;
  #at: number;
  #seats: number;
  #seatsInUse = 0;
  #waitingSeats = 0;
  #waiting = 0;
  #underWay = 0;
  /** Queues with requests that wait or are worked on. */
  #busyQueues = 0;
  /** When a request began last, in the imagined world, and when it would have begun there. */
  #begunR = 0;
  #begunS = 0;
  readonly #guess = new Guess();
  /** Where the search for the next queue begins, so that among equals each has its turn. */
  #next = 0;

  constructor(
    readonly terms: LevelTerms,
    now: number,
    /** Counts the seats in use; where several threads have the level in common, those of all of them. */
    private readonly pool: SeatPool = new OwnSeats(),
  ) {
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

  /** What the queues hold, for those who look on. */
  get queues(): readonly Readonly<Queue<T>>[] {
    return this.#queues;
  }

  /** A request comes; `hand` are the queues that it may wait in. Seconds of any clock that does not go back. */
  arrive(of: T, wanted: number, hand: readonly number[], now: number): Arrival<T> {
    this.#advance(now);
    const seats = Math.max(1, wanted);
    if (this.#queues.length === 0) {
      if (!this.pool.take(seats, { limit: this.#seats })) return { outcome: 'busy' };
      const ticket = { of, seats, queue: -1, arrivedAt: now, begunAt: now, guess: 0 };
      this.#seatsInUse += seats;
      this.#underWay++;
      return { outcome: 'begin', ticket };
    }
    const index = this.#shortest(hand);
    const queue = this.#queues[index]!;
    const ticket: Ticket<T> = { of, seats, queue: index, arrivedAt: now, begunAt: null, guess: 0 };
    // Whoever comes when nobody waits, and finds room, waits for nobody.
    this.pool.waits(1);
    if (this.#waiting === 0 && this.pool.take(seats, { limit: this.#seats })) {
      this.pool.waits(-1);
      this.#wake(queue, now);
      this.#start(ticket, queue, now);
      return { outcome: 'begin', ticket };
    }
    if (queue.waiting.length >= this.terms.queueLengthMax) {
      this.pool.waits(-1);
      return { outcome: 'full' };
    }
    this.#wake(queue, now);
    queue.waiting.push(ticket);
    queue.waitingSeats += seats;
    this.#waiting++;
    this.#waitingSeats += seats;
    return { outcome: 'wait', ticket };
  }

  /** The work on a request is over. Gives those that begin now. */
  finish(ticket: Ticket<T>, now: number): readonly Ticket<T>[] {
    this.#advance(now);
    this.#seatsInUse -= ticket.seats;
    this.pool.change(-ticket.seats);
    this.#underWay--;
    const queue = this.#queues[ticket.queue];
    if (queue !== undefined) {
      queue.underWay--;
      this.#settle(ticket, queue, now);
      this.#rest(queue);
    }
    return this.#begin(now);
  }

  /** A request that is worked on takes another number of seats from now on. Gives those that begin now. */
  change(ticket: Ticket<T>, seats: number, now: number): readonly Ticket<T>[] {
    this.#advance(now);
    const queue = this.#queues[ticket.queue];
    this.#seatsInUse += seats - ticket.seats;
    this.pool.change(seats - ticket.seats);
    if (queue !== undefined) this.#settle(ticket, queue, now);
    ticket.seats = seats;
    if (queue !== undefined) this.#charge(ticket, queue, now);
    return this.#begin(now);
  }

  /** A request that waits is not wanted any more; false when it does not wait. */
  abandon(ticket: Ticket<T>, now: number): boolean {
    const queue = this.#queues[ticket.queue];
    const place = queue?.waiting.indexOf(ticket) ?? -1;
    if (queue === undefined || place < 0) return false;
    this.#advance(now);
    queue.waiting.splice(place, 1);
    queue.waitingSeats -= ticket.seats;
    this.#waiting--;
    this.#waitingSeats -= ticket.seats;
    this.pool.waits(-1);
    this.#rest(queue);
    return true;
  }

  /** Seats are lent or taken back. Gives those that begin now; those under way go on. */
  resize(seats: number, now: number): readonly Ticket<T>[] {
    this.#advance(now);
    this.#seats = seats;
    return this.#begin(now);
  }

  /** Seats may have been given back elsewhere. Gives those that begin now. */
  look(now: number): readonly Ticket<T>[] {
    this.#advance(now);
    return this.#begin(now);
  }

  #advance(now: number): void {
    if (this.#busyQueues > 0)
      this.#r += ((now - this.#at) * Math.min(this.#seats, this.#seatsInUse + this.#waitingSeats)) / this.#busyQueues;
    this.#at = now;
  }

  /** Of a hand, the queue with the least to do. */
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

  /**
   * A queue that had nothing to do has no claim on the time in which it had nothing to do. Nor has it to make good what others are owed: it begins beside the
   * one that is furthest behind, as in start-time fair queuing (Goyal, Vin and Cheng 1996), whatever the mean of them is.
   */
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

  /** The queue pays for what the request is taken to need. */
  #charge(ticket: Ticket<T>, queue: Queue<T>, now: number): void {
    const { seats } = ticket;
    ticket.begunAt = now;
    ticket.guess = this.#guess.seconds;
    queue.seatsInUse += seats;
    queue.guessed += seats * ticket.guess;
    queue.begun += seats * now;
    queue.nextR += seats * ticket.guess;
  }

  /** It is known what the request needed, with the seats that it had so far. */
  #settle({ seats, guess, begunAt }: Ticket<T>, queue: Queue<T>, now: number): void {
    const began = begunAt ?? now;
    const took = now - began;
    queue.nextR += seats * (took - guess);
    queue.seatsInUse -= seats;
    // Rounding must not add up.
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
      if (!this.pool.take(ticket.seats, { limit: this.#seats })) break;
      this.pool.waits(-1);
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

  /** The queue whose first request would end first in the imagined world. */
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

/** When, in the imagined world, the next request of a queue begins: no earlier than what those under way have had by now allows. */
function claim({ nextR, seatsInUse, guessed, begun }: Queue<unknown>, now: number): number {
  return nextR + Math.max(0, seatsInUse * now - begun - guessed);
}

const none: readonly never[] = [];
