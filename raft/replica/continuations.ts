import { isMainThread } from 'node:worker_threads';

/**
 * A process that was stopped (SIGSTOP, a terminal's Ctrl-Z) is told by SIGCONT that it goes on. Only its main thread is, and the consensus thread has to know: a stop that
 * begins while it waits for its disk looks like a slow disk otherwise. So the two share a word, which counts continuations.
 */
export const continuationsWord = (): SharedArrayBuffer => new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);

/** How long the consensus thread waits for word of a stop after a suspiciously long sync: both threads go on at the same moment. */
const graceMs = 50;

/** Replicas of this process that are to be told. */
const words = new Set<Int32Array>();

function tellAll(): void {
  for (const word of words) {
    Atomics.add(word, 0, 1);
    Atomics.notify(word, 0);
  }
}

/** The process' side: counts from now on, until the returned function is called. Elsewhere than in a main thread, and where there are no such signals, it counts nothing. */
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

  /** What follows is about to be waited for. */
  begin(): void {
    this.#known = Atomics.load(this.#word, 0);
  }

  /** Whether the process was stopped since `begin`. Waits a moment for whoever is told of it, so only to be asked where that is likely. */
  sawOne(): boolean {
    return Atomics.wait(this.#word, 0, this.#known, graceMs) !== 'timed-out';
  }
}
