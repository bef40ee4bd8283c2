import type { ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import { readingOf, type Reading } from './reading.js';

/** Pieces of work that begin in one turn of the event loop: a millisecond or two. Further ones wait for several turns. */
const perTurnMax = 16;
/**
 * Milliseconds after which none begins in a turn any more: the first request of a connection, whose certificates are checked, or a part of a long list takes as
 * long as many others.
 */
const budgetMs = 2;
/** Requests of one connection that wait for a turn; more than streams may be open, since those that were cancelled count until then. */
const waitingMax = 8_192;
/** Empty places at the head of a line are dropped once there are so many, or nothing waits. */
const leftPlacesMax = 1_024;

/** Waiting requests of one client above which nothing more is read from its connections: decoding heads takes time outside any turn. */
const heldFrom = 64;

export interface Bringer {
  readonly userName: string;
  readonly ends: string;
  readonly socket: Socket;
  cut(): void;
}

interface Waiting {
  readonly stream: Pick<ServerHttp2Stream, 'closed' | 'destroyed'>;
  readonly begin: () => void;
}
/** First in, first out. An empty place is cleared: finished work must not live on for as long as others wait. */
class Line<T> {
  #items: (T | undefined)[] = [];
  #next = 0;

  get length(): number {
    return this.#items.length - this.#next;
  }

  push(item: T): void {
    this.#items.push(item);
  }

  shift(): T | undefined {
    if (this.length === 0) return undefined;
    const item = this.#items[this.#next];
    this.#items[this.#next] = undefined;
    this.#next += 1;
    if (this.length === 0 || this.#next >= leftPlacesMax) {
      this.#items = this.#items.slice(this.#next);
      this.#next = 0;
    }
    return item;
  }
}
interface Lane {
  readonly bringer: Bringer;
  readonly waiting: Line<Waiting>;
  /** The client that its turns count for, fixed while something waits here or it is held, though another user may have sent a request meanwhile. */
  owner: Owner;
  /** True when it is in its owner's queue of lanes. */
  queued: boolean;
  /** True when reading is paused and its owner knows. */
  held: boolean;
}
/** Waiting work of one client: of one user, or of a connection whose user is still unknown. */
interface Owner {
  readonly key: string;
  /** Requests that have begun, waited for something, and want to go on. */
  readonly returning: Line<() => void>;
  /** Connections with requests that want to begin, in the order of their turns. */
  readonly lanes: Line<Lane>;
  /** Requests that want to begin, on all of its connections. */
  waiting: number;
  /** Paused connections, in the order of their turns to be read again. */
  readonly held: Line<Lane>;
  /** The turn of the event loop in which one of them last resumed reading. */
  readAt: number;
}

export interface TurnOptions {
  readonly perTurn: number;
  readonly now: () => number;
  /** Calls the action in the next turn of the event loop. */
  readonly inNextTurn: (action: () => void) => void;
  /** Calls the action after all pending promise reactions have run. */
  readonly afterwards: (action: () => void) => void;
  readonly reading: (bringer: Bringer) => Reading | null;
}

const usual: TurnOptions = {
  perTurn: perTurnMax,
  now: () => performance.now(),
  inNextTurn: (action) => {
    setImmediate(action);
  },
  // Node runs next-tick callbacks once no promise reaction is pending.
  afterwards: (action) => {
    queueMicrotask(() => {
      process.nextTick(action);
    });
  },
  reading: ({ socket }) => readingOf(socket),
};

/**
 * Schedules work on the event loop. An HTTP/2 connection may bring a thousand requests with one read; Node hands each of them over before it has read the next
 * frame, even the one that cancels the request: a client that opens and resets streams at full speed has every one of them begun (CVE-2023-44487). And one
 * answer of the consensus thread lets hundreds of requests go on at once. Either would block all other clients. Here some pieces of work begin at once, and the
 * others in the next turns, one of each client after the other:
 *
 *     turn ─▶ client A ─▶ client B ─▶ client C ─▶ A ...        until there are 16, or 2 ms are over; then the event loop goes round
 *                │
 *                └─ returning requests first, then a request of each of its connections in turn
 *
 * A client with one request waits for one piece of each other client, not for all of them. Requests that were cancelled by then never begin. While many of a
 * client wait, nothing more is read from its connections: the rest stays in the kernel, and in the end with the client. Once all of them have begun, reading
 * goes on, of one connection in a turn: however many a client has, it brings no more at a time than with one.
 */
export class Turns {
  readonly #lanes = new WeakMap<Bringer, Lane>();
  readonly #owners = new Map<string, Owner>();
  readonly #rotation = new Line<Owner>();
  #begun = 0;
  #turns = 0;
  /** When the current turn ends: counted from its first piece. */
  #end = 0;
  readonly #options: TurnOptions;

  constructor(options: Partial<TurnOptions> = {}) {
    this.#options = { ...usual, ...options };
  }

  /** Begins a received request now, or in its turn. A connection with far too many waiting requests is cut. */
  begin(bringer: Bringer, stream: Waiting['stream'], begin: () => void): void {
    if (this.#isFree()) return this.#run(begin);
    const lane = this.#laneOf(bringer);
    if (lane.waiting.length >= waitingMax) {
      bringer.cut();
      return;
    }
    const { owner } = lane;
    lane.waiting.push({ stream, begin });
    owner.waiting += 1;
    if (!lane.queued) {
      lane.queued = true;
      owner.lanes.push(lane);
    }
    if (owner.waiting >= heldFrom) this.#hold(lane);
  }

  /** Lets a request of the user go on after a wait. Returns undefined where it may go on at once; otherwise the promise settles in its turn. */
  goOn(user: string): Promise<void> | undefined {
    if (this.#isFree()) {
      this.#count();
      return undefined;
    }
    const { returning } = this.#ownerOf(user);
    return new Promise((resolve) => {
      returning.push(resolve);
    });
  }

  #isFree(): boolean {
    return this.#rotation.length === 0 && this.#hasRoom();
  }

  #hasRoom(): boolean {
    const { perTurn, now } = this.#options;
    return this.#begun === 0 || (this.#begun < perTurn && now() < this.#end);
  }

  #laneOf(bringer: Bringer): Lane {
    const known = this.#lanes.get(bringer);
    if (known !== undefined) {
      if (!known.queued && !known.held) known.owner = this.#ownerOf(keyOf(bringer));
      return known;
    }
    const lane: Lane = { bringer, waiting: new Line(), owner: this.#ownerOf(keyOf(bringer)), queued: false, held: false };
    this.#lanes.set(bringer, lane);
    return lane;
  }

  #ownerOf(key: string): Owner {
    const known = this.#owners.get(key);
    if (known !== undefined) return known;
    const owner: Owner = { key, returning: new Line(), lanes: new Line(), waiting: 0, held: new Line(), readAt: 0 };
    this.#owners.set(key, owner);
    this.#rotation.push(owner);
    return owner;
  }

  #hold(lane: Lane): void {
    if (!lane.held) {
      lane.held = true;
      lane.owner.held.push(lane);
    }
    // Repeated each time: after a write, Node may read again.
    this.#options.reading(lane.bringer)?.readStop();
  }

  /** Reads one paused connection again; its requests are there before the next turn. */
  #nextReading(owner: Owner): (() => void) | null {
    if (owner.readAt === this.#turns) return null;
    const lane = owner.held.shift();
    if (lane === undefined) return null;
    return () => {
      owner.readAt = this.#turns;
      lane.held = false;
      this.#options.reading(lane.bringer)?.readStart();
    };
  }

  #count(): void {
    if (this.#begun === 0) {
      this.#end = this.#options.now() + budgetMs;
      this.#options.inNextTurn(this.#turn);
    }
    this.#begun += 1;
  }

  #run(piece: () => void): void {
    this.#count();
    piece();
  }

  readonly #turn = (): void => {
    this.#begun = 0;
    this.#turns += 1;
    this.#goRound([]);
  };

  /** `resting` owners had a connection read in this turn, and have nothing else to do in it. */
  #goRound(resting: Owner[]): void {
    while (this.#hasRoom()) {
      const owner = this.#rotation.shift();
      if (owner === undefined) break;
      const returning = owner.returning.shift();
      const piece = returning ?? nextBeginning(owner) ?? this.#nextReading(owner);
      if (piece !== null) {
        this.#rotation.push(owner);
        this.#run(piece);
        // It goes on where it waited: only then is its cost known.
        if (returning !== undefined) {
          this.#options.afterwards(() => this.#goRound(resting));
          return;
        }
      } else if (owner.held.length > 0) resting.push(owner);
      else this.#owners.delete(owner.key);
    }
    // There is a next turn, since these had a connection read in this one.
    for (const owner of resting) this.#rotation.push(owner);
  }
}

/** An unused connection has a key of its own, distinguished from users by a character that no name of a user has. */
const keyOf = ({ userName, ends }: Bringer): string => (userName === '' ? `\n${ends}` : userName);

/** Returns the next request of a client that still wants a response. */
function nextBeginning(owner: Owner): (() => void) | null {
  const { lanes } = owner;
  for (let lane = lanes.shift(); lane !== undefined; lane = lanes.shift()) {
    for (let next = lane.waiting.shift(); next !== undefined; next = lane.waiting.shift()) {
      owner.waiting -= 1;
      if (next.stream.closed || next.stream.destroyed) continue;
      lanes.push(lane);
      return next.begin;
    }
    lane.queued = false;
  }
  return null;
}

/** One per thread: all its work for clients shares one event loop. */
export const turns = new Turns();
