import assert from 'node:assert';
import type { LogIndex, Term } from '../types.js';

interface Run {
  readonly first: LogIndex;
  readonly term: Term;
}

/**
 * The terms of all entries in memory. Terms never decrease along the log, so one pair for each change suffices:
 *
 *     index   7  8  9 | 10 | 11 12          runs  7:3  10:4  11:6
 *     term    3  3  3 |  4 |  6  6
 */
export class TermRuns {
  #runs: Run[] = [];

  at(index: LogIndex): Term {
    const run = this.#runs[this.#position(index)];
    assert(run !== undefined, `no term is known for index ${index}`);
    return run.term;
  }

  get last(): Term | null {
    return this.#runs.at(-1)?.term ?? null;
  }

  add(index: LogIndex, term: Term): void {
    const last = this.last;
    assert(last === null || term >= last, `term ${term} at index ${index} is below ${String(last)} before it`);
    if (term !== last) this.#runs.push({ first: index, term });
  }

  truncateFrom(index: LogIndex): void {
    while ((this.#runs.at(-1)?.first ?? -1) >= index) this.#runs.pop();
  }

  dropBefore(index: LogIndex): void {
    const position = this.#position(index);
    const run = this.#runs[position];
    if (run === undefined) return;
    this.#runs = [{ first: index, term: run.term }, ...this.#runs.slice(position + 1)];
  }

  clear(): void {
    this.#runs = [];
  }

  /** -1 before the first run. */
  #position(index: LogIndex): number {
    let low = 0;
    let high = this.#runs.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const run = this.#runs[middle];
      if (run !== undefined && run.first <= index) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}
