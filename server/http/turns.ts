import type { ServerHttp2Stream } from 'node:http2';
import type { Connection } from './connection.js';
import { readingOf, type Reading } from './reading.js';

/** Pieces of work that begin in one turn of the event loop: a millisecond or two. Who comes next waits for several turns. */
const perTurnMax = 16;
/** Requests of one connection that wait for a turn; more than streams may be open, since those that were taken back count until then. */
const waitingMax = 8_192;
/** Places that have been left at the head of a line are dropped once there are so many, or nobody waits. */
const leftPlacesMax = 1_024;

/** Waiting requests of one connection from which on nothing more is read from it, and down to which reading goes on again: heads are decoded when they are read, however many there are. */
const heldFrom = 64;
const heldTo = 16;

/** What is known of the connection that brings a request. */
export type Bringer = Pick<Connection, 'userName' | 'peer' | 'socket' | 'cut'>;

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
  /** Whether its owner knows that something waits here. */
  queued: boolean;
  held: boolean;
}
/** What waits of one client: of one user, or of a connection on which nobody has said yet who he is. */
interface Owner {
  readonly key: string;
  /** Requests that have begun, waited for something, and want to go on. */
  readonly returning: Line<() => void>;
  /** Connections with requests that want to begin, in the order of their turns. */
  readonly lanes: Line<Lane>;
}

/**
 * Whose turn it is on the event loop. A connection of HTTP/2 may bring a thousand requests with one read; Node hands each of them over before it has
 * looked at the next frame, be it the one that takes the request back: whoever opens and resets streams as fast as it can has every one of them
 * begun (CVE-2023-44487). And one answer of the consensus thread lets hundreds of requests go on at once. Either would keep everybody else waiting.
 * Here some pieces of work begin at once, and the others in the next turns, one of each client after the other:
 *
 *     turn ─▶ client A ─▶ client B ─▶ client C ─▶ A ...        until there are 16; then the event loop goes round
 *                │
 *                └─ what returns first, then a request of each of its connections in turn
 *
 * A client with one request waits for one piece of each other client, not for all of them. Requests that were taken back by then never begin. While
 * many of a connection wait, no further ones are read from it: the rest stays in the kernel, and in the end with the client.
 */
export class Turns {
  readonly #lanes = new WeakMap<Bringer, Lane>();
  readonly #owners = new Map<string, Owner>();
  /** In the order of their turns. */
  readonly #rotation = new Line<Owner>();
  #begun = 0;
  readonly #perTurnMax: number;
  readonly #inNextTurn: (action: () => void) => void;
  readonly #readingOf: (bringer: Bringer) => Reading | null;

  constructor({ perTurn = perTurnMax, inNextTurn = setImmediate as (action: () => void) => void, reading = readingOfSocket } = {}) {
    this.#perTurnMax = perTurn;
    this.#inNextTurn = inNextTurn;
    this.#readingOf = reading;
  }

  /** A request has been read: begins now, or when it is its turn. A connection that brings far too many is cut. */
  begin(bringer: Bringer, stream: Waiting['stream'], begin: () => void): void {
    if (this.#isFree()) return this.#run(begin);
    const lane = this.#laneOf(bringer);
    if (lane.waiting.length >= waitingMax) {
      bringer.cut();
      return;
    }
    lane.waiting.push({ stream, begin });
    if (!lane.queued) {
      lane.queued = true;
      this.#ownerOf(keyOf(bringer)).lanes.push(lane);
    }
    if (lane.waiting.length < heldFrom) return;
    // Each time: when Node has written, it may read again.
    lane.held = true;
    this.#readingOf(bringer)?.readStop();
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
    return this.#begun < this.#perTurnMax && this.#rotation.length === 0;
  }

  #laneOf(bringer: Bringer): Lane {
    const known = this.#lanes.get(bringer);
    if (known !== undefined) return known;
    const lane: Lane = { bringer, waiting: new Line(), queued: false, held: false };
    this.#lanes.set(bringer, lane);
    return lane;
  }

  #ownerOf(key: string): Owner {
    const known = this.#owners.get(key);
    if (known !== undefined) return known;
    const owner: Owner = { key, returning: new Line(), lanes: new Line() };
    this.#owners.set(key, owner);
    this.#rotation.push(owner);
    return owner;
  }

  #count(): void {
    if (this.#begun === 0) this.#inNextTurn(this.#turn);
    this.#begun += 1;
  }

  #run(piece: () => void): void {
    this.#count();
    piece();
  }

  readonly #turn = (): void => {
    this.#begun = 0;
    while (this.#begun < this.#perTurnMax) {
      const owner = this.#rotation.shift();
      if (owner === undefined) return;
      const piece = owner.returning.shift() ?? this.#nextBeginning(owner);
      if (piece === null) this.#owners.delete(owner.key);
      else {
        this.#rotation.push(owner);
        this.#run(piece);
      }
    }
  };

  /** The next request that still wants an answer. */
  #nextBeginning({ lanes }: Owner): (() => void) | null {
    for (let lane = lanes.shift(); lane !== undefined; lane = lanes.shift()) {
      const next = nextOf(lane);
      if (lane.held && lane.waiting.length <= heldTo) {
        lane.held = false;
        this.#readingOf(lane.bringer)?.readStart();
      }
      if (next !== null) {
        lanes.push(lane);
        return next.begin;
      }
      lane.queued = false;
    }
    return null;
  }
}

/** Of a connection nobody has used yet: itself, told apart from users by a character that no name of a user has. */
const keyOf = ({ userName, peer }: Bringer): string => (userName === '' ? `\n${peer}` : userName);

const readingOfSocket = ({ socket }: Bringer): Reading | null => readingOf(socket);

function nextOf({ waiting }: Lane): Waiting | null {
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
    if (!next.stream.closed && !next.stream.destroyed) return next;
  return null;
}

/** Those of this thread: all that it does for clients shares one event loop. */
export const turns = new Turns();
