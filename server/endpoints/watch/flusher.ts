import { unbounded, type SendBuffer, type Sender } from '../../../program/port/connections/index.js';

/** Something with bytes to write. */
export interface Flushable {
  flush(): void;
}

/** Longest time that writing takes the event loop for itself. */
const budgetMs = 5;
/** Writes of one lane before it is the next one's turn, and between two looks at the clock. */
const visitMax = 128;
/** Lanes that have had their turn are dropped from the list once there are so many. */
const doneMax = 1_024;

/** Those that wait for one connection, in order. What they write in one turn leaves together: in few records, and with one call of the system. */
export class Lane {
  /** Has its turn to come. */
  queued = false;
  private waiting: Flushable[] = [];

  /** Of the connection. */
  constructor(private readonly sendBuffer: SendBuffer = unbounded) {}

  get empty(): boolean {
    return this.waiting.length === 0;
  }

  /** The connection has no room. */
  get full(): boolean {
    return this.sendBuffer.pieceBytes === 0;
  }

  whenRoom(sender: Sender): void {
    this.sendBuffer.whenRoom(sender);
  }

  add(target: Flushable): void {
    this.waiting.push(target);
  }

  /** Flushes the first ones, while there is room; who comes meanwhile is not among them. */
  visit(): void {
    const targets = this.next();
    for (let each = 0; each < targets.length; each++) {
      if (this.full) {
        this.waiting = [...targets.slice(each), ...this.waiting];
        return;
      }
      targets[each]?.flush();
    }
  }

  private next(): Flushable[] {
    if (this.waiting.length > visitMax) return this.waiting.splice(0, visitMax);
    const all = this.waiting;
    this.waiting = [];
    return all;
  }
}

/**
 * Writes what watchers have got, in turns between which sockets and changes are looked at. A change reaches its watchers' queues at once;
 * what comes while the queues are being written goes out with the same writes. So the more there is to send, the fewer writes it takes.
 *
 *     turn ─▶ lane A ─▶ lane B ─▶ lane C ─▶ A ...        until 5 ms are over; then the event loop goes round
 *               └─ at most 128 of those that wait in it
 */
export class Flusher {
  /** Those in which somebody waits, in the order of their turns. */
  private lanes: Lane[] = [];
  private next = 0;
  private scheduled = false;
  /** Of those that have a connection for themselves. */
  private readonly common = new Lane();

  /** `flush` is called once, soon. */
  add(target: Flushable, lane: Lane = this.common): void {
    lane.add(target);
    if (!lane.queued) this.enqueue(lane);
    this.schedule();
  }

  private enqueue(lane: Lane): void {
    lane.queued = true;
    this.lanes.push(lane);
  }

  /** Not before its connection has room. */
  private goOn(lane: Lane): void {
    if (!lane.full) return this.enqueue(lane);
    lane.queued = true;
    lane.whenRoom({
      sendMore: () => {
        this.enqueue(lane);
        this.schedule();
      },
    });
  }

  private schedule(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    setImmediate(() => {
      this.turn();
    });
  }

  private turn(): void {
    this.scheduled = false;
    const end = performance.now() + budgetMs;
    do {
      const lane = this.lanes[this.next];
      if (lane === undefined) return this.reset();
      this.next++;
      lane.visit();
      lane.queued = false;
      if (!lane.empty) this.goOn(lane);
    } while (performance.now() < end);
    if (this.next >= doneMax) this.forgetDone();
    this.schedule();
  }

  private forgetDone(): void {
    this.lanes.splice(0, this.next);
    this.next = 0;
  }

  private reset(): void {
    this.lanes = [];
    this.next = 0;
  }
}

/** All watches of a process share the time of its event loop, so they share one. */
export const flusher = new Flusher();
