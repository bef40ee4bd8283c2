import type { ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import { Line } from './line.js';
import { Paces } from './paces.js';
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

/** Waiting requests of one client above which nothing more is read from its connections: decoding heads takes time outside any turn. */
const heldFrom = 64;

export interface Bringer {
  readonly userName: string;
  readonly ends: string;
  readonly socket: Socket;
  /** All HTTP/2 connections of the user of the latest request, this one included; empty before the first request. */
  readonly siblings: Iterable<Bringer>;
  cut(): void;
}

interface Waiting {
  readonly stream: Pick<ServerHttp2Stream, 'closed' | 'destroyed'>;
  readonly begin: () => void;
}

/** Requests of one connection that wait for their beginning. */
interface Lane {
  readonly bringer: Bringer;
  readonly waiting: Line<Waiting>;
  /** The client that its turns count for, fixed while something waits here or it is held, though another user may have sent a request meanwhile. */
  owner: Owner;
  /** True when it is in its owner's queue of lanes. */
  queued: boolean;
  /** True when reading is paused and its owner knows. */
  held: boolean;
  /** Node may read it all the same: it does once it has written. */
  slipped: boolean;
}

/** Waiting work of one client: of one user, or of a connection whose user is still unknown. */
interface Owner {
  readonly key: string;
  readonly isStranger: boolean;
  /** Requests that have begun, waited for something, and want to go on. */
  readonly returning: Line<() => void>;
  readonly lanes: Line<Lane>;
  /** Requests that want to begin, on all of its connections. */
  waiting: number;
  /** Paused connections, in the order of their turns to be read again. */
  readonly held: Line<Lane>;
  /** The turn of the event loop in which one of them last resumed reading. */
  readAt: number;
  /** None of its connections was read again since it had so many requests that all were held. */
  allHeld: boolean;
  /** Out of the rotation: none of its requests may begin before another one has left its place, or some time is over. */
  aside: boolean;
  /** A timer runs that ends this. */
  timed: boolean;
}

export interface TurnOptions {
  readonly perTurn: number;
  readonly now: () => number;
  readonly inNextTurn: (action: () => void) => void;
  /** Calls the action after all pending promise reactions have run. */
  readonly afterwards: (action: () => void) => void;
  /** Calls the action when so many milliseconds are over. */
  readonly later: (action: () => void, ms: number) => void;
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
  later: (action, ms) => {
    setTimeout(action, ms).unref();
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
 *
 * A client for whose requests there is no room is paced (`paces.ts`): it stands aside until one of them may begin, and is not read meanwhile.
 */
export class Turns {
  readonly #lanes = new WeakMap<Bringer, Lane>();
  readonly #owners = new Map<string, Owner>();
  readonly #rotation = new Line<Owner>();
  /** Held connections that Node may read. */
  #slipped: Lane[] = [];
  #begun = 0;
  /** The event loop has been asked for another turn. */
  #coming = false;
  #turns = 0;
  /** When the current turn ends: counted from its first piece. */
  #end = 0;
  readonly #options: TurnOptions;
  readonly #paces: Paces;

  constructor(options: Partial<TurnOptions> = {}) {
    this.#options = { ...usual, ...options };
    this.#paces = new Paces(this.#options.now);
  }

  /** Begins a received request now, or in its turn. A connection with far too many waiting requests is cut. */
  begin(bringer: Bringer, stream: Waiting['stream'], begin: () => void): void {
    const key = keyOf(bringer);
    if (this.#isFree() && this.#mayBegin(key)) {
      this.#paces.begins(key);
      return this.#run(begin);
    }
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
    if (owner.waiting >= heldFrom) this.#holdAll(lane);
  }

  /** A request of the connection has found no room. */
  refused(bringer: Bringer): void {
    this.#paces.refused(keyOf(bringer));
  }

  /** A request of the connection has left its place to another one. */
  left(bringer: Bringer): void {
    const key = keyOf(bringer);
    if (!this.#paces.left(key)) return;
    const owner = this.#owners.get(key);
    if (owner !== undefined) this.#return(owner);
  }

  /** An answer has been written to the connection, which makes Node read on: once it has, a connection that is held is held again, before anything has been read. */
  answered(bringer: Bringer): void {
    const lane = this.#lanes.get(bringer);
    if (lane === undefined || !lane.held || lane.slipped) return;
    lane.slipped = true;
    this.#slipped.push(lane);
    this.#askForTurn();
  }

  /** Whether the connection is not read because much of its client waits. */
  holds(bringer: Bringer): boolean {
    return this.#lanes.get(bringer)?.held === true;
  }

  /** Lets a request of the user go on after a wait. Returns undefined where it may go on at once; otherwise the promise settles in its turn. */
  goOn(user: string): Promise<void> | undefined {
    if (this.#isFree()) {
      this.#count();
      return undefined;
    }
    const owner = this.#ownerOf(user);
    const { returning } = owner;
    this.#return(owner);
    return new Promise((resolve) => {
      returning.push(resolve);
    });
  }

  #isFree(): boolean {
    return this.#rotation.length === 0 && this.#hasRoom();
  }

  /** Whether the client is not paced, or has nothing that waits before this. */
  #mayBegin(key: string): boolean {
    return !this.#owners.has(key) && this.#paces.allows(key);
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
    const lane: Lane = { bringer, waiting: new Line(), owner: this.#ownerOf(keyOf(bringer)), queued: false, held: false, slipped: false };
    this.#lanes.set(bringer, lane);
    return lane;
  }

  #ownerOf(key: string): Owner {
    const known = this.#owners.get(key);
    if (known !== undefined) return known;
    const owner: Owner = {
      key,
      isStranger: key.startsWith(strangersMark),
      returning: new Line(),
      lanes: new Line(),
      waiting: 0,
      held: new Line(),
      readAt: 0,
      allHeld: false,
      aside: false,
      timed: false,
    };
    this.#owners.set(key, owner);
    this.#rotation.push(owner);
    this.#askForTurn();
    return owner;
  }

  /** Nothing of it may begin: it stands aside until that changes. */
  #standAside(owner: Owner): void {
    owner.aside = true;
    if (owner.timed) return;
    owner.timed = true;
    this.#options.later(() => {
      owner.timed = false;
      this.#return(owner);
    }, this.#paces.waitMs(owner.key));
  }

  #return(owner: Owner): void {
    if (!owner.aside) return;
    owner.aside = false;
    this.#rotation.push(owner);
    this.#askForTurn();
  }

  /** Those of its client that have something to read as well, in this very turn, are not read any more. */
  #holdAll(lane: Lane): void {
    this.#hold(lane);
    if (lane.owner.allHeld) return;
    lane.owner.allHeld = true;
    for (const sibling of lane.bringer.siblings) {
      const other = this.#laneOf(sibling);
      if (!other.held) this.#hold(other);
    }
  }

  #hold(lane: Lane): void {
    if (!lane.held) {
      lane.held = true;
      lane.owner.held.push(lane);
    }
    // Repeated each time: something has been read.
    this.#options.reading(lane.bringer)?.readStop();
  }

  /** Returns the next request of a client that still wants a response. */
  #nextBeginning(owner: Owner): (() => void) | null {
    const { lanes } = owner;
    for (let lane = lanes.shift(); lane !== undefined; lane = lanes.shift()) {
      const isKnown = owner.isStranger && lane.bringer.userName !== '';
      if (isKnown) this.#handOver(lane);
      const next = isKnown ? null : nextOf(lane);
      if (next !== null) {
        lanes.push(lane);
        return next;
      }
      lane.queued = isKnown;
    }
    return null;
  }

  /** Somebody has said meanwhile who he is: what waits on the connection is his. */
  #handOver(lane: Lane): void {
    const { owner: stranger, waiting } = lane;
    const owner = this.#ownerOf(keyOf(lane.bringer));
    stranger.waiting -= waiting.length;
    owner.waiting += waiting.length;
    owner.lanes.push(lane);
    if (lane.held) owner.held.push(lane);
    lane.owner = owner;
  }

  /** Reads one paused connection again; its requests are there before the next turn. */
  #nextReading(owner: Owner): (() => void) | null {
    if (owner.readAt === this.#turns) return null;
    let lane = owner.held.shift();
    // A connection that was handed over belongs to another owner.
    while (lane !== undefined && lane.owner !== owner) lane = owner.held.shift();
    if (lane === undefined) return null;
    return () => {
      owner.readAt = this.#turns;
      owner.allHeld = false;
      lane.held = false;
      this.#options.reading(lane.bringer)?.readStart();
    };
  }

  /** Returns the next step of a client: null where it has nothing to do, `paced` where its next request may not begin yet. */
  #nextOf(owner: Owner): (() => void) | 'paced' | null {
    if (!this.#paces.allows(owner.key)) return owner.waiting > 0 || owner.held.length > 0 ? 'paced' : null;
    const beginning = this.#nextBeginning(owner);
    if (beginning !== null) this.#paces.begins(owner.key);
    return beginning ?? this.#nextReading(owner);
  }

  #count(): void {
    if (this.#begun === 0) this.#end = this.#options.now() + budgetMs;
    this.#askForTurn();
    this.#begun += 1;
  }

  #askForTurn(): void {
    if (this.#coming) return;
    this.#coming = true;
    this.#options.inNextTurn(this.#turn);
  }

  #run(piece: () => void): void {
    this.#count();
    piece();
  }

  readonly #turn = (): void => {
    this.#begun = 0;
    this.#coming = false;
    this.#turns += 1;
    this.#holdAgain();
    this.#goRound([]);
  };

  #holdAgain(): void {
    for (const lane of this.#slipped) {
      lane.slipped = false;
      if (lane.held) this.#options.reading(lane.bringer)?.readStop();
    }
    this.#slipped = [];
  }

  /** `resting` owners had a connection read in this turn, and have nothing else to do in it. */
  #goRound(resting: Owner[]): void {
    while (this.#hasRoom()) {
      const owner = this.#rotation.shift();
      if (owner === undefined) break;
      const returning = owner.returning.shift();
      const piece = returning ?? this.#nextOf(owner);
      if (piece === 'paced') this.#standAside(owner);
      else if (piece !== null) {
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
const keyOf = ({ userName, ends }: Bringer): string => (userName === '' ? `${strangersMark}${ends}` : userName);
const strangersMark = '\n';

/** Returns the next request of the connection that still wants a response. */
function nextOf({ owner, waiting }: Lane): (() => void) | null {
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    owner.waiting -= 1;
    if (!next.stream.closed && !next.stream.destroyed) return next.begin;
  }
  return null;
}

/** One per thread: all its work for clients shares one event loop. */
export const turns = new Turns();
