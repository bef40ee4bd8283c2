import type { Socket } from 'node:net';
import { readingOf } from './reading.js';

/** Requests of all connections that were read ahead of their turn; the connection that reads one more is cut. Some 150 MB of Node's objects. */
const readAheadMax = 50_000;

/** What is read at most of one connection that is held back, while it is looked whether the client is still there. */
const heldBytesMax = 256 * 1024;

/** A client with that much behind a request is cut when that request is still under way after so many looks. */
const looksMax = 30;

interface Lane {
  readonly waiting: (() => void)[];
  /** Bytes read of the connection when it was held back. */
  heldAt: number;
  /** How often it was looked at since its present request began. */
  looks: number;
}

/**
 * HTTP/1.1 lets a client send requests without waiting for answers, which leave in the same order. Node hands all of them over as it reads them, so
 * that one connection could have thousands under way, and a flood of them would be read and refused at the cost of everybody else. Here each
 * connection has one request under way, as in the reference. What was read with it waits, and nothing more is read before those have had their
 * turn: the rest stays in the kernel, and in the end with the client.
 *
 *     read: [ under way | waiting, of the same 64 KiB ]   not read: whatever else was sent
 */
export class ConnectionTurns {
  readonly #lanes = new Map<Socket, Lane>();
  readonly #readAheadMax: number;
  #readAhead = 0;

  constructor(bound = readAheadMax) {
    this.#readAheadMax = bound;
  }

  /** Whether a request of this connection is under way. */
  has(socket: Socket): boolean {
    return this.#lanes.has(socket);
  }

  /** Begins a request now, or when those before it are over. `begin` returns nothing; the caller tells by `over` that the answer is complete or cut off. */
  take(socket: Socket, begin: () => void): void {
    const lane = this.#lanes.get(socket);
    if (lane === undefined) {
      this.#lanes.set(socket, { waiting: [], heldAt: 0, looks: 0 });
      begin();
      return;
    }
    if (this.#readAhead >= this.#readAheadMax) {
      socket.destroy();
      return;
    }
    // The request under way has been read to its end, since another one came after it: it needs nothing more from the socket.
    if (lane.waiting.length === 0) {
      holdBack(socket);
      lane.heldAt = socket.bytesRead;
    } else readingOf(socket)?.readStop();
    lane.waiting.push(begin);
    this.#readAhead += 1;
  }

  /**
   * Reads one more piece of each connection whose request goes on while others wait. Else nobody would hear that its client has left, and a watch under way
   * would go on for nobody. A client that has sent more than that is not heard to leave: it is cut, unless its requests have their turns meanwhile.
   */
  look(): void {
    for (const [socket, lane] of this.#lanes) {
      if (lane.waiting.length === 0) continue;
      lane.looks += 1;
      if (lane.looks === 1) continue;
      if (socket.bytesRead - lane.heldAt <= heldBytesMax) readingOf(socket)?.readStart();
      else if (lane.looks > looksMax) socket.destroy();
    }
  }

  /** The request under way is over. Returns whether another one of the connection is under way now. */
  over(socket: Socket): boolean {
    const lane = this.#lanes.get(socket);
    if (lane === undefined) return false;
    const next = socket.destroyed ? undefined : lane.waiting.shift();
    if (next === undefined) {
      this.#readAhead -= lane.waiting.length;
      this.#lanes.delete(socket);
      return false;
    }
    this.#readAhead -= 1;
    lane.looks = 0;
    // The last one may have a body that has not been read yet.
    if (lane.waiting.length === 0) goOn(socket);
    next();
    return true;
  }
}

/** Reads no more. Node's requests resume their socket whenever somebody reads them, also when they are complete: for as long as this lasts, they do not. */
function holdBack(socket: Socket): void {
  socket.pause();
  socket.resume = () => socket;
}

function goOn(socket: Socket): void {
  // What was put over the method of the prototype goes; the method comes to light again.
  delete (socket as Partial<Socket>).resume;
  socket.resume();
}
