/**
 * What evaluation may cost, in the reference's units (one is about 50 ns there). Thrown out of an evaluation when it is used up: no part of an expression can go on.
 */
export class OverBudget extends Error {
  constructor() {
    super('operation cancelled: actual cost limit exceeded');
  }
}

/** One expression alone. */
export const expressionCostMax = 1_000_000;
/** All expressions that one request makes a policy or the rules of a schema evaluate. */
export const requestCostMax = 10_000_000;
/** All match conditions of one webhook or policy for one request. */
export const conditionsCostMax = 2_500_000;

/**
 * Elementary steps (a comparison within a comparison of lists, a part of a text that is made) that cost nothing in the reference's units, but time. What lies within
 * the limits of costs hardly ever meets this one; what exploits the difference ends within some tenths of a second.
 */
const stepsMax = 1_000_000;

/** Steps of all searches for patterns in one evaluation. */
const patternStepsMax = 3_000_000;
/** Characters that count as one step where a function goes through a text. */
const charactersPerStepShift = 5;

/** Keeps account of one evaluation. */
export class Meter {
  cost = 0;
  private steps = 0;
  readonly patternSteps = { left: patternStepsMax };

  /** Elementary steps taken, for whoever measures work. */
  get stepped(): number {
    return this.steps;
  }

  constructor(readonly limit: number = expressionCostMax) {}

  /** Throws OverBudget. */
  spend(cost: number): void {
    this.cost += cost;
    if (this.cost > this.limit) throw new OverBudget();
  }

  /** For going through so many characters or bytes. Throws OverBudget. */
  traverse(length: number): void {
    this.step(length >> charactersPerStepShift);
  }

  /** Throws OverBudget. */
  readonly step = (steps: number): void => {
    this.steps += steps;
    if (this.steps > stepsMax) throw new OverBudget();
  };
}
