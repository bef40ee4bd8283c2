import { Guess, type LevelTerms } from '../../../../server/fairness/level.js';

/** A minimal model of a level's queues: one list with linear search. */

export interface ModelRequest {
  readonly id: number;
  seats: number;
  readonly queue: number;
  state: 'waiting' | 'working' | 'gone';
  begunAt: number;
  guess: number;
}

export class Model {
  readonly requests: ModelRequest[] = [];
  readonly nextR: number[];
  r = 0;
  at = 0;
  last = -1;
  seats: number;
  readonly guess = new Guess();

  constructor(readonly terms: LevelTerms) {
    this.seats = terms.seats;
    this.nextR = Array.from({ length: terms.queues }, () => 0);
  }

  of(state: ModelRequest['state'], queue?: number): ModelRequest[] {
    return this.requests.filter((each) => each.state === state && (queue === undefined || each.queue === queue));
  }
  sum(of: readonly ModelRequest[]): number {
    return of.reduce((seats, each) => seats + each.seats, 0);
  }
  isBusy(queue: number): boolean {
    return this.requests.some((each) => each.queue === queue && each.state !== 'gone');
  }

  pass(now: number): void {
    const busy = this.nextR.filter((_, queue) => this.isBusy(queue)).length;
    const wanted = this.sum([...this.of('working'), ...this.of('waiting')]);
    if (busy > 0) this.r += ((now - this.at) * Math.min(this.seats, wanted)) / busy;
    this.at = now;
  }

  fits(seats: number): boolean {
    const used = this.sum(this.of('working'));
    return used === 0 || used + seats <= this.seats;
  }

  arrive(id: number, seats: number, hand: readonly number[], now: number): 'begin' | 'wait' | 'full' {
    this.pass(now);
    const loads = hand.map((queue) => this.sum([...this.of('working', queue), ...this.of('waiting', queue)]));
    const queue = hand[loads.indexOf(Math.min(...loads))]!;
    const begins = this.of('waiting').length === 0 && this.fits(seats);
    if (!begins && this.of('waiting', queue).length >= this.terms.queueLengthMax) return 'full';
    if (!this.isBusy(queue)) {
      const waiting = this.of('waiting').map((each) => this.claim(each.queue, now));
      this.nextR[queue] = Math.max(this.nextR[queue]!, Math.min(this.r, ...waiting));
    }
    const request: ModelRequest = { id, seats, queue, state: 'waiting', begunAt: now, guess: 0 };
    this.requests.push(request);
    if (begins) this.start(request, now);
    return begins ? 'begin' : 'wait';
  }

  /** A queue's past and future claims before its next request: active ones count by their estimate, or by actual use if more. */
  claim(queue: number, now: number): number {
    const working = this.of('working', queue);
    const had = working.reduce((sum, { seats, begunAt }) => sum + seats * (now - begunAt), 0);
    const guessed = working.reduce((sum, { seats, guess }) => sum + seats * guess, 0);
    return this.nextR[queue]! + Math.max(had, guessed);
  }

  start(request: ModelRequest, now: number): void {
    request.state = 'working';
    request.begunAt = now;
    request.guess = this.guess.seconds;
  }

  settle(request: ModelRequest, now: number): void {
    this.nextR[request.queue]! += request.seats * (now - request.begunAt);
    this.guess.learn(now - request.begunAt);
  }

  next(now: number): number[] {
    const begun: number[] = [];
    for (;;) {
      const order = this.nextR.map((_, step) => (this.last + 1 + step) % this.terms.queues);
      const heads = order.flatMap((queue) => this.of('waiting', queue).slice(0, 1));
      const end = ({ queue, seats }: ModelRequest): number => this.claim(queue, now) + seats * this.guess.seconds;
      const first = heads.find((head) => heads.every((other) => end(head) <= end(other)));
      if (first === undefined || !this.fits(first.seats)) return begun;
      this.start(first, now);
      this.last = first.queue;
      begun.push(first.id);
    }
  }

  finish(id: number, now: number): number[] {
    this.pass(now);
    const request = this.requests.find((each) => each.id === id)!;
    this.settle(request, now);
    request.state = 'gone';
    return this.next(now);
  }

  change(id: number, seats: number, now: number): number[] {
    this.pass(now);
    const request = this.requests.find((each) => each.id === id)!;
    this.settle(request, now);
    request.seats = seats;
    this.start(request, now);
    return this.next(now);
  }

  abandon(id: number, now: number): void {
    this.pass(now);
    this.requests.find((each) => each.id === id)!.state = 'gone';
  }

  resize(seats: number, now: number): number[] {
    this.pass(now);
    this.seats = seats;
    return this.next(now);
  }
}
