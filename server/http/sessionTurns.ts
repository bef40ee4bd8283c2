import type { Http2Session, ServerHttp2Stream } from 'node:http2';

/** Requests over HTTP/2, of all connections, that begin in one turn of the event loop: some two milliseconds of work. Who comes next waits for several turns. */
const begunPerTurnMax = 16;
/** Requests of one connection that wait for a turn; more than streams may be open, since those that were taken back count until then. */
const waitingMax = 8_192;
/** Those that have begun are dropped from a lane once there are so many, or none waits. */
const begunKeptMax = 1_024;

/** Waiting requests of one connection from which on nothing more is read from it, and down to which reading goes on again: heads are decoded when they are read, however many there are. */
const heldFrom = 64;
const heldTo = 16;

/** How reading from a connection stops and goes on. */
export interface Reading {
  readonly hold: (session: Http2Session) => void;
  readonly goOn: (session: Http2Session) => void;
}

interface Waiting {
  readonly stream: Pick<ServerHttp2Stream, 'closed' | 'destroyed'>;
  readonly begin: () => void;
}
/** What waits of one connection, from `next` on. */
interface Lane {
  readonly session: Http2Session;
  readonly waiting: Waiting[];
  next: number;
  held: boolean;
}

/**
 * A connection of HTTP/2 may bring a thousand requests with one read. Node hands each of them over before it has looked at the next frame, be it
 * the one that takes the request back: whoever opens and resets streams as fast as it can has every one of them begun (CVE-2023-44487), and keeps
 * everybody else waiting meanwhile. Here some begin at once, and the others in the next turns, one of each connection after the other: a client with
 * one request waits for one of each other client, not for all of them. Those that were taken back by then never begin. While many of a connection
 * wait, no further ones are read from it: the rest stays in the kernel, and in the end with the client.
 */
export class SessionTurns {
  readonly #lanes = new WeakMap<Http2Session, Lane>();
  /** Lanes in which something waits, in the order of their turns. */
  #rotation: Lane[] = [];
  #begun = 0;
  readonly #perTurnMax: number;
  readonly #inNextTurn: (action: () => void) => void;

  constructor(
    private readonly reading: Reading,
    perTurnMax = begunPerTurnMax,
    inNextTurn: (action: () => void) => void = setImmediate,
  ) {
    this.#perTurnMax = perTurnMax;
    this.#inNextTurn = inNextTurn;
  }

  take(session: Http2Session, stream: Waiting['stream'], begin: () => void): void {
    if (this.#begun < this.#perTurnMax && this.#rotation.length === 0) return this.#begin(begin);
    const lane = this.#laneOf(session);
    if (lane.waiting.length - lane.next >= waitingMax) {
      session.destroy();
      return;
    }
    if (lane.waiting.length === 0) this.#rotation.push(lane);
    lane.waiting.push({ stream, begin });
    if (lane.waiting.length - lane.next < heldFrom) return;
    // Each time: when Node has written, it may read again.
    lane.held = true;
    this.reading.hold(session);
  }

  #laneOf(session: Http2Session): Lane {
    const known = this.#lanes.get(session);
    if (known !== undefined) return known;
    const lane: Lane = { session, waiting: [], next: 0, held: false };
    this.#lanes.set(session, lane);
    return lane;
  }

  #begin(begin: () => void): void {
    if (this.#begun === 0) this.#inNextTurn(this.#turn);
    this.#begun += 1;
    begin();
  }

  readonly #turn = (): void => {
    this.#begun = 0;
    const rotation = this.#rotation;
    let at = 0;
    for (; at < rotation.length && this.#begun < this.#perTurnMax; at += 1) {
      const lane = rotation[at] as Lane;
      const next = nextOf(lane);
      if (lane.held && lane.waiting.length - lane.next <= heldTo) {
        lane.held = false;
        this.reading.goOn(lane.session);
      }
      if (next !== null) {
        rotation.push(lane);
        this.#begin(next.begin);
      }
    }
    this.#rotation = rotation.slice(at);
  };
}

/** The next request that still wants an answer; without one, the lane is empty. */
function nextOf(lane: Lane): Waiting | null {
  if (lane.next >= begunKeptMax) {
    lane.waiting.splice(0, lane.next);
    lane.next = 0;
  }
  while (lane.next < lane.waiting.length) {
    const next = lane.waiting[lane.next] as Waiting;
    lane.next += 1;
    if (!next.stream.closed && !next.stream.destroyed) return next;
  }
  lane.waiting.length = 0;
  lane.next = 0;
  return null;
}
