import type { Steps } from '../../api/steps.js';

/** Returns why the outcome is no longer needed, or null, before each turn. */
export type Ended = () => Error | null;

const neverEnds: Ended = () => null;

/** Milliseconds per turn for all stepped work together. */
const budgetMs = 8;

export interface TurnOptions {
  readonly budgetMs?: number;
  readonly now?: () => number;
  readonly inNextTurn?: (action: () => void) => void;
}

type Part = (isOver: () => boolean) => 'again' | 'done' | 'tookAll';

/**
 * Shares the event loop between long work and everything else. In each turn all work together has a few milliseconds, and then sockets are served:
 *
 *     turn        turn        turn
 *     A A A A │   B B B B │   A A ▪ C │ ...      A is done in its second turn, and C has what is left of it
 *
 * Work begins inside its caller, and mostly ends within the turn's budget, without a promise. More pieces slow only each other down.
 */
export class Turns {
  readonly #budgetMs: number;
  readonly #now: () => number;
  readonly #inNextTurn: (action: () => void) => void;
  readonly #line: Part[] = [];
  #steps = 0;
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

  get steps(): number {
    return this.#steps;
  }

  /**
   * Returns the outcome if the work fits into this turn, else a promise. `ended` ends the work between two turns, runs its `finally` blocks and rejects with
   * its error.
   */
  run<T>(steps: Steps<T>, ended = neverEnds): T | Promise<T> {
    for (;;) {
      const step = steps.next();
      if (step.done === true) return step.value;
      this.#steps++;
      if (this.#isOver()) return this.#later(steps, ended);
    }
  }

  /** Resolves at the start of a turn for indivisible work. Rejects with `ended`'s error. */
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

  #open(): void {
    this.#end = this.#now() + this.#budgetMs;
    this.#inNextTurn(this.#turn);
  }

  readonly #turn = (): void => {
    this.#end = null;
    if (this.#line.length === 0) return;
    this.#open();
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
