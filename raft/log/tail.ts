import assert from 'node:assert';
import type { Entry, LogIndex } from '../types.js';

/** Slots of dropped entries are emptied at once. */
const emptySlotsMax = 1024;

/** Contiguous up to the log's last entry; at most `bytesMax` bytes of data, but always the newest entry. */
export class Tail {
  readonly #bytesMax: number;
  #entries: (Entry | null)[] = [];
  #start = 0;
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get first(): LogIndex | null {
    return this.#entries[this.#start]?.index ?? null;
  }

  push(entry: Entry): void {
    const last = this.#last;
    assert(last === null || entry.index === last.index + 1, `entry ${entry.index} does not follow ${String(last?.index)}`);
    this.#entries.push(entry);
    this.#bytes += entry.data.length;
    while (this.#bytes > this.#bytesMax && this.#start < this.#entries.length - 1) this.#dropFirst();
  }

  truncateFrom(index: LogIndex): void {
    for (let last = this.#last; last !== null && last.index >= index; last = this.#last) {
      this.#entries.pop();
      this.#bytes -= last.data.length;
    }
    if (this.#length === 0) this.clear();
  }

  dropBefore(index: LogIndex): void {
    for (let first = this.first; first !== null && first < index; first = this.first) this.#dropFirst();
    if (this.#length === 0) this.clear();
  }

  clear(): void {
    this.#entries = [];
    this.#start = 0;
    this.#bytes = 0;
  }

  /** Cut as in `LogReader.entries`; null unless the whole range is held. */
  read(from: LogIndex, to: LogIndex, bytesMax: number): Entry[] | null {
    const first = this.first;
    if (first === null || from < first) return null;
    const begin = this.#start + (from - first);
    const end = this.#start + (to - first) + 1;
    const found: Entry[] = [];
    let bytes = 0;
    for (const entry of this.#entries.slice(begin, end)) {
      if (entry === null) throw new RangeError(`entry ${from + found.length} was dropped`);
      bytes += entry.data.length;
      if (bytes > bytesMax && found.length > 0) break;
      found.push(entry);
    }
    return found;
  }

  get #last(): Entry | null {
    return this.#entries.at(-1) ?? null;
  }

  get #length(): number {
    return this.#entries.length - this.#start;
  }

  #dropFirst(): void {
    this.#bytes -= this.#entries[this.#start]?.data.length ?? 0;
    this.#entries[this.#start] = null;
    this.#start += 1;
    if (this.#start < emptySlotsMax) return;
    this.#entries.splice(0, this.#start);
    this.#start = 0;
  }
}
