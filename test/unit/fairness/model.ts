import { guessedSeconds, type LevelTerms } from '../../../server/fairness/level.js';

/** The plainest thing that queues as a level does: everything is looked up again in one list, whenever it is needed. */

export interface ModelRequest {
  readonly id: number;
  seats: number;
  readonly queue: number;
  state: 'waiting' | 'working' | 'gone';
  begunAt: number;
}

export class Model {
  readonly requests: ModelRequest[] = [];
  readonly nextR: number[];
  r = 0;
  at = 0;
  last = -1;
  seats: number;

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
    if (!this.isBusy(queue)) this.nextR[queue] = Math.max(this.nextR[queue]!, this.r);
    const request: ModelRequest = { id, seats, queue, state: 'waiting', begunAt: now };
    this.requests.push(request);
    if (begins) this.start(request, now);
    return begins ? 'begin' : 'wait';
  }

  start(request: ModelRequest, now: number): void {
    request.state = 'working';
    request.begunAt = now;
    this.nextR[request.queue]! += request.seats * guessedSeconds;
  }

  next(now: number): number[] {
    const begun: number[] = [];
    for (;;) {
      const order = this.nextR.map((_, step) => (this.last + 1 + step) % this.terms.queues);
      const heads = order.flatMap((queue) => this.of('waiting', queue).slice(0, 1));
      const end = ({ queue, seats }: ModelRequest): number => this.nextR[queue]! + seats * guessedSeconds;
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
    this.nextR[request.queue]! += request.seats * (now - request.begunAt - guessedSeconds);
    request.state = 'gone';
    return this.next(now);
  }

  change(id: number, seats: number, now: number): number[] {
    this.pass(now);
    const request = this.requests.find((each) => each.id === id)!;
    this.nextR[request.queue]! += request.seats * (now - request.begunAt - guessedSeconds) + seats * guessedSeconds;
    request.seats = seats;
    request.begunAt = now;
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
