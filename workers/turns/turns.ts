import type { Steps } from '../../api/steps.js';

/** Why nobody needs the outcome of some work any more, such as a deadline that has passed; null while somebody does. Asked before each turn of the work. */
export type Ended = () => Error | null;

const neverEnds: Ended = () => null;

/** Milliseconds of one turn of the event loop that all work in steps may take together. */
const budgetMs = 8;

/** Clock and event loop; for tests. */
export interface TurnOptions {
  readonly budgetMs?: number;
  /** Milliseconds of a clock that never goes back. */
  readonly now?: () => number;
  /** Calls the action when the event loop has gone round. */
  readonly inNextTurn?: (action: () => void) => void;
}

/** Takes a part of a turn. Says whether it is there for another turn. */
type Part = (isOver: () => boolean) => 'again' | 'done' | 'tookAll';

/**
 * Shares the event loop between long pieces of work and everything else. In each turn of the loop they have a few milliseconds together, whoever they are, and then
 * sockets are looked at:
 *
 *     turn        turn        turn
 *     A A A A │   B B B B │   A A ▪ C │ ...      A is done in its second turn, and C has what is left of it
 *
 * Work begins at once, in the middle of whatever calls it, and most of it is done before the budget of the turn is: then its outcome is there without a promise. Otherwise it
 * waits at the end of the line. How many pieces there are makes each of them take longer, and nobody else.
 */
export class Turns {
  readonly #budgetMs: number;
  readonly #now: () => number;
  readonly #inNextTurn: (action: () => void) => void;
  readonly #line: Part[] = [];
  #steps = 0;
  /** When the budget of the present turn is used up; null while nothing has been taken of it. */
  #end: number | null = null;
  readonly #isOver = (): boolean => {
    if (this.#end !== null) return this.#now() >= this.#end;
    this.#open();
    return false;
  };

  constructor({
    budgetMs: budget = budgetMs,
    now = () => performance.now(),
    inNextTurn = setImmediate as (action: () => void) => void,
  }: TurnOptions = {}) {
    this.#budgetMs = budget;
    this.#now = now;
    this.#inNextTurn = inNextTurn;
  }

  /** Steps since the beginning after which work could have stopped, whether it did or not. */
  get steps(): number {
    return this.#steps;
  }

  /**
   * Does the work. The outcome is there at once when the work takes no longer than this turn has; else it is promised. What the work throws is thrown or
   * rejected; `ended` ends the work between two turns, with `finally` blocks run, and is what the promise is then rejected with.
   */
  run<T>(steps: Steps<T>, ended = neverEnds): T | Promise<T> {
    for (;;) {
      const step = steps.next();
      if (step.done === true) return step.value;
      this.#steps++;
      if (this.#isOver()) return this.#later(steps, ended);
    }
  }

  /**
   * A turn for work that cannot be divided, to be awaited before it: the turn is its alone, among those who ask for one. Rejects with what `ended` says.
   */
  next(ended = neverEnds): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#wait(() => {
        const why = ended();
        if (why === null) resolve();
        else reject(why);
        return why === null ? 'tookAll' : 'done';
      });
    });
  }

  #later<T>(steps: Steps<T>, ended: Ended): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#wait((isOver) => {
        try {
          const why = ended();
          if (why !== null) {
            steps.return(undefined as never);
            reject(why);
            return 'done';
          }
          do {
            const step = steps.next();
            if (step.done === true) {
              resolve(step.value);
              return 'done';
            }
            this.#steps++;
          } while (!isOver());
          return 'again';
        } catch (error) {
          reject(error as Error);
          return 'done';
        }
      });
    });
  }

  #wait(part: Part): void {
    if (this.#end === null) this.#open();
    this.#line.push(part);
  }

  /** From now on the turn has its end, and when the loop has gone round, the next one begins. */
  #open(): void {
    this.#end = this.#now() + this.#budgetMs;
    this.#inNextTurn(this.#turn);
  }

  readonly #turn = (): void => {
    this.#end = null;
    if (this.#line.length === 0) return;
    this.#open();
    // Those who come back for more wait for another turn, be there time left or not.
    for (let waiting = this.#line.length; waiting > 0; waiting--) {
      const part = this.#line.shift()!;
      const outcome = part(this.#isOver);
      if (outcome === 'again') this.#line.push(part);
      if (outcome === 'tookAll' || this.#isOver()) return;
    }
  };
}

/** The turns of this thread's event loop. */
export const turns = new Turns();
