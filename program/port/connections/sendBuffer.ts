import type { SendBuffer, Sender } from './sender.js';
import type { UnsentBytes } from './unsentBytes.js';

/** Bytes handed over to one connection; less when all connections have many. */
const unsentBytesMax = 1024 * 1024;
const shareOfRest = 16;
/** A piece's share of a connection's room, so that unread streams leave some for others. */
const shareOfRoom = 8;
/** One HTTP/2 frame or TLS record. Every idle connection may send that much. */
export const pieceBytesMin = 16 * 1024;
const pieceBytesMax = 128 * 1024;

/**
 * Bytes handed over to one connection that its client has not taken: in HTTP/2's queues, encrypted, or in the queue of the socket. Node reports a write as done
 * when the kernel has taken all of it.
 *
 *     responses ──▶ waiting, in turn ──piece──▶ unsent: HTTP/2, TLS, socket ──▶ kernel
 *                   (their own memory)          (copied and encrypted: bounded here)
 */
export class ConnectionSendBuffer implements SendBuffer {
  readonly #all: UnsentBytes;
  #unsent = 0;
  #closed = false;
  readonly #waiting = new Set<Sender>();

  constructor(all: UnsentBytes) {
    this.#all = all;
  }

  get unsentBytes(): number {
    return this.#unsent;
  }

  get pieceBytes(): number {
    if (this.#closed) return pieceBytesMax;
    const room = this.#bound() - this.#unsent;
    if (room < pieceBytesMin) return this.#unsent === 0 ? pieceBytesMin : 0;
    return Math.max(pieceBytesMin, Math.min(pieceBytesMax, Math.floor(room / shareOfRoom)));
  }

  add(bytes: number): void {
    if (this.#closed) return;
    this.#unsent += bytes;
    this.#all.add(bytes);
  }

  remove(bytes: number): void {
    if (this.#closed) return;
    this.#unsent -= bytes;
    this.#all.remove(bytes);
    this.#goOn();
  }

  whenRoom(sender: Sender): void {
    this.#waiting.add(sender);
    this.#goOn();
  }

  forget(sender: Sender): void {
    this.#waiting.delete(sender);
  }

  close(): void {
    if (this.#closed) return;
    this.#all.remove(this.#unsent);
    this.#unsent = 0;
    this.#closed = true;
    this.#goOn();
  }

  #bound(): number {
    return Math.min(unsentBytesMax, this.#all.rest / shareOfRest);
  }

  #goOn(): void {
    for (const sender of this.#waiting) {
      if (this.pieceBytes === 0) return;
      this.#waiting.delete(sender);
      sender.sendMore();
    }
  }
}
