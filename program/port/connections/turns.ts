import type { ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import { Line } from './line.js';
import { Paces } from './paces.js';
import { readingOf, type Reading } from './reading.js';

/** Pieces of work in one turn: a millisecond or two. */
const perTurnMax = 16;
/** A request with certificate checks, or a part of a long list, takes as long as many others. */
const budgetMs = 2;
/** Waiting requests of one connection: more than open streams, as cancelled ones count. */
const waitingMax = 8_192;

/** A client with more waiting requests is not read: decoding heads takes time outside any turn. */
const heldFrom = 64;

export interface Bringer {
  readonly userName: string;
  readonly ends: string;
  readonly socket: Socket;
  /** The same as those of `Connection`. */
  readonly siblings: Iterable<Bringer>;
  cut(): void;
}

interface Waiting {
  readonly stream: Pick<ServerHttp2Stream, 'closed' | 'destroyed'>;
  readonly begin: () => void;
}

interface Lane {
  readonly bringer: Bringer;
  readonly waiting: Line<Waiting>;
  /** Fixed while requests wait here or it is paused, even if another user sends some. */
  owner: Owner;
  queued: boolean;
  held: boolean;
  /** Node reads again once it has written. */
  slipped: boolean;
}

/** One user, or a connection whose user is still unknown. */
interface Owner {
  readonly key: string;
  readonly isStranger: boolean;
  readonly returning: Line<() => void>;
  readonly lanes: Line<Lane>;
  waiting: number;
  readonly held: Line<Lane>;
  /** The turn in which one of them last resumed reading. */
  readAt: number;
  /** None of its connections was read again since all were paused. */
  allHeld: boolean;
  /** Paced, and out of the rotation. */
  aside: boolean;
  timed: boolean;
}

export interface TurnOptions {
  readonly perTurn: number;
  readonly now: () => number;
  readonly inNextTurn: (action: () => void) => void;
  /** Calls after all pending promise reactions. */
  readonly afterwards: (action: () => void) => void;
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
 * Schedules work on the event loop. One read of an HTTP/2 connection may bring a thousand requests, all handed over before the frame that cancels them
 * (CVE-2023-44487); one answer of the consensus thread lets hundreds go on. Either would block all other clients. So some work begins at once, the rest in the
 * next turns, one piece of each client after the other:
 *
 *     turn ─▶ client A ─▶ client B ─▶ client C ─▶ A ...        until there are 16, or 2 ms are over; then the event loop goes round
 *                │
 *                └─ returning requests first, then a request of each of its connections in turn
 *
 * A client with one request waits for one piece of each other client. Requests that were cancelled by then never begin. While many of a client wait, its
 * connections are not read, and later one per turn.
 *
 * A client without room for its requests is slowed down (`paces.ts`), and not read meanwhile.
 */
export class Turns {
  readonly #lanes = new WeakMap<Bringer, Lane>();
  readonly #owners = new Map<string, Owner>();
  readonly #rotation = new Line<Owner>();
  #slipped: Lane[] = [];
  #begun = 0;
  #coming = false;
  #turns = 0;
  #end = 0;
  readonly #options: TurnOptions;
  readonly #paces: Paces;

  constructor(options: Partial<TurnOptions> = {}) {
    this.#options = { ...usual, ...options };
    this.#paces = new Paces(this.#options.now);
  }

  /** A connection with far too many waiting requests is cut. */
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

  refused(bringer: Bringer): void {
    this.#paces.refused(keyOf(bringer));
  }

  left(bringer: Bringer): void {
    const key = keyOf(bringer);
    if (!this.#paces.left(key)) return;
    const owner = this.#owners.get(key);
    if (owner !== undefined) this.#return(owner);
  }

  /** A write makes Node read on, so a paused connection is paused again before any read. */
  answered(bringer: Bringer): void {
    const lane = this.#lanes.get(bringer);
    if (lane === undefined || !lane.held || lane.slipped) return;
    lane.slipped = true;
    this.#slipped.push(lane);
    this.#askForTurn();
  }

  holds(bringer: Bringer): boolean {
    return this.#lanes.get(bringer)?.held === true;
  }

  /** Undefined to go on at once; otherwise the promise settles in its turn. */
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

  /** Stops reading the client's other connections that have input in this turn. */
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
    this.#options.reading(lane.bringer)?.readStop();
  }

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

  /** The client has authenticated meanwhile, so its waiting requests count for that user. */
  #handOver(lane: Lane): void {
    const { owner: stranger, waiting } = lane;
    const owner = this.#ownerOf(keyOf(lane.bringer));
    stranger.waiting -= waiting.length;
    owner.waiting += waiting.length;
    owner.lanes.push(lane);
    if (lane.held) owner.held.push(lane);
    lane.owner = owner;
  }

  /** Its requests arrive before the next turn. */
  #nextReading(owner: Owner): (() => void) | null {
    if (owner.readAt === this.#turns) return null;
    let lane = owner.held.shift();
    while (lane !== undefined && lane.owner !== owner) lane = owner.held.shift();
    if (lane === undefined) return null;
    return () => {
      owner.readAt = this.#turns;
      owner.allHeld = false;
      lane.held = false;
      this.#options.reading(lane.bringer)?.readStart();
    };
  }

  /** Null where the client has nothing to do. */
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

  /** `resting` owners had a connection read in this turn. */
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
        if (returning !== undefined) {
          this.#options.afterwards(() => this.#goRound(resting));
          return;
        }
      } else if (owner.held.length > 0) resting.push(owner);
      else this.#owners.delete(owner.key);
    }
    for (const owner of resting) this.#rotation.push(owner);
  }
}

/** Keys of unused connections begin with a character that user names do not have. */
const keyOf = ({ userName, ends }: Bringer): string => (userName === '' ? `${strangersMark}${ends}` : userName);
const strangersMark = '\n';

function nextOf({ owner, waiting }: Lane): (() => void) | null {
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    owner.waiting -= 1;
    if (!next.stream.closed && !next.stream.destroyed) return next.begin;
  }
  return null;
}

/** One per thread, whose work for clients shares an event loop. */
export const turns = new Turns();
