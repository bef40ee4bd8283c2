/** Something with bytes to write. */
export interface Flushable {
  flush(): void;
}

/** Longest time that writing takes the event loop for itself. */
const budgetMs = 5;
/** Writes between two looks at the clock. */
const step = 32;
/** Written entries are dropped from the queue once there are so many. */
const doneMax = 16_384;

/**
 * Writes what watchers have got, in turns between which sockets and changes are looked at. A change reaches its watchers' queues at once;
 * what comes while the queues are being written goes out with the same writes. So the more there is to send, the fewer writes it takes.
 */
export class Flusher {
  private waiting: Flushable[] = [];
  private next = 0;
  private scheduled = false;

  /** `flush` is called once, soon. */
  add(target: Flushable): void {
    this.waiting.push(target);
    this.schedule();
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
      for (let count = 0; count < step; count++) {
        const target = this.waiting[this.next++];
        if (target === undefined) return this.reset();
        target.flush();
      }
    } while (performance.now() < end);
    if (this.next > doneMax) {
      this.waiting.splice(0, this.next);
      this.next = 0;
    }
    this.schedule();
  }

  private reset(): void {
    this.waiting = [];
    this.next = 0;
  }
}

/** All watches of a process share the time of its event loop, so they share one. */
export const flusher = new Flusher();
