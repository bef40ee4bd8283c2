import type { Steps } from '../../api/steps.js';

/** Work on lists of unbounded length is done in steps. */
export type Stepwise<T> = T | Steps<T>;

const isSteps = <T>(outcome: Stepwise<T>): outcome is Steps<T> =>
  typeof outcome === 'object' && outcome !== null && typeof (outcome as { next?: unknown }).next === 'function';

/** Returns the outcome, in steps where there are any. */
export function* outcomeOf<T>(outcome: Stepwise<T>): Steps<T> {
  return isSteps(outcome) ? yield* outcome : outcome;
}
