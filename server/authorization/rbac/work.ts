/** The steps between pauses of a long comparison: a few milliseconds. */
const sliceSteps = 50_000;
/** Steps of comparing an object's rules with its writer's rights: about half a second. */
export const comparisonStepsMax = 20_000_000;

export class Work {
  readonly #stepsMax: number;
  #steps = 0;
  #pauseAt = sliceSteps;

  constructor(stepsMax: number) {
    this.#stepsMax = stepsMax;
  }

  get steps(): number {
    return this.#steps;
  }
  get exhausted(): boolean {
    return this.#steps > this.#stepsMax;
  }

  spend(steps: number): boolean {
    this.#steps += steps;
    if (this.#steps < this.#pauseAt) return false;
    this.#pauseAt = this.#steps + sliceSteps;
    return true;
  }
}
