import type { Socket } from 'node:net';
import { socketQueueOf } from './socketQueue.js';

/** What may wait in a socket for longer than a moment: all that a connection may have handed over, and heads, frames about the connection and small events beside. */
const queuedBytesMax = 8 * 1024 * 1024;

export interface ProgressTimes {
  /** For the client to take something of what waits. */
  readonly takingMs: number;
  /** For the socket to come below its bound. */
  readonly overfullMs: number;
}

/** Sees whether a client takes what its socket has been given. */
export class SocketProgress {
  #takenBytes = 0;
  #takenAt: number | null = null;
  #overfullSince: number | null = null;

  /** To be called now and then. */
  look(socket: Socket, now: number, { takingMs, overfullMs }: ProgressTimes): 'flowing' | 'stuck' {
    const queue = socketQueueOf(socket);
    if (queue === null || queue.queuedBytes === 0) {
      this.#takenAt = null;
      this.#overfullSince = null;
      return 'flowing';
    }
    if (this.#takenAt === null || queue.takenBytes !== this.#takenBytes) {
      this.#takenAt = now;
      this.#takenBytes = queue.takenBytes;
    }
    this.#overfullSince = queue.queuedBytes > queuedBytesMax ? (this.#overfullSince ?? now) : null;
    const overfull = this.#overfullSince !== null && now - this.#overfullSince >= overfullMs;
    return overfull || now - this.#takenAt >= takingMs ? 'stuck' : 'flowing';
  }
}
