import { isMainThread } from 'node:worker_threads';

/** Shared counter of continuations: SIGCONT reaches only the main thread, but the consensus thread must distinguish a stop from a slow disk. */
export const continuationsWord = (): SharedArrayBuffer => new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);

/** The longest wait for a report of a stop: both threads resume together. */
const graceMs = 50;

const words = new Set<Int32Array>();

function tellAll(): void {
  for (const word of words) {
    Atomics.add(word, 0, 1);
    Atomics.notify(word, 0);
  }
}

/** Counts until the returned function is called; only in the main thread, which gets such signals. */
export function countContinuations(word: SharedArrayBuffer): () => void {
  if (!isMainThread || process.platform === 'win32') return () => undefined;
  const view = new Int32Array(word);
  if (words.size === 0) process.on('SIGCONT', tellAll);
  words.add(view);
  return () => {
    words.delete(view);
    if (words.size === 0) process.off('SIGCONT', tellAll);
  };
}

/** The consensus thread's side. */
export class Continuations {
  readonly #word: Int32Array;
  #known = 0;

  constructor(word: SharedArrayBuffer) {
    this.#word = new Int32Array(word);
  }

  begin(): void {
    this.#known = Atomics.load(this.#word, 0);
  }

  /** Waits a moment for the report: call it only if a stop is likely. */
  sawOne(): boolean {
    return Atomics.wait(this.#word, 0, this.#known, graceMs) !== 'timed-out';
  }
}
