import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { holdBack, letGo, readOn } from './backPressure.js';

/** Requests read ahead on all connections, some 150 MB of Node's objects; one more cuts its connection. */
const readAheadMax = 50_000;

/** Bytes read from a paused connection to detect the client's departure. */
const heldBytesMax = 256 * 1024;

/** Checks after which a client with that much after an unfinished request is cut. */
const checksMax = 30;

interface Pipeline {
  readonly response: ServerResponse;
  readonly waiting: (() => void)[];
  heldAt: number;
  checks: number;
}

/**
 * HTTP/1.1 clients may pipeline requests. Node hands them over as it reads them, so a flood would be read at the cost of all other clients. Here each
 * connection has one active request, as in the reference, and reads no more until the requests of the same record have had their turn.
 *
 *     read: [ active | waiting, of the same record ]   kept by the socket: 64 KiB and one read   not read: whatever else was sent
 */
export class ConnectionTurns {
  readonly #pipelines = new Map<Socket, Pipeline>();
  readonly #readAheadMax: number;
  #readAhead = 0;

  constructor(bound = readAheadMax) {
    this.#readAheadMax = bound;
  }

  has(socket: Socket): boolean {
    return this.#pipelines.has(socket);
  }

  /** `begin` returns nothing; the caller calls `over` when the response is complete or cut. */
  take(socket: Socket, response: ServerResponse, begin: () => void): void {
    const pipeline = this.#pipelines.get(socket);
    if (pipeline === undefined) {
      this.#pipelines.set(socket, { response, waiting: [], heldAt: 0, checks: 0 });
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
   * Reads one more piece of each connection with waiting requests, so that a watch does not outlive its client. The departure of a client that sent more is
   * invisible: it is cut unless its requests progress meanwhile.
   */
  look(): void {
    for (const [socket, pipeline] of this.#pipelines) {
      if (pipeline.waiting.length === 0) continue;
      pipeline.checks += 1;
      if (pipeline.checks === 1) continue;
      if (socket.bytesRead - pipeline.heldAt <= heldBytesMax) readOn(socket, pipeline.response);
      else if (pipeline.checks > checksMax) socket.destroy();
    }
  }

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
    pipeline.checks = 0;
    if (waiting.length === 0) readOn(socket, response);
    next();
    return true;
  }
}
