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

export interface ClientConnection {
  readonly userName: string;
  readonly ends: string;
  readonly socket: Socket;
  /** The same as those of `Connection`. */
  readonly siblings: Iterable<ClientConnection>;
  cut(): void;
}

interface Waiting {
  readonly stream: Pick<ServerHttp2Stream, 'closed' | 'destroyed'>;
  readonly begin: () => void;
}

interface ConnectionQueue {
  readonly client: ClientConnection;
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
  readonly isUnauthenticated: boolean;
  readonly returning: Line<() => void>;
  readonly queues: Line<ConnectionQueue>;
  waiting: number;
  readonly held: Line<ConnectionQueue>;
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
  readonly reading: (client: ClientConnection) => Reading | null;
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
 * Schedules work on the event loop. One read of an HTTP/2 connection may bring a thousand requests before the frame that cancels them (CVE-2023-44487), one
 * answer of the consensus thread lets hundreds go on. So some work begins at once, the rest in the next turns, one piece of each client after the other:
 *
 *     turn ─▶ client A ─▶ client B ─▶ client C ─▶ A ...        until there are 16, or 2 ms are over; then the event loop goes round
 *                │
 *                └─ returning requests first, then a request of each of its connections in turn
 *
 * Requests that were cancelled by then never begin. While many of a client wait, its connections are not read, and later one per turn.
 * Clients without room for requests are slowed down (`paces.ts`).
 */
export class Turns {
  readonly #queues = new WeakMap<ClientConnection, ConnectionQueue>();
  readonly #owners = new Map<string, Owner>();
  readonly #rotation = new Line<Owner>();
  #slipped: ConnectionQueue[] = [];
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
  begin(client: ClientConnection, stream: Waiting['stream'], begin: () => void): void {
    const key = keyOf(client);
    if (this.#isFree() && this.#mayBegin(key)) {
      this.#paces.begins(key);
      return this.#run(begin);
    }
    const queue = this.#queueOf(client);
    if (queue.waiting.length >= waitingMax) {
      client.cut();
      return;
    }
    const { owner } = queue;
    queue.waiting.push({ stream, begin });
    owner.waiting += 1;
    if (!queue.queued) {
      queue.queued = true;
      owner.queues.push(queue);
    }
    if (owner.waiting >= heldFrom) this.#holdAll(queue);
  }

  refused(client: ClientConnection): void {
    this.#paces.refused(keyOf(client));
  }

  left(client: ClientConnection): void {
    const key = keyOf(client);
    if (!this.#paces.left(key)) return;
    const owner = this.#owners.get(key);
    if (owner !== undefined) this.#return(owner);
  }

  /** A write makes Node read on, so a paused connection is paused again before any read. */
  answered(client: ClientConnection): void {
    const queue = this.#queues.get(client);
    if (queue === undefined || !queue.held || queue.slipped) return;
    queue.slipped = true;
    this.#slipped.push(queue);
    this.#askForTurn();
  }

  holds(client: ClientConnection): boolean {
    return this.#queues.get(client)?.held === true;
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

  #queueOf(client: ClientConnection): ConnectionQueue {
    const known = this.#queues.get(client);
    if (known !== undefined) {
      if (!known.queued && !known.held) known.owner = this.#ownerOf(keyOf(client));
      return known;
    }
    const queue: ConnectionQueue = {
      client,
      waiting: new Line(),
      owner: this.#ownerOf(keyOf(client)),
      queued: false,
      held: false,
      slipped: false,
    };
    this.#queues.set(client, queue);
    return queue;
  }

  #ownerOf(key: string): Owner {
    const known = this.#owners.get(key);
    if (known !== undefined) return known;
    const owner: Owner = {
      key,
      isUnauthenticated: key.startsWith(unauthenticatedMark),
      returning: new Line(),
      queues: new Line(),
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
  #holdAll(queue: ConnectionQueue): void {
    this.#hold(queue);
    if (queue.owner.allHeld) return;
    queue.owner.allHeld = true;
    for (const sibling of queue.client.siblings) {
      const other = this.#queueOf(sibling);
      if (!other.held) this.#hold(other);
    }
  }

  #hold(queue: ConnectionQueue): void {
    if (!queue.held) {
      queue.held = true;
      queue.owner.held.push(queue);
    }
    this.#options.reading(queue.client)?.readStop();
  }

  #nextBeginning(owner: Owner): (() => void) | null {
    const { queues } = owner;
    for (let queue = queues.shift(); queue !== undefined; queue = queues.shift()) {
      const isKnown = owner.isUnauthenticated && queue.client.userName !== '';
      if (isKnown) this.#handOver(queue);
      const next = isKnown ? null : nextOf(queue);
      if (next !== null) {
        queues.push(queue);
        return next;
      }
      queue.queued = isKnown;
    }
    return null;
  }

  /** The client has authenticated meanwhile, so its waiting requests count for that user. */
  #handOver(queue: ConnectionQueue): void {
    const { owner: before, waiting } = queue;
    const owner = this.#ownerOf(keyOf(queue.client));
    before.waiting -= waiting.length;
    owner.waiting += waiting.length;
    owner.queues.push(queue);
    if (queue.held) owner.held.push(queue);
    queue.owner = owner;
  }

  /** Its requests arrive before the next turn. */
  #nextReading(owner: Owner): (() => void) | null {
    if (owner.readAt === this.#turns) return null;
    let queue = owner.held.shift();
    while (queue !== undefined && queue.owner !== owner) queue = owner.held.shift();
    if (queue === undefined) return null;
    return () => {
      owner.readAt = this.#turns;
      owner.allHeld = false;
      queue.held = false;
      this.#options.reading(queue.client)?.readStart();
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
    for (const queue of this.#slipped) {
      queue.slipped = false;
      if (queue.held) this.#options.reading(queue.client)?.readStop();
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
const keyOf = ({ userName, ends }: ClientConnection): string => (userName === '' ? `${unauthenticatedMark}${ends}` : userName);
const unauthenticatedMark = '\n';

function nextOf({ owner, waiting }: ConnectionQueue): (() => void) | null {
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    owner.waiting -= 1;
    if (!next.stream.closed && !next.stream.destroyed) return next.begin;
  }
  return null;
}

/** One per thread, whose work for clients shares an event loop. */
export const turns = new Turns();
