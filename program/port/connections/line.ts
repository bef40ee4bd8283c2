/** Empty places before they are dropped. */
const leftPlacesMax = 1_024;

/** Clears places, so that finished work is not retained while others wait. */
export class Line<T> {
  #items: (T | undefined)[] = [];
  #next = 0;

  get length(): number {
    return this.#items.length - this.#next;
  }

  push(item: T): void {
    this.#items.push(item);
  }

  shift(): T | undefined {
    if (this.length === 0) return undefined;
    const item = this.#items[this.#next];
    this.#items[this.#next] = undefined;
    this.#next += 1;
    if (this.length === 0 || this.#next >= leftPlacesMax) {
      this.#items = this.#items.slice(this.#next);
      this.#next = 0;
    }
    return item;
  }
}
