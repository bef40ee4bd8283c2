import type { Connection } from '../golden/connection.js';
import { randomWord } from '../golden/player.js';
import type { Sequence } from './area.js';
import { compare, type Found } from './compare.js';
import { play, stand, type Played } from './play.js';

/** The answers of both servers to one sequence. */
export interface Answers {
  readonly theirs: Played;
  readonly ours: Played;
  readonly differences: readonly Found[];
}

/** The two servers. */
export class Pair {
  readonly #theirs: Connection;
  readonly #ours: Connection;

  constructor(theirs: Connection, ours: Connection) {
    this.#theirs = theirs;
    this.#ours = ours;
  }

  /** Plays a sequence on both servers with the same new names. */
  async ask(sequence: Sequence): Promise<Answers> {
    const names = { ns: `d-${randomWord()}`, r: randomWord() };
    const [theirs, ours] = await Promise.all([play(this.#theirs, sequence, names), play(this.#ours, sequence, names)]);
    return { theirs, ours, differences: compare(sequence, theirs, ours) };
  }

  /** Runs `work` while a sequence's objects exist on both sides. */
  async beside<T>(sequence: Sequence, work: () => Promise<T>): Promise<T> {
    const names = { ns: `d-${randomWord()}`, r: randomWord() };
    const removals = await Promise.all([this.#theirs, this.#ours].map((connection) => stand(connection, sequence, names)));
    try {
      return await work();
    } finally {
      await Promise.all(removals.map((remove) => remove()));
    }
  }
}
