import { unbounded, type SendBuffer, type Sender } from '../../../program/port/connections/index.js';

export interface Flushable {
  flush(): void;
}

const budgetMs = 5;
const visitMax = 128;
const doneMax = 1_024;

/** Sends a connection's writes of one turn together: in few TLS records and one system call. */
export class FlushQueue {
  readonly #sendBuffer: SendBuffer;
  queued = false;
  #waiting: Flushable[] = [];

  constructor(sendBuffer: SendBuffer = unbounded) {
    this.#sendBuffer = sendBuffer;
  }

  get empty(): boolean {
    return this.#waiting.length === 0;
  }

  get full(): boolean {
    return this.#sendBuffer.pieceBytes === 0;
  }

  whenRoom(sender: Sender): void {
    this.#sendBuffer.whenRoom(sender);
  }

  add(target: Flushable): void {
    this.#waiting.push(target);
  }

  /** Watchers that arrive meanwhile wait for the next turn. */
  visit(): void {
    const targets = this.#next();
    for (let each = 0; each < targets.length; each++) {
      if (this.full) {
        this.#waiting = [...targets.slice(each), ...this.#waiting];
        return;
      }
      targets[each]?.flush();
    }
  }

  #next(): Flushable[] {
    if (this.#waiting.length > visitMax) return this.#waiting.splice(0, visitMax);
    const all = this.#waiting;
    this.#waiting = [];
    return all;
  }
}

/**
 * A change reaches its watchers' queues at once; what arrives while they are written goes out with the same writes.
 *
 *     turn ─▶ queue A ─▶ queue B ─▶ queue C ─▶ A ...        until 5 ms are over; then the event loop goes round
 *               └─ at most 128 of those that wait in it
 */
export class Flusher {
  #queues: FlushQueue[] = [];
  #next = 0;
  #scheduled = false;
  /** Shared by watchers that each have their own connection. */
  readonly #common = new FlushQueue();

  /** `flush` is called once, soon. */
  add(target: Flushable, queue: FlushQueue = this.#common): void {
    queue.add(target);
    if (!queue.queued) this.#enqueue(queue);
    this.#schedule();
  }

  #enqueue(queue: FlushQueue): void {
    queue.queued = true;
    this.#queues.push(queue);
  }

  /** Waits until the connection has room. */
  #goOn(queue: FlushQueue): void {
    if (!queue.full) return this.#enqueue(queue);
    queue.queued = true;
    queue.whenRoom({
      sendMore: () => {
        this.#enqueue(queue);
        this.#schedule();
      },
    });
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#turn();
    });
  }

  #turn(): void {
    this.#scheduled = false;
    const end = performance.now() + budgetMs;
    do {
      const queue = this.#queues[this.#next];
      if (queue === undefined) return this.#reset();
      this.#next++;
      queue.visit();
      queue.queued = false;
      if (!queue.empty) this.#goOn(queue);
    } while (performance.now() < end);
    if (this.#next >= doneMax) this.#forgetDone();
    this.#schedule();
  }

  #forgetDone(): void {
    this.#queues.splice(0, this.#next);
    this.#next = 0;
  }

  #reset(): void {
    this.#queues = [];
    this.#next = 0;
  }
}

/** Shared by all watches of a thread, like its event loop. */
export const flusher = new Flusher();
