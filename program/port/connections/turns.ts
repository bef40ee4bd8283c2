import type { ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import { readingOf, type Reading } from './reading.js';

/** Pieces of work that begin in one turn of the event loop: a millisecond or two. Who comes next waits for several turns. */
const perTurnMax = 16;
/** Milliseconds after which none begins in a turn any more: the first request of a connection, whose certificates are checked, or a part of a long list takes as long as many others. */
const budgetMs = 2;
/** Requests of one connection that wait for a turn; more than streams may be open, since those that were taken back count until then. */
const waitingMax = 8_192;
/** Places that have been left at the head of a line are dropped once there are so many, or nobody waits. */
const leftPlacesMax = 1_024;

/** From so many waiting requests of one client on, nothing more is read from its connections: decoding heads takes time outside of anybody's turn. */
const heldFrom = 64;

/** What is known of the connection that brings a request. */
export interface Bringer {
  /** Whoever asked last; empty before anybody has. */
  readonly userName: string;
  /** Names the connection among all. */
  readonly ends: string;
  readonly socket: Socket;
  cut(): void;
}

interface Waiting {
  readonly stream: Pick<ServerHttp2Stream, 'closed' | 'destroyed'>;
  readonly begin: () => void;
}
/** First in, first out. A place that is left is cleared: what has had its turn must not live on for as long as others wait. */
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
/** Requests of one connection that wait for their beginning. */
interface Lane {
  readonly bringer: Bringer;
  readonly waiting: Line<Waiting>;
  /** Who gets the turns for it; stays the same for as long as something waits here or it is held, though another user may have asked meanwhile. */
  owner: Owner;
  /** Whether its owner knows that something waits here. */
  queued: boolean;
  /** Nothing is read from it, and its owner knows. */
  held: boolean;
}
/** What waits of one client: of one user, or of a connection on which nobody has said yet who he is. */
interface Owner {
  readonly key: string;
  /** Requests that have begun, waited for something, and want to go on. */
  readonly returning: Line<() => void>;
  /** Connections with requests that want to begin, in the order of their turns. */
  readonly lanes: Line<Lane>;
  /** Requests that want to begin, on all of its connections. */
  waiting: number;
  /** Connections that are to be read again, in the order of their turns. */
  readonly held: Line<Lane>;
  /** The turn of the event loop in which one of them was told to read. */
  readAt: number;
}

/** Clock and event loop; for tests. */
export interface TurnOptions {
  /** Pieces of a turn. */
  readonly perTurn: number;
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
  /** Calls the action when the event loop has gone round. */
  readonly inNextTurn: (action: () => void) => void;
  /** Calls the action when whatever waited for a promise has gone on, as far as it can without waiting again. */
  readonly afterwards: (action: () => void) => void;
  readonly reading: (bringer: Bringer) => Reading | null;
}

const usual: TurnOptions = {
  perTurn: perTurnMax,
  now: () => performance.now(),
  inNextTurn: (action) => {
    setImmediate(action);
  },
  // Node does what is asked for the next tick once no promise has anybody to go on.
  afterwards: (action) => {
    queueMicrotask(() => {
      process.nextTick(action);
    });
  },
  reading: ({ socket }) => readingOf(socket),
};

/**
 * Whose turn it is on the event loop. A connection of HTTP/2 may bring a thousand requests with one read; Node hands each of them over before it has
 * looked at the next frame, be it the one that takes the request back: whoever opens and resets streams as fast as it can has every one of them
 * begun (CVE-2023-44487). And one answer of the consensus thread lets hundreds of requests go on at once. Either would keep everybody else waiting.
 * Here some pieces of work begin at once, and the others in the next turns, one of each client after the other:
 *
 *     turn ─▶ client A ─▶ client B ─▶ client C ─▶ A ...        until there are 16, or 2 ms are over; then the event loop goes round
 *                │
 *                └─ what returns first, then a request of each of its connections in turn
 *
 * A client with one request waits for one piece of each other client, not for all of them. Requests that were taken back by then never begin. While
 * many of a client wait, no further ones are read from its connections: the rest stays in the kernel, and in the end with the client. Once all of them
 * have begun, reading goes on, of one connection in a turn: however many a client has, it brings no more at a time than with one.
 */
export class Turns {
  readonly #lanes = new WeakMap<Bringer, Lane>();
  readonly #owners = new Map<string, Owner>();
  /** In the order of their turns. */
  readonly #rotation = new Line<Owner>();
  #begun = 0;
  #turns = 0;
  /** When the time of the present turn is over: counted from its first piece. */
  #end = 0;
  readonly #options: TurnOptions;

  constructor(options: Partial<TurnOptions> = {}) {
    this.#options = { ...usual, ...options };
  }

  /** A request has been read: begins now, or when it is its turn. A connection that brings far too many is cut. */
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

  /** A request of the user has what it waited for. Undefined where it may go on at once; otherwise settles when it is its turn. */
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
    // Each time: when Node has written, it may read again.
    this.#options.reading(lane.bringer)?.readStop();
  }

  /** Reads one connection again that was held; what it brings is there before the next turn. */
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

  /** `resting`: have had a connection read in this turn, and nothing else to do in it. */
  #goRound(resting: Owner[]): void {
    while (this.#hasRoom()) {
      const owner = this.#rotation.shift();
      if (owner === undefined) break;
      const returning = owner.returning.shift();
      const piece = returning ?? nextBeginning(owner) ?? this.#nextReading(owner);
      if (piece !== null) {
        this.#rotation.push(owner);
        this.#run(piece);
        // It goes on where it waited: only then is it known how long that takes.
        if (returning !== undefined) {
          this.#options.afterwards(() => this.#goRound(resting));
          return;
        }
      } else if (owner.held.length > 0) resting.push(owner);
      else this.#owners.delete(owner.key);
    }
    // There is a next turn, since these have had a connection read in this one.
    for (const owner of resting) this.#rotation.push(owner);
  }
}

/** Of a connection nobody has used yet: itself, told apart from users by a character that no name of a user has. */
const keyOf = ({ userName, ends }: Bringer): string => (userName === '' ? `\n${ends}` : userName);

/** The next request of a client that still wants an answer. */
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

/** Those of this thread: all that it does for clients shares one event loop. */
export const turns = new Turns();
