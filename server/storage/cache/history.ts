import type { Version } from '../contract.js';
import type { ExpiryReason } from '../watchEnds.js';
import type { ObjectChange } from './change.js';

/** The first bound reached applies. */
export interface HistoryBounds {
  readonly changesMax: number;
  readonly bytesMax: number;
  readonly ageMaxMs: number;
}

/**
 * The latest changes of one resource, in order. Each has a permanent place, a number that grows by one:
 *
 *     forgotten │ start ▶ c c c c c c ◀ end
 *     ◀─ floor ─┘ versions up to `floor` may be missing, all later ones are here
 */
export class History {
  readonly #bounds: HistoryBounds;
  start = 0;
  /** Everything after this version is known. */
  floor: Version;
  #restart = 0;
  #changes: (ObjectChange | undefined)[] = [];
  #head = 0;
  #bytes = 0;

  constructor(bounds: HistoryBounds, floor: Version) {
    this.#bounds = bounds;
    this.floor = floor;
  }

  get end(): number {
    return this.start + this.#changes.length - this.#head;
  }

  push(change: ObjectChange): void {
    this.#changes.push(change);
    this.#bytes += change.bytesKept;
    this.trim(change.at);
  }

  at(place: number): ObjectChange {
    const change = this.#changes[this.#head + place - this.start];
    if (place < this.start || change === undefined) throw new RangeError(`history holds ${this.start} to ${this.end}, not ${place}`);
    return change;
  }

  /** The place of the first change after `version`, which is at least `floor`. */
  placeAfter(version: Version): number {
    let low = this.start;
    let high = this.end;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (this.at(middle).version <= version) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  forgetThrough(version: Version): void {
    while (this.start < this.end && this.at(this.start).version <= version) this.#forgetOldest();
    this.floor = Math.max(this.floor, version);
  }

  /** All earlier places count as forgotten. */
  restart(floor: Version): void {
    for (let place = this.start; place < this.end; place++) this.at(place).previous?.leaveSegment();
    this.start = this.#restart = this.end + 1;
    this.floor = floor;
    this.#changes = [];
    this.#head = 0;
    this.#bytes = 0;
  }

  whyForgotten(place: number): ExpiryReason {
    return place < this.#restart ? 'Reloaded' : 'ClientTooSlow';
  }

  trim(now: number): void {
    while (this.#head < this.#changes.length && this.#exceeds(this.at(this.start), now)) this.#forgetOldest();
    if (this.#head > this.#changes.length / 2) {
      this.#changes = this.#changes.slice(this.#head);
      this.#head = 0;
    }
  }

  #exceeds(oldest: ObjectChange, now: number): boolean {
    return (
      this.end - this.start > this.#bounds.changesMax || this.#bytes > this.#bounds.bytesMax || now - oldest.at > this.#bounds.ageMaxMs
    );
  }

  #forgetOldest(): void {
    const oldest = this.at(this.start);
    this.floor = oldest.version;
    this.#bytes -= oldest.bytesKept;
    oldest.previous?.leaveSegment();
    this.#changes[this.#head++] = undefined;
    this.start++;
  }
}
