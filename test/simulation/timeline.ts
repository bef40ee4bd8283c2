interface Event {
  readonly time: number;
  readonly order: number;
  readonly run: () => void;
}

/** Virtual time: a binary heap of events by time, then by creation. */
export class Timeline {
  now = 0;
  #heap: Event[] = [];
  #made = 0;

  after(delay: number, run: () => void): void {
    const event = { time: this.now + delay, order: this.#made++, run };
    let at = this.#heap.push(event) - 1;
    for (let up = (at - 1) >> 1; at > 0 && before(event, this.#at(up)); at = up, up = (at - 1) >> 1) this.#heap[at] = this.#at(up);
    this.#heap[at] = event;
  }

  /** Runs the next event. Returns false without one. */
  step(): boolean {
    const next = this.#heap[0];
    const last = this.#heap.pop();
    if (next === undefined || last === undefined) return false;
    if (this.#heap.length > 0) this.#sink(last);
    this.now = next.time;
    next.run();
    return true;
  }

  #sink(event: Event): void {
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= this.#heap.length) break;
      if (child + 1 < this.#heap.length && before(this.#at(child + 1), this.#at(child))) child++;
      if (!before(this.#at(child), event)) break;
      this.#heap[at] = this.#at(child);
      at = child;
    }
    this.#heap[at] = event;
  }

  #at(position: number): Event {
    return this.#heap[position] as Event;
  }
}

function before(a: Event, b: Event): boolean {
  return a.time < b.time || (a.time === b.time && a.order < b.order);
}
