import type net from 'node:net';
import { isHandOverAnswer, type HandedConnection, type HandOverAnswer } from '../server/process/handOverMessages.js';

export { isHandOverAnswer };

export type HandOverOutcome = 'taken' | 'refused' | 'busy' | 'gone';

/** Sends a socket over a channel and leaves it open here. Calls `failed` when it cannot be sent. */
export type SendSocket = (message: HandedConnection, client: net.Socket, failed: () => void) => void;

/** A server that does not take a connection within this time gets no more until it does. */
const takenWithinMs = 1000;

interface Offer {
  readonly client: net.Socket;
  readonly settle: (outcome: HandOverOutcome) => void;
}

/**
 * Hands connections over to one server process. A stopped process may take a sent connection when it resumes, so that one must not go elsewhere. Only one is in
 * transit at a time; waiting ones still can.
 *
 *     waiting ──▶ sent ──▶ taken ──▶ closed
 *        │          └────▶ refused: untouched, and free again
 *        └─ busy
 *
 * The sockets stay open here too, unread, until the server has closed them, so that connections of a hanging server can be cut.
 */
export class ConnectionTaker {
  readonly #send: SendSocket;
  #waiting: Offer[] = [];
  #sent: (Offer & { readonly id: number }) | null = null;
  #late: NodeJS.Timeout | null = null;
  #isLate = false;
  #ended = false;
  #lastId = 0;
  readonly #taken = new Map<number, net.Socket>();

  constructor(send: SendSocket) {
    this.#send = send;
  }

  /**
   * Never rejects. Nothing may have been read from the socket, and nothing may read it while the server has it. It is destroyed here when the server has
   * closed it.
   */
  give(client: net.Socket): Promise<HandOverOutcome> {
    if (this.#ended) return Promise.resolve('gone');
    if (this.#isLate) return Promise.resolve('busy');
    return new Promise((settle) => {
      this.#waiting.push({ client, settle });
      this.#sendNext();
    });
  }

  heard(answer: HandOverAnswer): void {
    if ('taken' in answer) {
      const { client } = this.#sent ?? {};
      if (this.#settleSent(answer.taken, 'taken') && client) this.#taken.set(answer.taken, client);
    } else if ('refused' in answer) this.#settleSent(answer.refused, 'refused');
    else if ('closed' in answer) this.#closed(answer.closed);
  }

  /** The kernel has closed the process's sockets, but not these copies. */
  end(): void {
    this.#ended = true;
    for (const client of this.#taken.values()) client.destroy();
    this.#taken.clear();
    if (this.#sent) this.#settleSent(this.#sent.id, 'gone');
    for (const { settle } of this.#waiting.splice(0)) settle('gone');
  }

  #closed(id: number): void {
    if (this.#sent?.id === id) {
      const { client } = this.#sent;
      this.#settleSent(id, 'taken');
      client.destroy();
    }
    this.#taken.get(id)?.destroy();
    this.#taken.delete(id);
  }

  #sendNext(): void {
    if (this.#sent !== null) return;
    const next = this.#waiting.shift();
    if (next === undefined) return;
    const id = ++this.#lastId;
    this.#sent = { ...next, id };
    this.#late = setTimeout(() => this.#giveUpWaiting(), takenWithinMs);
    this.#send({ handsOver: id }, next.client, () => this.#settleSent(id, 'gone'));
  }

  #giveUpWaiting(): void {
    this.#isLate = true;
    for (const { settle } of this.#waiting.splice(0)) settle('busy');
  }

  /** Returns true when it was in transit. */
  #settleSent(id: number, outcome: HandOverOutcome): boolean {
    if (this.#sent?.id !== id) return false;
    const { settle } = this.#sent;
    if (this.#late !== null) clearTimeout(this.#late);
    this.#sent = null;
    this.#isLate = false;
    settle(outcome);
    if (!this.#ended) this.#sendNext();
    return true;
  }
}
