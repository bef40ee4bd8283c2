import type { Socket } from 'node:net';
import { socketQueueOf } from './socketQueue.js';

/** Bytes that may wait in a socket for long: the most that a connection hands over, plus heads and small events. */
const queuedBytesMax = 8 * 1024 * 1024;

export interface ProgressTimes {
  readonly takingMs: number;
  readonly overfullMs: number;
}

export class SocketProgress {
  #takenBytes = 0;
  #takenAt: number | null = null;
  #overfullSince: number | null = null;

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
