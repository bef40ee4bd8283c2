/** Steps after which whoever asks a long question lets others have their turn: a few milliseconds. */
const sliceSteps = 50_000;
/** Steps that the comparison of one object's rules with what its writer holds may take: about half a second. */
export const comparisonStepsMax = 20_000_000;

/** Counts steps of a long question, so that it can be bounded and cut into slices. */
export class Work {
  #steps = 0;
  #pauseAt = sliceSteps;

  constructor(private readonly stepsMax: number) {}

  get steps(): number {
    return this.#steps;
  }
  get exhausted(): boolean {
    return this.#steps > this.stepsMax;
  }

  /** True when it is time to let others go ahead. */
  spend(steps: number): boolean {
    this.#steps += steps;
    if (this.#steps < this.#pauseAt) return false;
    this.#pauseAt = this.#steps + sliceSteps;
    return true;
  }
}
