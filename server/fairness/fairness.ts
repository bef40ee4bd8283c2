import { tooManyRequests } from '../../api/status.js';
import type { User } from '../../api/user.js';
import type { RequestInfo } from '../../api/requestInfo.js';
import { inStep, type Repeated } from '../../program/files/inStep.js';
import { dealer } from './hand.js';
import { Demand, share } from './lending.js';
import { Level, type Ticket } from './level.js';
import { Classifier, flowOf, type LevelSettings, type Schema } from './objects.js';
import type { SharedPool, SharedSeats } from './seatPool.js';
import { workOf, type Estimate, type Work } from './seats.js';
import { Tally, type Counted, type CountedLevel } from './tally.js';
import type { KindUtilization, LevelUtilization } from './utilization.js';

export interface SeatRequest {
  readonly info: RequestInfo;
  readonly user: User;
  readonly query: URLSearchParams;
  readonly response: { setHeader(name: string, value: string): unknown };
  readonly closed: boolean;
  onClose(action: () => void): void;
  /** It is refused. */
  foundNoRoom(): void;
  holdSeat(seat: { release(): void; pause(): void; resume(): Promise<void> }): void;
}

export interface FairnessOptions {
  readonly seats: number;
  readonly waitMaxMs: number;
  readonly estimate: Estimate;
  /** Seconds of a monotonic clock. */
  readonly now?: () => number;
  readonly tally?: Tally;
  readonly shared?: SharedSeats | null;
}

interface LevelView extends CountedLevel {
  readonly level: Level<Turn>;
  readonly counts: { dispatched: number; rejected: number; timedOut: number; cancelled: number };
}

interface Running extends LevelView {
  /** Null where only this thread uses the level. */
  readonly pool: SharedPool | null;
  readonly deal: (flow: string) => readonly number[];
  /** Null without metrics. */
  readonly utilization: LevelUtilization | null;
}

const adjustMs = 10_000;
const retrySeconds = 1;
const refused = (): Error => tooManyRequests('too many requests, please try again later', retrySeconds);
const changing: ReadonlySet<string> = new Set(['create', 'update', 'patch', 'delete', 'deletecollection', 'post', 'put']);

/** Decides when requests run: see DESIGN.md. */
export class Fairness implements Counted {
  readonly #options: FairnessOptions;
  readonly tally: Tally;
  readonly current = { readOnly: 0, mutating: 0 };
  readonly waiting = { readOnly: 0, mutating: 0 };
  fraction = 1;
  #levels: ReadonlyMap<string, Running> = new Map();
  #schemas = new Classifier([]);
  readonly #now: () => number;
  readonly #kinds: KindUtilization | null;
  #timer: Repeated | null = null;

  constructor(options: FairnessOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now() / 1000);
    this.tally = options.tally ?? new Tally();
    this.#kinds = this.tally.kinds(this.#now());
  }

  start(): void {
    this.#timer = inStep(adjustMs, () => this.adjust());
  }

  stop(): void {
    this.#timer?.stop();
  }

  get levels(): Iterable<LevelView> {
    return this.#levels.values();
  }

  /** Applies changed objects. Waiting and running requests stay. */
  configure(schemas: readonly Schema[], levels: readonly LevelSettings[]): void {
    const now = this.#now();
    const shares = levels.reduce((sum, each) => sum + each.shares, 0);
    this.#levels = new Map(levels.map((settings) => [settings.name, this.#running(settings, shares, now)]));
    this.#schemas = new Classifier(schemas.filter(({ level }) => this.#levels.has(level)));
  }

  #running(settings: LevelSettings, shares: number, now: number): Running {
    const { seats, shared = null } = this.#options;
    const nominal = shares === 0 ? 0 : Math.ceil((seats * settings.shares) / shares);
    const bounds = {
      nominal,
      lower: nominal - Math.round((nominal * settings.lendablePercent) / 100),
      upper: settings.borrowingPercent === null ? seats : nominal + Math.round((nominal * settings.borrowingPercent) / 100),
    };
    const before = this.#levels.get(settings.name);
    const terms = { seats: settings.exempt ? Infinity : nominal, queues: settings.queues, queueLengthMax: settings.queueLengthMax };
    const same =
      before !== undefined &&
      before.settings.exempt === settings.exempt &&
      before.settings.queues === settings.queues &&
      before.settings.queueLengthMax === settings.queueLengthMax;
    if (same && !settings.exempt && before.bounds.nominal !== nominal) this.#begin(before.level.resize(nominal, now));
    // A replaced level gets a new pool, since waiting requests remain in the old one.
    const pool = same ? before.pool : (shared?.of(settings.name) ?? null);
    return {
      settings,
      bounds,
      pool,
      level: same ? before.level : new Level(terms, now, pool ?? undefined),
      deal: same && before.settings.handSize === settings.handSize ? before.deal : dealer(settings.handSize, settings.queues),
      demand: before?.demand ?? new Demand(now),
      utilization: before?.utilization ?? this.tally.level(settings.name, now),
      counts: before?.counts ?? { dispatched: 0, rejected: 0, timedOut: 0, cancelled: 0 },
    };
  }

  /** Lends unneeded seats, every ten seconds. */
  adjust(): void {
    const now = this.#now();
    const all = [...this.#levels.values()];
    const borrowers = all.map(({ bounds, demand, pool }) => ({ ...bounds, demand: this.#demandOfAll(pool, demand.close(now)) }));
    const { fraction, seats } = share(borrowers, this.#options.seats);
    this.fraction = fraction;
    for (const [index, running] of all.entries())
      if (!running.settings.exempt) this.#begin(running.level.resize(Math.max(1, Math.round(seats[index] ?? 0)), now));
  }

  /** Updates time-weighted counts. */
  settle(): void {
    const now = this.#now();
    for (const running of this.#levels.values()) this.#noteUse(running, now);
    for (const kind of ['readOnly', 'mutating'] as const) this.#noteKind(kind, now);
  }

  #demandOfAll(pool: SharedPool | null, own: number): number {
    const { shared = null } = this.#options;
    return pool === null || shared === null ? own : shared.demand(pool, own);
  }

  /** Admits a request at once or in its turn; throws or rejects with 429 otherwise. */
  admit(request: SeatRequest): void | Promise<void> {
    const { info, user } = request;
    const schema = this.#schemas.classify(info, user);
    const running = schema === null ? undefined : this.#levels.get(schema.level);
    // Only the server itself sends requests before the objects are known.
    if (schema === null || running === undefined) return undefined;
    request.response.setHeader('x-kubernetes-pf-flowschema-uid', schema.uid);
    request.response.setHeader('x-kubernetes-pf-prioritylevel-uid', running.settings.uid);
    const work = workOf(info, request.query, this.#options.estimate);
    const turn = new Turn(this, { schema, running, work }, request);
    request.holdSeat(turn);
    return turn.enter();
  }

  arrive(turn: Turn): ReturnType<Level<Turn>['arrive']> {
    const { request } = turn;
    const { running, schema, work } = turn.of;
    const now = this.#now();
    if (work.watchers !== null) this.tally.of(schema).watched(work.watchers);
    const arrival = running.level.arrive(
      turn,
      work.seats,
      running.settings.queues === 0 ? nowhere : running.deal(flowOf(schema, request.info, request.user)),
      now,
    );
    if (arrival.outcome === 'begin') {
      if (arrival.ticket.queue >= 0) this.tally.of(schema).enqueued(1);
      this.#counted(turn, arrival.ticket, now);
    } else if (arrival.outcome === 'wait') {
      this.tally.of(schema).waits(arrival.ticket.seats);
      this.tally.of(schema).enqueued(running.level.queues[arrival.ticket.queue]?.waiting.length ?? 0);
      this.#waits(request, 1, now);
      this.#awaitOthers(running);
    } else this.refuses(turn, arrival.outcome === 'full' ? 'queue-full' : 'concurrency-limit');
    this.#demandOf(running, now);
    return arrival;
  }

  /** Another thread may return seats while a request waits here. */
  #awaitOthers({ pool, level }: Running): void {
    if (pool === null) return;
    // The new request learns its place first.
    queueMicrotask(() => {
      pool.whileWaiting(() => {
        this.#begin(level.look(this.#now()));
        return level.waiting > 0;
      });
    });
  }

  refuses(turn: Turn, reason: 'queue-full' | 'concurrency-limit' | 'time-out' | 'cancelled'): void {
    const { schema, running } = turn.of;
    this.tally.of(schema).rejected(reason);
    if (reason === 'time-out') running.counts.timedOut++;
    else if (reason === 'cancelled') running.counts.cancelled++;
    else running.counts.rejected++;
    if (reason !== 'cancelled') turn.request.foundNoRoom();
  }

  finish(turn: Turn, ticket: Ticket<Turn>): void {
    const { running, schema, work } = turn.of;
    const now = this.#now();
    this.tally.of(schema).ends(ticket.seats, now - (ticket.begunAt ?? now));
    const kind = kindOf(turn.request);
    this.current[kind]--;
    this.#noteKind(kind, now);
    if (work.finalMs > 0) {
      this.#begin(running.level.change(ticket, work.finalSeats, now));
      setTimeout(() => {
        this.#over(running, ticket);
      }, work.finalMs).unref();
    } else this.#over(running, ticket);
  }

  #over(running: Running, ticket: Ticket<Turn>): void {
    const now = this.#now();
    this.#begin(running.level.finish(ticket, now));
    this.#demandOf(running, now);
  }

  abandon(turn: Turn, ticket: Ticket<Turn>, reason: 'time-out' | 'cancelled'): void {
    const { running, schema } = turn.of;
    const now = this.#now();
    if (!running.level.abandon(ticket, now)) return;
    this.#waits(turn.request, -1, now);
    this.tally.of(schema).leaves(ticket.seats, now - ticket.arrivedAt);
    this.refuses(turn, reason);
    this.#demandOf(running, now);
  }

  #begin(tickets: readonly Ticket<Turn>[]): void {
    for (const ticket of tickets) {
      const turn = ticket.of;
      this.tally.of(turn.of.schema).leaves(ticket.seats, null);
      this.#waits(turn.request, -1, ticket.begunAt ?? 0);
      this.#counted(turn, ticket, ticket.begunAt ?? 0);
      turn.begins();
    }
  }

  #counted(turn: Turn, ticket: Ticket<Turn>, now: number): void {
    const { running, schema } = turn.of;
    running.counts.dispatched++;
    const kind = kindOf(turn.request);
    this.current[kind]++;
    this.#noteKind(kind, now);
    this.tally.of(schema).begins(ticket.seats, now - ticket.arrivedAt);
  }

  #waits(request: SeatRequest, delta: 1 | -1, now: number): void {
    const kind = kindOf(request);
    this.waiting[kind] += delta;
    this.#noteKind(kind, now);
  }

  #demandOf(running: Running, now: number): void {
    running.demand.set(running.level.seatsInUse + running.level.waitingSeats, now);
    this.#noteUse(running, now);
  }

  #noteUse({ utilization, level, bounds }: Running, now: number): void {
    if (utilization === null) return;
    const { seatsInUse, waitingSeats, underWay, waiting, seats, terms } = level;
    const waitingMax = terms.queues * terms.queueLengthMax;
    utilization.note({ seatsInUse, waitingSeats, underWay, waiting, seats, nominalSeats: bounds.nominal, waitingMax }, now);
  }

  #noteKind(kind: 'readOnly' | 'mutating', now: number): void {
    this.#kinds?.executing[kind].set(this.current[kind] / this.#options.seats, now);
    this.#kinds?.waiting[kind].set(this.waiting[kind] / this.#options.seats, now);
  }

  get waitMaxMs(): number {
    return this.#options.waitMaxMs;
  }
}

const kindOf = ({ info }: SeatRequest): 'readOnly' | 'mutating' => (changing.has(info.verb) ? 'mutating' : 'readOnly');
const nowhere: readonly number[] = [];

interface TurnFacts {
  readonly schema: Schema;
  readonly running: Running;
  readonly work: Work;
}

/** A request in the queues, which it may enter twice: before and after its body is read. */
class Turn {
  readonly #fairness: Fairness;

  #ticket: Ticket<Turn> | null = null;
  #waiting: { readonly resolve: () => void; readonly reject: (error: Error) => void; readonly timer: NodeJS.Timeout } | null = null;
  #watched = false;
  #released = false;
  /** Null when the request is over: the seats of its watch events outlive it, and must not keep it in memory. */
  #request: SeatRequest | null;

  constructor(
    fairness: Fairness,
    readonly of: TurnFacts,
    request: SeatRequest,
  ) {
    this.#fairness = fairness;

    this.#request = request;
  }

  get request(): SeatRequest {
    if (this.#request === null) throw new Error('broken invariant: a request that is over has no turn');
    return this.#request;
  }

  /** Throws or rejects with 429. */
  enter(): void | Promise<void> {
    const arrival = this.#fairness.arrive(this);
    if (arrival.outcome === 'full' || arrival.outcome === 'busy') throw refused();
    this.#ticket = arrival.ticket;
    if (arrival.outcome === 'begin') return undefined;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#leave('time-out');
      }, this.#fairness.waitMaxMs);
      this.#waiting = { resolve, reject, timer };
      if (this.#watched) return;
      this.#watched = true;
      this.request.onClose(() => {
        this.#leave('cancelled');
      });
    });
  }

  begins(): void {
    const waiting = this.#waiting;
    this.#waiting = null;
    if (waiting === null) return;
    clearTimeout(waiting.timer);
    waiting.resolve();
  }

  #leave(reason: 'time-out' | 'cancelled'): void {
    const [waiting, ticket] = [this.#waiting, this.#ticket];
    if (waiting === null || ticket === null) return;
    this.#waiting = this.#ticket = null;
    clearTimeout(waiting.timer);
    this.#fairness.abandon(this, ticket, reason);
    waiting.reject(refused());
  }

  release(): void {
    this.#released = true;
    this.pause();
    if (this.#waiting === null) this.#request = null;
  }

  pause(): void {
    const ticket = this.#ticket;
    this.#ticket = null;
    if (ticket !== null && ticket.begunAt !== null) this.#fairness.finish(this, ticket);
  }

  async resume(): Promise<void> {
    if (!this.#released) await this.enter();
  }
}
