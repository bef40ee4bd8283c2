import type { Progress } from '../assembly/healthChecks.js';

const words = { storageAwaited: 0, bootstrapped: 1, stopping: 2 } as const;
type Word = keyof typeof words;

/** The progress of a process with several threads: the first thread's, except loading. */
export class SharedProgress implements Progress {
  static readonly bytes = 4 * Object.keys(words).length;
  synced = false;
  readonly #words: Int32Array;

  constructor(memory: SharedArrayBuffer) {
    this.#words = new Int32Array(memory);
  }

  get storageAwaited(): boolean {
    return this.#is('storageAwaited');
  }
  set storageAwaited(value: boolean) {
    this.#set('storageAwaited', value);
  }
  get bootstrapped(): boolean {
    return this.#is('bootstrapped');
  }
  set bootstrapped(value: boolean) {
    this.#set('bootstrapped', value);
  }
  get stopping(): boolean {
    return this.#is('stopping');
  }
  set stopping(value: boolean) {
    this.#set('stopping', value);
  }

  #is(word: Word): boolean {
    return Atomics.load(this.#words, words[word]) === 1;
  }

  #set(word: Word, value: boolean): void {
    Atomics.store(this.#words, words[word], value ? 1 : 0);
  }
}
