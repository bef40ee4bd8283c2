/**
 * Pure work that yields wherever it may pause, and returns its result. `Turns` (`workers/turns`) decides when it pauses and for how long. A step takes well
 * below a millisecond; loops over few items do not yield.
 */
export type Steps<T> = Generator<void, T, void>;

/** Runs all steps, for small work and where waiting is impossible. */
export function inOneGo<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
