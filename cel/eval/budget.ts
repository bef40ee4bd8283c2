/** Thrown when an evaluation's budget is exhausted, to stop all of it. The units are the reference's (one is about 50 ns there). */
export class OverBudget extends Error {
  constructor() {
    super('operation cancelled: actual cost limit exceeded');
  }
}

export const expressionCostMax = 1_000_000;
/** Limit per request of all expressions of a policy, or of a schema's rules. */
export const requestCostMax = 10_000_000;
/** Limit per request of all match conditions of a webhook or policy. */
export const conditionsCostMax = 2_500_000;

/**
 * Elementary steps (such as comparisons within lists) that take time but no unit of the reference. Only expressions that exploit this reach the limit, within
 * some tenths of a second.
 */
const stepsMax = 1_000_000;

/** Steps of all pattern searches in one evaluation. */
const patternStepsMax = 3_000_000;
/** Characters per step where a function traverses a text. */
const charactersPerStepShift = 5;

export class Meter {
  cost = 0;
  #steps = 0;
  readonly patternSteps = { left: patternStepsMax };

  get stepped(): number {
    return this.#steps;
  }

  constructor(readonly limit: number = expressionCostMax) {}

  /** Throws OverBudget. */
  spend(cost: number): void {
    this.cost += cost;
    if (this.cost > this.limit) throw new OverBudget();
  }

  /** Charges for so many characters or bytes. Throws OverBudget. */
  traverse(length: number): void {
    this.step(length >> charactersPerStepShift);
  }

  /** Throws OverBudget. */
  readonly step = (steps: number): void => {
    this.#steps += steps;
    if (this.#steps > stepsMax) throw new OverBudget();
  };
}
