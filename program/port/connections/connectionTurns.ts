import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { holdBack, letGo, readOn } from './backPressure.js';

/** Requests of all connections that were read ahead of their turn; the connection that reads one more is cut. Some 150 MB of Node's objects. */
const readAheadMax = 50_000;

/** What is read at most of one connection that is held back, while it is looked whether the client is still there. */
const heldBytesMax = 256 * 1024;

/** A client with that much behind a request is cut when that request is still under way after so many looks. */
const looksMax = 30;

interface Pipeline {
  /** Whose connection is held back; of the request under way, or of one before it. */
  readonly response: ServerResponse;
  readonly waiting: (() => void)[];
  /** Bytes that had come over the connection when the first of those that wait did. */
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
 *     read: [ under way | waiting, of the same record ]   kept by the socket: 64 KiB and one read   not read: whatever else was sent
 */
export class ConnectionTurns {
  readonly #pipelines = new Map<Socket, Pipeline>();
  readonly #readAheadMax: number;
  #readAhead = 0;

  constructor(bound = readAheadMax) {
    this.#readAheadMax = bound;
  }

  /** Whether a request of this connection is under way. */
  has(socket: Socket): boolean {
    return this.#pipelines.has(socket);
  }

  /**
   * Begins the request of this response now, or when those before it are over. `begin` returns nothing; the caller tells by `over` that the answer is
   * complete or cut off.
   */
  take(socket: Socket, response: ServerResponse, begin: () => void): void {
    const pipeline = this.#pipelines.get(socket);
    if (pipeline === undefined) {
      this.#pipelines.set(socket, { response, waiting: [], heldAt: 0, looks: 0 });
      // The request that comes behind this one is the last that is read.
      holdBack(response);
      begin();
      return;
    }
    if (this.#readAhead >= this.#readAheadMax) {
      socket.destroy();
      return;
    }
    if (pipeline.waiting.length === 0) pipeline.heldAt = socket.bytesRead;
    pipeline.waiting.push(begin);
    this.#readAhead += 1;
  }

  /**
   * Reads one more piece of each connection whose request goes on while others wait. Else nobody would hear that its client has left, and a watch under way
   * would go on for nobody. A client that has sent more than that is not heard to leave: it is cut, unless its requests have their turns meanwhile.
   */
  look(): void {
    for (const [socket, pipeline] of this.#pipelines) {
      if (pipeline.waiting.length === 0) continue;
      pipeline.looks += 1;
      if (pipeline.looks === 1) continue;
      if (socket.bytesRead - pipeline.heldAt <= heldBytesMax) readOn(socket, pipeline.response);
      else if (pipeline.looks > looksMax) socket.destroy();
    }
  }

  /** The request under way is over. Returns whether another one of the connection is under way now. */
  over(socket: Socket): boolean {
    const pipeline = this.#pipelines.get(socket);
    if (pipeline === undefined) return false;
    const { response, waiting } = pipeline;
    const next = socket.destroyed ? undefined : waiting.shift();
    if (next === undefined) {
      this.#readAhead -= waiting.length;
      this.#pipelines.delete(socket);
      if (!socket.destroyed) letGo(response);
      return false;
    }
    this.#readAhead -= 1;
    pipeline.looks = 0;
    // The last one may have a body that has not been read yet.
    if (waiting.length === 0) readOn(socket, response);
    next();
    return true;
  }
}
